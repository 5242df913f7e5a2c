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
  /** Writes are refused once the lease of the run has ended. Empty: an operator writes. */
  readonly guard: { readonly fence?: Fence };
  /** Whether no complete read comes to what waits for another record. */
  readonly receivesUploads?: boolean;
}

const DAY_MS = 86_400_000;

/** So many days after they were written. */
export const expiryIn = (days: number, now: () => Date) => (): Date =>
  new Date(now().getTime() + days * DAY_MS);

/** A number as a name: names are ordered as text. */
export const nineDigits = (index: number): string => String(index).padStart(9, '0');

interface DocumentParts<Value> {
  readonly collection: PluginCollection;
  readonly tenantId: TenantId;
  /** Absent: writes need no lease. */
  readonly guard?: StoreParts['guard'];
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

/** Documents of one kind, each with a name that orders them. Writes of none do nothing. */
export class Documents<Value extends object> {
  constructor(private readonly parts: DocumentParts<Value>) {}

  async get(name: string): Promise<Value | undefined> {
    const { collection, tenantId, prefix } = this.parts;
    const found = await collection.get(tenantId, prefix + name);
    return found && this.#read(found);
  }

  /** By name, without missing ones. */
  async many(names: readonly string[]): Promise<ReadonlyMap<string, Value>> {
    const { collection, tenantId, prefix, fields } = this.parts;
    const values = new Map<string, Value>();
    if (names.length === 0) return values;
    const keys = names.map((name) => prefix + name);
    const found = await collection.getMany(tenantId, keys, { ...(fields && { fields }) });
    for (const name of names) {
      const document = found.get(prefix + name);
      if (document) values.set(name, this.#read(document));
    }
    return values;
  }

  /** Those that follow the name. */
  async list(limit: number, after?: string): Promise<readonly Value[]> {
    const key = after === undefined ? undefined : this.parts.prefix + after;
    return (await this.#list(limit, key)).map((document) => this.#read(document));
  }

  async *pages(size = PAGE): AsyncGenerator<readonly Value[]> {
    let next: Promise<readonly PluginDocument[]> | undefined = this.#list(size);
    while (next) {
      const page: readonly PluginDocument[] = await next;
      // Read while this one is worked on. An error is thrown when it is wanted.
      next = page.length < size ? undefined : this.#list(size, page.at(-1)?.key);
      next?.catch(() => undefined);
      if (page.length > 0) yield page.map((document) => this.#read(document));
    }
  }

  async put(values: readonly Value[]): Promise<void> {
    await this.#write(this.toStore(values));
  }

  /** The same, for values of whose names there are most likely none yet. */
  async add(values: readonly Value[]): Promise<void> {
    await this.#write(this.toStore(values, () => true));
  }

  /** Writes what becomes of the value; decides again if it has changed since it was read. */
  async change(name: string, change: (value: Value | undefined) => Value): Promise<void> {
    const { collection, tenantId, prefix } = this.parts;
    await untilWritten(async () => {
      const before = await collection.get(tenantId, prefix + name);
      const documents = this.toStore([change(before && this.#read(before))]);
      const ifVersion = before?.version ?? 0;
      await this.#write(documents.map((document) => ({ ...document, ifVersion })));
    });
  }

  async delete(names: readonly string[]): Promise<void> {
    const { collection, tenantId, prefix, guard } = this.parts;
    const keys = names.map((name) => prefix + name);
    if (keys.length > 0) await collection.delete(tenantId, keys, guard);
  }

  /**
   * To be written together with others. `isNew`: whether there is most likely none of its name yet,
   * which makes a write cheaper.
   */
  toStore(
    values: readonly Value[],
    isNew: (value: Value) => boolean = () => false,
  ): readonly NewDocument[] {
    const { prefix, nameOf, expiresAt, write } = this.parts;
    return values.map((value) => ({
      key: prefix + nameOf(value),
      value: (write ? write(value) : value) as JsonObject,
      ...(expiresAt && { expiresAt: expiresAt(value) }),
      ...(isNew(value) && { isNew: true as const }),
    }));
  }

  #list(limit: number, after?: string): Promise<readonly PluginDocument[]> {
    const { collection, tenantId, prefix, fields } = this.parts;
    return collection.list(tenantId, {
      ...{ prefix, limit },
      ...(after !== undefined && { after }),
      ...(fields && { fields }),
    });
  }

  async #write(documents: readonly NewDocument[]): Promise<void> {
    const { collection, tenantId, guard } = this.parts;
    if (documents.length > 0) await collection.put(tenantId, documents, guard);
  }

  #read(document: PluginDocument): Value {
    const { read } = this.parts;
    return read ? read(document) : (document.value as unknown as Value);
  }
}

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
