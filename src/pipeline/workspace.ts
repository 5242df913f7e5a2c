import { type Facts, LIMITS, type Limits } from '../domain/kernel/decider.js';
import { each, type Chunked } from '../domain/kernel/chunked.js';
import {
  type Change,
  type Entities,
  type IndexName,
  type Lookup,
  type TableName,
  TABLES,
} from '../domain/tables.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import type { Loaded } from './commit-store.js';

interface Identified {
  readonly id: string;
}

/**
 * The entities under one key of an index, in order. They are indexed by id on the first change: a
 * roster of 100,000 must not be copied for each member that is added or removed.
 */
class IndexBucket<Entity extends Identified> {
  #list: readonly Entity[] | undefined;
  #byId: Map<string, Entity> | undefined;

  constructor(entities: readonly Entity[]) {
    this.#list = entities;
  }

  get list(): readonly Entity[] {
    return (this.#list ??= [...(this.#byId?.values() ?? [])]);
  }

  /** Replaces the entity with the same id, else appends it. */
  put(entity: Entity): void {
    this.#index().set(entity.id, entity);
  }

  remove(id: string): void {
    this.#index().delete(id);
  }

  #index(): Map<string, Entity> {
    this.#byId ??= new Map(this.#list?.map((entity) => [entity.id, entity]));
    this.#list = undefined;
    return this.#byId;
  }
}

