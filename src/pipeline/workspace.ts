import {
  type Change,
  type Entities,
  type IndexName,
  type Need,
  type TableName,
  TABLES,
} from '../domain/tables.js';
import type { Facts } from '../domain/decide/decider.js';
import { each, type Pieces } from '../domain/in-pieces.js';
import { type Limits, LIMITS } from '../domain/decide/limits.js';
import type { Tenant } from '../domain/tenant.js';
import type { Loaded } from './commit-store.js';
import { Shelf } from './shelf.js';

/** A decider asked for what was not loaded: load it and decide the batch again from the start. */
export class NeedMore extends Error {
  override readonly name = 'NeedMore';
  constructor(readonly needs: readonly Need[]) {
    const [first] = needs;
    // Thrown by every group PATCH, and caught at once: nobody reads where from.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`Not loaded: ${first?.table}.${first?.index}=${first?.key}, ${needs.length} in all`);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

type AnyEntity = Entities[TableName];
interface AnyIndex {
  readonly keyOf: (entity: AnyEntity) => string | null;
  readonly unique: boolean;
  readonly select?: (key: string, entities: readonly AnyEntity[]) => readonly AnyEntity[];
}

const TABLE_NAMES = Object.keys(TABLES) as TableName[];
// One cast for all tables: the keys of TABLES guarantee that an index only meets its own entities.
const INDEXES = Object.fromEntries(
  TABLE_NAMES.map((table) => [table, Object.entries(TABLES[table])]),
) as unknown as Readonly<Record<TableName, readonly (readonly [string, AnyIndex])[]>>;

/** One set of answers: for each index, what stands under each key that is known. */
type Answers = Map<string, Map<string, Shelf<AnyEntity>>>;

const placeOf = (table: TableName, index: string): string => `${table}.${index}`;

const PAGES = new Map(
  TABLE_NAMES.flatMap((table) =>
    INDEXES[table].flatMap(([index, { select }]) =>
      select ? [[placeOf(table, index), select] as const] : [],
    ),
  ),
);

/**
 * What a batch knows and what it has decided so far: the loaded facts below, on top of them a layer
 * for each "what if" of a decider. Deciders only read; what they propose is applied here once it is
 * accepted, and a layer touches nothing below it (pipeline-rules.md 5).
 */
export class Workspace implements Facts {
  readonly now: Date;
  readonly limits: Limits;
  #tenant: Tenant | undefined;
  readonly #parent: Workspace | undefined;
  readonly #answers: Answers = new Map();
  readonly #changes: Change[] = [];
  #changed = 0;

  private constructor(
    { now, tenant, limits }: Pick<Facts, 'now' | 'tenant' | 'limits'>,
    parent?: Workspace,
  ) {
    this.now = now;
    this.limits = limits;
    this.#tenant = tenant;
    this.#parent = parent;
  }

  /** A workspace over what was loaded for these needs; every other key is "not loaded". */
  static over(loaded: Loaded, needs: readonly Need[], limits: Limits = LIMITS): Pieces<Workspace> {
    const { now, tenant } = loaded;
    return new Workspace({ now, tenant, limits }).#knowing(loaded, needs);
  }

  /**
   * This one, which nothing was applied to, with what was loaded since for more needs, as of the
   * same version of the tenant. It stays as it is.
   */
  with(loaded: Loaded, needs: readonly Need[]): Pieces<Workspace> {
    return new Workspace(this, this).#knowing(loaded, needs);
  }

  get tenant(): Tenant | undefined {
    return this.#tenant;
  }

  /** All that was applied and merged, in order. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  find<T extends TableName>(table: T, index: IndexName<T>, key: string): Entities[T] | undefined {
    return this.list(table, index, key)[0];
  }

  list<T extends TableName>(table: T, index: IndexName<T>, key: string): readonly Entities[T][] {
    const known = this.#known(placeOf(table, index), key);
    if (!known) throw new NeedMore([{ table, index, key } as unknown as Need]);
    return known.list as readonly Entities[T][];
  }

  require(needs: readonly Need[]): void {
    const missing = needs.filter((need) => !this.knows(need));
    if (missing.length > 0) throw new NeedMore(missing);
  }

  knows({ table, index, key }: Need): boolean {
    return this.#known(placeOf(table, index), key) !== undefined;
  }

  after(changes: readonly Change[]): Workspace {
    const fork = new Workspace(this, this);
    fork.apply(changes);
    return fork;
  }

  /** The tenant's own counts are one row, however often they change. */
  get changeCount(): number {
    return this.#changed + (this.#parent?.changeCount ?? 0);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      this.#changes.push(change);
      if (change.table === 'tenant') this.#tenant = change.after ?? undefined;
      else {
        this.#changed += 1;
        this.#replace(change.table, change.before, change.after);
      }
    }
  }

  *#knowing({ entities }: Loaded, needs: readonly Need[]): Pieces<this> {
    yield* each(needs, ({ table, index, key }) => this.#answer(placeOf(table, index), key, []));
    for (const table of TABLE_NAMES)
      yield* each<AnyEntity>(entities[table] ?? [], (entity) => this.#learn(table, entity));
    yield* each(needs, ({ table, index, key }) => {
      const select = PAGES.get(placeOf(table, index));
      if (select) this.#answer(placeOf(table, index), key, select(key, entities[table] ?? []));
    });
    return this;
  }

  #known(place: string, key: string): Shelf<AnyEntity> | undefined {
    const own = this.#answers.get(place)?.get(key);
    return own ?? (this.#parent ? this.#parent.#known(place, key) : undefined);
  }

  #answer(place: string, key: string, entities: readonly AnyEntity[]): Shelf<AnyEntity> {
    const shelf = new Shelf(entities);
    const answers = this.#answers.get(place);
    if (answers) answers.set(key, shelf);
    else this.#answers.set(place, new Map([[key, shelf]]));
    return shelf;
  }

  /** The shelf of this layer, where the key is known: what is below stays as it is. */
  #own(place: string, key: string): Shelf<AnyEntity> | undefined {
    const own = this.#answers.get(place)?.get(key);
    if (own || !this.#parent) return own;
    const below = this.#parent.#known(place, key);
    return below && this.#answer(place, key, below.list);
  }

  /**
   * A loaded entity answers every unique key it stands under; groups only where they were asked for,
   * and only in this layer: those below were asked for, and answered whole, before.
   */
  #learn(table: TableName, entity: AnyEntity): void {
    for (const [index, { keyOf, unique }] of INDEXES[table]) {
      const key = keyOf(entity);
      if (key === null) continue;
      const place = placeOf(table, index);
      if (unique) this.#answer(place, key, [entity]);
      else this.#answers.get(place)?.get(key)?.put(entity);
    }
  }

  #replace(table: TableName, before: AnyEntity | null, after: AnyEntity | null): void {
    for (const [index, { keyOf, unique }] of INDEXES[table]) {
      const place = placeOf(table, index);
      const [from, to] = [before && keyOf(before), after && keyOf(after)];
      if (unique) {
        if (from !== null && from !== to) this.#answer(place, from, []);
        if (after && to !== null) this.#answer(place, to, [after]);
        continue;
      }
      if (before && from !== null && from !== to) this.#own(place, from)?.remove(before.id);
      if (after && to !== null) this.#own(place, to)?.put(after);
    }
  }
}

/** The net of many changes: at most one an entity, from what was loaded to what is left. */
export const netOf = function* (changes: readonly Change[]): Pieces<readonly Change[]> {
  const net = new Map<string, Change>();
  yield* each(changes, (change) => {
    const entity = change.after ?? change.before;
    const name = `${change.table}:${entity?.id ?? ''}`;
    const earlier = net.get(name);
    // Of one table and one entity, so both fit each other.
    net.set(name, (earlier ? { ...change, before: earlier.before } : change) as Change);
  });
  return [...net.values()].filter(({ before, after }) => before !== null || after !== null);
};
