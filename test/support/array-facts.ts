import { type Facts, LIMITS, type Limits } from '../../src/domain/kernel/decider.js';
import {
  type Change,
  type Entities,
  type Lookup,
  type TableName,
  TABLES,
} from '../../src/domain/tables.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { NOW } from './builders.js';

/** Entities by table; other tables are empty. */
export type KnownEntities = {
  readonly [T in TableName]?: readonly Entities[T][];
};

type AnyEntity = Entities[TableName];

interface AnyIndex {
  readonly keyOf: (entity: AnyEntity) => string | null;
  readonly select?: (key: string, entities: readonly AnyEntity[]) => readonly AnyEntity[];
}

const lookUp = (known: KnownEntities, { table, index, key }: Lookup): readonly AnyEntity[] => {
  const entities: readonly AnyEntity[] = known[table === 'userIds' ? 'users' : table] ?? [];
  const { keyOf, select } = (TABLES[table] as Readonly<Record<string, AnyIndex>>)[
    index
  ] as AnyIndex;
  return select ? select(key, entities) : entities.filter((entity) => keyOf(entity) === key);
};

const applyChange = (known: KnownEntities, { table, before, after }: Change): KnownEntities => {
  if (table === 'tenant') return known;
  const id = (before ?? after)?.id;
  const rest = (known[table] ?? ([] as readonly AnyEntity[])).filter((entity) => entity.id !== id);
  return { ...known, [table]: after ? [...rest, after] : rest };
};

const tenantAfter = (tenant: Tenant | undefined, changes: readonly Change[]): Tenant | undefined =>
  changes.reduce<Tenant | undefined>(
    (entities, change) => (change.table === 'tenant' ? (change.after ?? undefined) : entities),
    tenant,
  );

interface ArrayFacts {
  readonly known: KnownEntities;
  readonly tenant: Tenant | undefined;
  readonly changeCount?: number;
  readonly limits?: Limits;
}

/** Facts over these entities, as if they were all that the database contains. */
export const factsOver = ({
  known,
  tenant,
  changeCount = 0,
  limits = LIMITS,
}: ArrayFacts): Facts => {
  const list: Facts['list'] = (table, index, key) =>
    lookUp(known, { table, index, key } as unknown as Lookup) as never;
  return {
    now: NOW,
    seq: 0,
    tenant,
    changeCount,
    limits,
    list,
    find: (table, index, key) => list(table, index, key)[0],
    require: () => undefined,
    isLoaded: () => true,
    after: (changes) =>
      factsOver({
        known: changes.reduce(applyChange, known),
        tenant: tenantAfter(tenant, changes),
        changeCount: changeCount + changes.filter(({ table }) => table !== 'tenant').length,
        limits,
      }),
  };
};
