import type { TenantId } from '../domain/kernel/ids.js';
import type { JsonObject } from '../domain/kernel/json.js';

/*
 * Storage of plugins in addition to their records: documents and leases. The store implements it,
 * the plugin host uses it, and the types are part of the contract of extensions.
 */

/**
 * Documents of a plugin, by key: state that is too large for records and notes. Not part of the
 * tenant's lane, log or version. Documents of a tenant are deleted with it.
 */
export interface PluginCollection {
  readonly get: (owner: DocumentOwner, key: string) => Promise<PluginDocument | undefined>;
  /** Without missing documents. */
  readonly getMany: (
    owner: DocumentOwner,
    keys: readonly string[],
    options?: ReadOptions,
  ) => Promise<ReadonlyMap<string, PluginDocument>>;
  /** Up to 1,000, ordered by key. */
  readonly list: (
    owner: DocumentOwner,
    query?: DocumentQuery & ReadOptions,
  ) => Promise<readonly PluginDocument[]>;
  /**
   * Writes documents, each as a whole; up to 1,000, each up to 1 MiB. Without a fence or version they
   * may be written partially if the process crashes. Rejects with a VersionConflict or LeaseLost, in
   * which case nothing is written.
   */
  readonly put: (
    owner: DocumentOwner,
    documents: readonly NewDocument[],
    options?: WriteOptions,
  ) => Promise<void>;
  /**
   * Adds to numbers of a document, in one step: concurrent additions are all counted and never
   * conflict. A missing document or number counts as 0. Returns the document as it is then.
   */
  readonly add: (
    owner: DocumentOwner,
    key: string,
    amounts: Readonly<Record<string, number>>,
  ) => Promise<PluginDocument>;
  /** Deletes these documents; missing ones are ignored. Rejects with a LeaseLost. */
  readonly delete: (
    owner: DocumentOwner,
    keys: readonly string[],
    options?: WriteOptions,
  ) => Promise<void>;
  /**
   * Deletes all documents whose key starts with the prefix, of any number and not at once. Rejects with
   * a LeaseLost.
   */
  readonly clear: (owner: DocumentOwner, prefix: string, options?: ClearOptions) => Promise<void>;
}

/** A tenant, or null for documents that belong to no tenant. */
export type DocumentOwner = TenantId | null;

/** A stored document. */
export interface PluginDocument {
  readonly key: string;
  readonly value: JsonObject;
  /** Counts the writes, from 1. */
  readonly version: number;
  readonly updatedAt: Date;
}

/** A document to store. */
export interface NewDocument {
  /** 1 to 256 characters. */
  readonly key: string;
  readonly value: JsonObject;
  /** The required current version; 0: it must not exist. Default: any. */
  readonly ifVersion?: number;
  /** When it is deleted. Default: never. */
  readonly expiresAt?: Date;
  /**
   * Most likely there is none with this key: an insert costs a third of a write that looks first. If
   * there is one, it is overwritten all the same.
   */
  readonly isNew?: true;
}

/** Which documents of a collection to read. */
export interface DocumentQuery {
  readonly prefix?: string;
  /** Only keys after this one. */
  readonly after?: string;
  /** Default: 100. */
  readonly limit?: number;
}

/** What to read of documents. */
export interface ReadOptions {
  /** Fields of the values; the others are left out. Default: all. */
  readonly fields?: readonly string[];
}

/** Conditions of a write. */
export interface WriteOptions {
  /** The write is refused with a LeaseLost if the lease has ended. */
  readonly fence?: Fence;
}

/** Which of the documents with a prefix to delete; default: all. */
export interface ClearOptions extends WriteOptions {
  /** Only keys after this one. */
  readonly after?: string;
  /** Only keys up to this one, which is included. */
  readonly upTo?: string;
}

/** Proof of a lease. Each new holder gets a higher token. */
export interface Fence {
  readonly lease: string;
  readonly token: number;
}

/** A request for a lease, which expires after `ttlMs` unless renewed. */
interface LeaseRequest {
  readonly lease: string;
  /** This instance. */
  readonly owner: string;
  readonly ttlMs: number;
}

/** Leases by name. All times are the database's. */
export interface LeaseStore {
  /** The lease, or in how many milliseconds it may be free. */
  readonly take: (
    request: LeaseRequest,
  ) => Promise<{ readonly fence: Fence } | { readonly waitMs: number }>;
  /** False: the lease is lost. */
  readonly renew: (fence: Fence, ttlMs: number) => Promise<boolean>;
  /** Ends the lease. It may be taken again `pauseMs` after it was taken; 0: immediately. */
  readonly release: (fence: Fence, pauseMs: number) => Promise<void>;
}

/** Maximum number of documents in one read or write. */
export const MAX_DOCUMENTS = 1_000;
const MAX_BYTES = 1024 * 1024;
const MAX_KEY_LENGTH = 256;

/** Throws a RangeError for documents that are too many, too large or without a key. */
export const requireWritable = (documents: readonly NewDocument[]): void => {
  requireFew(documents);
  for (const { key, value } of documents) {
    if (key.length === 0 || key.length > MAX_KEY_LENGTH)
      throw new RangeError(
        `A key has 1 to ${MAX_KEY_LENGTH} characters; this one has ${key.length}.`,
      );
    const bytes = Buffer.byteLength(JSON.stringify(value));
    if (bytes > MAX_BYTES)
      throw new RangeError(`A document has up to ${MAX_BYTES} bytes; "${key}" has ${bytes}.`);
  }
};

export const requireFew = (documents: readonly unknown[]): void => {
  if (documents.length > MAX_DOCUMENTS)
    throw new RangeError(
      `Up to ${MAX_DOCUMENTS} documents are written at once; these are ${documents.length}.`,
    );
};

/** The same in every copy of this module: an extension may bring a copy of its own. */
const LEASE_LOST = Symbol.for('rollgate.LeaseLost');
const VERSION_CONFLICT = Symbol.for('rollgate.VersionConflict');

const bears = (value: unknown, mark: symbol): boolean =>
  typeof value === 'object' && value !== null && mark in value;

/** The lease of a write has ended, or another instance holds it: nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  get [LEASE_LOST](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return bears(value, LEASE_LOST);
  }
}

/** A document does not have the version that the write requires: nothing was written. */
export class VersionConflict extends Error {
  override readonly name = 'VersionConflict';

  get [VERSION_CONFLICT](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return bears(value, VERSION_CONFLICT);
  }
}