/** A decider looked up what was not loaded. The batch is decided again after it is loaded. */
export class MissingLookups extends Error {
  override readonly name = 'MissingLookups';
  constructor(readonly lookups: readonly Lookup[]) {
    const [first] = lookups;
    // Thrown and caught for every group PATCH: no stack trace, which would cost most of the time.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`Not loaded: ${first?.table}.${first?.index}=${first?.key}, ${lookups.length} in all`);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

type AnyEntity = Entities[TableName];
type AnyBucket = IndexBucket<AnyEntity>;
interface AnyIndex {
  readonly keyOf: (entity: AnyEntity) => string | null;
  readonly unique: boolean;
  readonly select?: (key: string, entities: readonly AnyEntity[]) => readonly AnyEntity[];
}

const TABLE_NAMES = Object.keys(TABLES) as TableName[];
// One cast for all tables: the type of TABLES guarantees that an index gets entities of its table.
const INDEXES = Object.fromEntries(
  TABLE_NAMES.map((table) => [table, Object.entries(TABLES[table])]),
) as unknown as Readonly<Record<TableName, readonly (readonly [string, AnyIndex])[]>>;

const indexId = (table: TableName, index: string): string => `${table}.${index}`;

/** Tables with a key that several entities share. */
const LISTED_TABLES = new Set(
  TABLE_NAMES.filter((table) =>
    INDEXES[table].some(([, { unique, select }]) => !unique && !select),
  ),
);

/**
 * Events follow lists, so their order must not depend on what else a batch looked up: a preview looks
 * up more. The store returns a list in this order, which makes the sort a comparison.
 */
const inOrder = (entities: readonly AnyEntity[]): readonly AnyEntity[] =>
  entities.toSorted((one, other) => (one.id < other.id ? -1 : 1));

const PAGE_SELECTORS = new Map(
  TABLE_NAMES.flatMap((table) =>
    INDEXES[table].flatMap(([index, { select }]) =>
      select ? [[indexId(table, index), select] as const] : [],
    ),
  ),
);

/**
 * The entities of a batch with the changes that were accepted so far. Deciders only read it; what
 * they propose is applied after it is accepted. `after` adds a layer that leaves those below
 * unchanged (pipeline-rules.md 5).
 */
export class Workspace implements Facts {
  readonly now: Date;
  readonly seq: number;
  readonly limits: Limits;
  #tenant: Tenant | undefined;
  readonly #parent: Workspace | undefined;
  /** By index, then key: the loaded buckets of this layer. */
  readonly #buckets = new Map<string, Map<string, AnyBucket>>();
  readonly #changes: Change[] = [];
  #changeCount = 0;

  private constructor(
    { now, seq, tenant, limits }: Pick<Facts, 'now' | 'seq' | 'tenant' | 'limits'>,
    parent?: Workspace,
  ) {
    this.now = now;
    this.seq = seq;
    this.limits = limits;
    this.#tenant = tenant;
    this.#parent = parent;
  }

  /** A workspace of what was loaded for these lookups; every other key is "not loaded". */
  static over(
    loaded: Loaded,
    lookups: readonly Lookup[],
    limits: Limits = LIMITS,
  ): Chunked<Workspace> {
    const { now, tenant, version } = loaded;
    return new Workspace({ now, seq: version.seq, tenant, limits }).#add(loaded, lookups);
  }

  /**
   * A layer with what was loaded for more lookups, as of the same version of the tenant. Only for a
   * workspace without changes.
   */
  with(loaded: Loaded, lookups: readonly Lookup[]): Chunked<Workspace> {
    return new Workspace(this, this).#add(loaded, lookups);
  }

  get tenant(): Tenant | undefined {
    return this.#tenant;
  }

  /** The changes of this layer, in order. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  find<T extends TableName>(table: T, index: IndexName<T>, key: string): Entities[T] | undefined {
    return this.list(table, index, key)[0];
  }

  list<T extends TableName>(table: T, index: IndexName<T>, key: string): readonly Entities[T][] {
    const bucket = this.#bucket(indexId(table, index), key);
    if (!bucket) throw new MissingLookups([{ table, index, key } as unknown as Lookup]);
    return bucket.list as readonly Entities[T][];
  }

  require(lookups: readonly Lookup[]): void {
    const missing = lookups.filter((lookup) => !this.isLoaded(lookup));
    if (missing.length > 0) throw new MissingLookups(missing);
  }

  isLoaded({ table, index, key }: Lookup): boolean {
    return this.#bucket(indexId(table, index), key) !== undefined;
  }

  after(changes: readonly Change[]): Workspace {
    const fork = new Workspace(this, this);
    fork.apply(changes);
    return fork;
  }

  /** Without changes of the tenant, which are one row however many there are. */
  get changeCount(): number {
    return this.#changeCount + (this.#parent?.changeCount ?? 0);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#changes.push(change);
      if (change.table === 'tenant') this.#tenant = change.after ?? undefined;
      else {
        this.#changeCount += 1;
        this.#replace(change.table, change.before, change.after);
      }
    }
  }

  *#add({ entities }: Loaded, lookups: readonly Lookup[]): Chunked<this> {
    yield* each(lookups, ({ table, index, key }) => this.#set(indexId(table, index), key, []));
    for (const table of TABLE_NAMES) {
      const loaded: readonly AnyEntity[] = entities[table] ?? [];
      const ordered = LISTED_TABLES.has(table) ? inOrder(loaded) : loaded;
      yield* each(ordered, (entity) => this.#index(table, entity));
    }
    yield* each(lookups, ({ table, index, key }) => {
      const select = PAGE_SELECTORS.get(indexId(table, index));
      if (select) this.#set(indexId(table, index), key, select(key, entities[table] ?? []));
    });
    return this;
  }

  #bucket(index: string, key: string): AnyBucket | undefined {
    const bucket = this.#buckets.get(index)?.get(key);
    return bucket ?? (this.#parent ? this.#parent.#bucket(index, key) : undefined);
  }

  #set(index: string, key: string, entities: readonly AnyEntity[]): AnyBucket {
    const bucket = new IndexBucket(entities);
    const byKey = this.#buckets.get(index);
    if (byKey) byKey.set(key, bucket);
    else this.#buckets.set(index, new Map([[key, bucket]]));
    return bucket;
  }

  /** A bucket that this layer may change: its own, or a copy of the one below. */
  #writableBucket(index: string, key: string): AnyBucket | undefined {
    const bucket = this.#buckets.get(index)?.get(key);
    if (bucket || !this.#parent) return bucket;
    const below = this.#parent.#bucket(index, key);
    return below && this.#set(index, key, below.list);
  }

  /**
   * Adds a loaded entity under all its unique keys. Under a shared key it is added only if this layer
   * looked the key up: layers below have loaded their keys completely.
   */
  #index(table: TableName, entity: AnyEntity): void {
    for (const [name, { keyOf, unique }] of INDEXES[table]) {
      const key = keyOf(entity);
      if (key === null) continue;
      const index = indexId(table, name);
      if (unique) this.#set(index, key, [entity]);
      else this.#buckets.get(index)?.get(key)?.put(entity);
    }
  }

  #replace(table: TableName, before: AnyEntity | null, after: AnyEntity | null): void {
    for (const [name, { keyOf, unique }] of INDEXES[table]) {
      const index = indexId(table, name);
      const [from, to] = [before && keyOf(before), after && keyOf(after)];
      if (unique) {
        if (from !== null && from !== to) this.#set(index, from, []);
        if (after && to !== null) this.#set(index, to, [after]);
        continue;
      }
      if (before && from !== null && from !== to)
        this.#writableBucket(index, from)?.remove(before.id);
      if (after && to !== null) this.#writableBucket(index, to)?.put(after);
    }
  }
}

/** The net of many changes: at most one per entity, from its first state to its last. */
export const netOf = function* (changes: readonly Change[]): Chunked<readonly Change[]> {
  const net = new Map<string, Change>();
  yield* each(changes, (change) => {
    const entity = change.after ?? change.before;
    const name = `${change.table}:${entity?.id ?? ''}`;
    const earlier = net.get(name);
    // Both are changes of the same entity, so their types match.
    net.set(name, (earlier ? { ...change, before: earlier.before } : change) as Change);
  });
  return [...net.values()].filter(({ before, after }) => before !== null || after !== null);
};
