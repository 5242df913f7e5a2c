import { setTimeout } from 'node:timers/promises';
import {
  type Fence,
  type JsonObject,
  type NewDocument,
  type PluginCollection,
  type PluginDocument,
  raise,
  type TenantId,
  VersionConflict,
} from '../../../src/plugin/api.js';

/** The collections that the plugin declares. */
export const COLLECTIONS = [
  'connectors',
  'stage',
  'plans',
  'links',
  'runs',
  'quarantine',
  'uploads',
] as const;
export type CollectionName = (typeof COLLECTIONS)[number];

export const PAGE = 500;

/** Whose documents they are, and where. */
export interface StoreParts {
  readonly collection: (name: CollectionName) => PluginCollection;
  readonly tenantId: TenantId;
  readonly connector: string;
  readonly now: () => Date;
  /** Of the run that writes; absent: an operator does. */
  readonly fence?: Fence;
}

const DAY_MS = 86_400_000;

/** So many days after they were written. */
export const expiryIn = (days: number, now: () => Date) => (): Date =>
  new Date(now().getTime() + days * DAY_MS);

/** A number as a name: names are ordered as text. */
export const nineDigits = (index: number): string => String(index).padStart(9, '0');

/** Documents of one kind, each with a name that orders them. Writes of none do nothing. */
export interface Documents<Value> {
  readonly get: (name: string) => Promise<Value | undefined>;
  /** By name, without missing ones. */
  readonly many: (names: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  /** Those that follow the name. */
  readonly list: (limit: number, after?: string) => Promise<readonly Value[]>;
  readonly pages: (size?: number) => AsyncGenerator<readonly Value[]>;
  readonly put: (values: readonly Value[]) => Promise<void>;
  /** The same, for values of whose names there are most likely none yet. */
  readonly add: (values: readonly Value[]) => Promise<void>;
  /** Writes what becomes of the value; decides again if it has changed since it was read. */
  readonly change: (name: string, change: (value: Value | undefined) => Value) => Promise<void>;
  readonly delete: (names: readonly string[]) => Promise<void>;
  /** To be written together with others. */
  readonly toStore: (
    values: readonly Value[],
    /** Whether there is most likely none of its name yet; that makes a write cheaper. */
    isNew?: (value: Value) => boolean,
  ) => readonly NewDocument[];
}

interface DocumentParts<Value> {
  readonly collection: PluginCollection;
  readonly tenantId: TenantId;
  /** Writes are refused once this lease has ended. Absent: they need none. */
  readonly fence: Fence | undefined;
  /** Of the keys, before the names. */
  readonly prefix: string;
  readonly nameOf: (value: Value) => string;
  /** Absent: they are kept until they are deleted. */
  readonly expiresAt?: (value: Value) => Date;
  /** What is read of the stored values; absent: all. */
  readonly fields?: readonly string[];
  readonly read?: (document: PluginDocument) => Value;
  readonly write?: (value: Value) => object;
}

export const createDocuments = <Value extends object>({
  collection,
  tenantId,
  fence,
  prefix,
  nameOf,
  expiresAt,
  fields,
  read = ({ value }) => value as unknown as Value,
  write = (value) => value,
}: DocumentParts<Value>): Documents<Value> => {
  const keyOf = (name: string): string => prefix + name;
  const guard = fence ? { fence } : {};

  const toStore: Documents<Value>['toStore'] = (values, isNew = () => false) =>
    values.map((value) => ({
      key: keyOf(nameOf(value)),
      value: write(value) as JsonObject,
      ...(expiresAt && { expiresAt: expiresAt(value) }),
      ...(isNew(value) && { isNew: true as const }),
    }));

  const listDocuments = (limit: number, after?: string) =>
    collection.list(tenantId, {
      ...{ prefix, limit },
      ...(after !== undefined && { after }),
      ...(fields && { fields }),
    });

  return {
    get: async (name) => {
      const found = await collection.get(tenantId, keyOf(name));
      return found && read(found);
    },
    many: async (names) => {
      if (names.length === 0) return new Map();
      const found = await collection.getMany(tenantId, names.map(keyOf), {
        ...(fields && { fields }),
      });
      return new Map(
        names.flatMap((name): (readonly [string, Value])[] => {
          const document = found.get(keyOf(name));
          return document ? [[name, read(document)]] : [];
        }),
      );
    },
    list: async (limit, after) =>
      (await listDocuments(limit, after === undefined ? after : keyOf(after))).map(read),
    pages: async function* (size = PAGE) {
      let next: ReturnType<typeof listDocuments> | undefined = listDocuments(size);
      while (next) {
        const page: readonly PluginDocument[] = await next;
        // Read while this one is worked on. An error is thrown when it is wanted.
        next = page.length < size ? undefined : listDocuments(size, page.at(-1)?.key);
        next?.catch(() => undefined);
        if (page.length > 0) yield page.map(read);
      }
    },
    put: async (values) => {
      if (values.length > 0) await collection.put(tenantId, toStore(values), guard);
    },
    add: async (values) => {
      if (values.length > 0)
        await collection.put(
          tenantId,
          toStore(values, () => true),
          guard,
        );
    },
    change: async (name, change) => {
      await untilWritten(async () => {
        const before = await collection.get(tenantId, keyOf(name));
        const documents = toStore([change(before && read(before))]);
        const ifVersion = before?.version ?? 0;
        await collection.put(
          tenantId,
          documents.map((document) => ({ ...document, ifVersion })),
          guard,
        );
      });
    },
    delete: async (names) => {
      if (names.length > 0) await collection.delete(tenantId, names.map(keyOf), guard);
    },
    toStore,
  };
};

const MAX_ATTEMPTS = 20;
const MAX_PAUSE_MS = 100;

/**
 * Does it again if what it has read has changed before it wrote: after a random pause, since those who
 * retry at once keep each other from it.
 */
export const untilWritten = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      if (attempt === MAX_ATTEMPTS)
        raise(
          'UNAVAILABLE',
          'Too many requests change this at once. Nothing was changed; try again.',
          {
            retryAfter: 1,
          },
        );
      await setTimeout(Math.random() * Math.min(2 ** attempt, MAX_PAUSE_MS));
    }
  }
};
