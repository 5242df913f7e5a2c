import type { Facts } from '../../src/domain/decide/decider.js';
import { type Limits, LIMITS } from '../../src/domain/decide/limits.js';
import {
  type Change,
  type Entities,
  type Need,
  type TableName,
  TABLES,
} from '../../src/domain/tables.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { NOW } from './builders.js';

/** Entities by table; a table that is not named has none. */
export type Known = {
  readonly [T in TableName]?: readonly Entities[T][];
};

type AnyEntity = Entities[TableName];

interface AnyIndex {
  readonly keyOf: (entity: AnyEntity) => string | null;
  readonly select?: (key: string, entities: readonly AnyEntity[]) => readonly AnyEntity[];
}

const answer = (known: Known, { table, index, key }: Need): readonly AnyEntity[] => {
  const held: readonly AnyEntity[] = known[table === 'userIds' ? 'users' : table] ?? [];
  const { keyOf, select } = (TABLES[table] as Readonly<Record<string, AnyIndex>>)[
    index
  ] as AnyIndex;
  return select ? select(key, held) : held.filter((entity) => keyOf(entity) === key);
};

const applied = (known: Known, { table, before, after }: Change): Known => {
  if (table === 'tenant') return known;
  const id = (before ?? after)?.id;
  const rest = (known[table] ?? ([] as readonly AnyEntity[])).filter((entity) => entity.id !== id);
  return { ...known, [table]: after ? [...rest, after] : rest };
};

const tenantAfter = (tenant: Tenant | undefined, changes: readonly Change[]): Tenant | undefined =>
  changes.reduce<Tenant | undefined>(
    (held, change) => (change.table === 'tenant' ? (change.after ?? undefined) : held),
    tenant,
  );

interface ArrayFacts {
  readonly known: Known;
  readonly tenant: Tenant | undefined;
  readonly changeCount?: number;
  readonly limits?: Limits;
}

/** Facts that know everything that is given, and that nothing else exists. */
export const factsOver = ({
  known,
  tenant,
  changeCount = 0,
  limits = LIMITS,
}: ArrayFacts): Facts => {
  const list: Facts['list'] = (table, index, key) =>
    answer(known, { table, index, key } as unknown as Need) as never;
  return {
    now: NOW,
    tenant,
    changeCount,
    limits,
    list,
    find: (table, index, key) => list(table, index, key)[0],
    require: () => undefined,
    knows: () => true,
    after: (changes) =>
      factsOver({
        known: changes.reduce(applied, known),
        tenant: tenantAfter(tenant, changes),
        changeCount: changeCount + changes.filter(({ table }) => table !== 'tenant').length,
        limits,
      }),
  };
};
