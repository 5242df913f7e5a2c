import { isDeepStrictEqual } from 'node:util';
import type { DomainEvent } from '../../src/domain/events.js';
import type { CommandId, TenantId } from '../../src/domain/kernel/ids.js';
import {
  type Change,
  type Entities,
  type Lookup,
  type TableName,
  TABLES,
} from '../../src/domain/tables.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import {
  type CommandLogEntry,
  CommitConflict,
  type CommitPlan,
  type CommitStore,
  type Loaded,
} from '../../src/pipeline/commit-store.js';
import { NOW } from './builders.js';

type AnyEntity = Entities[TableName];

interface AnyIndex {
  readonly keyOf: (entity: AnyEntity) => string | null;
  readonly unique: boolean;
  readonly select?: (key: string, entities: readonly AnyEntity[]) => readonly AnyEntity[];
}

const TABLE_NAMES = Object.keys(TABLES) as TableName[];
const indexesOf = (table: TableName) => TABLES[table] as Readonly<Record<string, AnyIndex>>;

/**
 * A store in memory for one tenant. Stricter than the real one: it checks that each change starts
 * from the stored entity, that unique keys are unique, and that the event sequence has no gap.
 */
export class MemoryCommitStore implements CommitStore {
  tenant: Tenant | undefined;
  version = { v: 0, seq: 0, nextOrdinal: 0 };
  readonly events: DomainEvent[] = [];
  readonly entries = new Map<CommandId, CommandLogEntry>();
  readonly #tables = new Map<TableName, Map<string, AnyEntity>>();

  all<T extends TableName>(table: T): readonly Entities[T][] {
    return [...this.#table(table).values()] as unknown as readonly Entities[T][];
  }

  /** A copy of the whole state, to check that a preview does not change it. */
  dump(): object {
    const { tenant, version, events } = this;
    const tables = Object.fromEntries(
      TABLE_NAMES.map((table) => [table, [...this.#table(table).values()]]),
    );
    return structuredClone({ tenant, version, events, tables, log: [...this.entries.values()] });
  }

  readonly load = (_tenantId: TenantId, needs: readonly Lookup[]): Promise<Loaded> => {
    const found = new Map<TableName, Map<string, AnyEntity>>();
    for (const need of needs) {
      const known = found.get(need.table) ?? new Map<string, AnyEntity>();
      for (const entity of this.#answer(need)) known.set(entity.id, entity);
      found.set(need.table, known);
    }
    return Promise.resolve({
      tenant: this.tenant,
      version: this.version,
      now: new Date(NOW.getTime() + this.version.v),
      entities: Object.fromEntries([...found].map(([table, held]) => [table, [...held.values()]])),
    });
  };

  readonly commit = (plan: CommitPlan): Promise<void> => {
    if (plan.version.v !== this.version.v) return Promise.reject(new CommitConflict());
    for (const change of plan.changes) this.#apply(change);
    for (const table of TABLE_NAMES) this.#requireUnique(table);
    for (const event of plan.events) {
      this.events.push(event);
      if (event.seq !== this.events.length)
        throw new Error(`The event sequence has a gap before ${event.seq}.`);
    }
    if (plan.seqAfter !== this.events.length)
      throw new Error('The sequence number differs from the number of events.');
    for (const entry of plan.log) this.entries.set(entry.id, entry);
    for (const { id, affected, changes } of plan.logCounts) {
      const entry = this.entries.get(id);
      if (!entry) continue;
      const affectedCount = entry.affectedCount + affected;
      this.entries.set(id, { ...entry, affectedCount, changeCount: entry.changeCount + changes });
    }
    this.version = { v: this.version.v + 1, seq: plan.seqAfter, nextOrdinal: 0 };
    return Promise.resolve();
  };

  readonly isAt: CommitStore['isAt'] = (_tenantId, { v }) => Promise.resolve(v === this.version.v);
  readonly findCommitted: CommitStore['findCommitted'] = (_tenantId, ids) =>
    Promise.resolve(
      new Map(
        ids.flatMap((id) => {
          const entry = this.entries.get(id);
          return entry ? [[id, entry] as const] : [];
        }),
      ),
    );
  readonly requestPriorityLock = (): Promise<void> => Promise.resolve();
  readonly releasePriorityLock = (): Promise<void> => Promise.resolve();
  readonly log = (): Promise<void> => Promise.resolve();
  readonly findAbandonedJobs: CommitStore['findAbandonedJobs'] = () =>
    Promise.resolve(this.all('jobs').filter(({ finishedAt }) => finishedAt === null));

  #table(table: TableName): Map<string, AnyEntity> {
    const name = table === 'userIds' ? 'users' : table;
    const held = this.#tables.get(name) ?? new Map<string, AnyEntity>();
    this.#tables.set(name, held);
    return held;
  }

  #answer({ table, index, key }: Lookup): readonly AnyEntity[] {
    const { keyOf, select } = indexesOf(table)[index] as AnyIndex;
    const held = [...this.#table(table).values()];
    return select ? select(key, held) : held.filter((entity) => keyOf(entity) === key);
  }

  #apply(change: Change): void {
    const { table, before, after } = change;
    const stored = table === 'tenant' ? this.tenant : this.#stored(change);
    if (!isDeepStrictEqual(stored ?? null, before))
      throw new Error(`A change of ${table} does not start from the stored entity.`);
    if (table === 'tenant') this.tenant = after ?? undefined;
    else if (after) this.#table(table).set(after.id, after);
    else if (before) this.#table(table).delete(before.id);
  }

  #stored({ table, before, after }: Exclude<Change, { readonly table: 'tenant' }>) {
    return this.#table(table).get((before ?? after)?.id ?? '');
  }

  #requireUnique(table: TableName): void {
    for (const [name, { keyOf, unique }] of Object.entries(indexesOf(table))) {
      const keys = [...this.#table(table).values()].flatMap((entity) => keyOf(entity) ?? []);
      if (unique && new Set(keys).size !== keys.length)
        throw new Error(`Two entities of ${table} have the same ${name}.`);
    }
  }
}
