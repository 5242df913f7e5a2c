import { beforeAll, expect, it } from 'vitest';
import type { GroupId, RoleMappingId, RoomId, TenantId } from '../../../src/domain/kernel/ids.js';
import type { Change } from '../../../src/domain/tables.js';
import { newId } from '../../../src/pipeline/submit.js';
import { aGroup, aMapping, aRoom } from '../../support/builders.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const database = useDatabase();
let core: PipelineInstance;
beforeAll(async () => {
  core = new PipelineInstance(await database.open());
});

const NAMES = ['Dispatch', 'Night shift'] as const;
const other = (name: string): string => (name === NAMES[0] ? NAMES[1] : NAMES[0]);

/** The changes that create two entities, and those that swap their names. */
interface Swap {
  readonly created: readonly Change[];
  readonly swapped: readonly Change[];
}

const swapOf = <Entity>(
  named: (name: string) => Entity,
  renamed: (entity: Entity) => Entity,
  change: (before: Entity | null, after: Entity) => Change,
): Swap => {
  const two = NAMES.map(named);
  return {
    created: two.map((entity) => change(null, entity)),
    swapped: two.map((entity) => change(entity, renamed(entity))),
  };
};

const SWAPS: Readonly<Record<string, (tenantId: TenantId) => Swap>> = {
  rooms: (tenantId) =>
    swapOf(
      (name) => aRoom({ id: newId<RoomId>(), tenantId, name }),
      (room) => ({ ...room, name: other(room.name) }),
      (before, after) => ({ table: 'rooms', before, after }),
    ),
  groups: (tenantId) =>
    swapOf(
      (displayName) =>
        aGroup({ id: newId<GroupId>(), roomId: newId<RoomId>(), tenantId, displayName }),
      (group) => ({ ...group, displayName: other(group.displayName) }),
      (before, after) => ({ table: 'groups', before, after }),
    ),
  role_mappings: (tenantId) =>
    swapOf(
      (groupDisplayName) => aMapping({ id: newId<RoleMappingId>(), tenantId, groupDisplayName }),
      (mapping) => ({ ...mapping, groupDisplayName: other(mapping.groupDisplayName) }),
      (before, after) => ({ table: 'roleMappings', before, after }),
    ),
};

const commit = async (tenantId: TenantId, changes: readonly Change[]): Promise<void> => {
  const { version, now } = await core.store.load(tenantId, []);
  const nothing = { events: [], log: [], logCounts: [] };
  await core.store.commit({ tenantId, version, seqAfter: version.seq, now, changes, ...nothing });
};

it.each(Object.entries(SWAPS))('%s swap names within one commit', async (collection, make) => {
  const { id: tenantId } = await core.createTenant();
  const { created, swapped } = make(tenantId);
  const foldedNames = async () => {
    const stored = await core.collections.database
      .collection<{ _id: string; folded: Readonly<Record<string, string>> }>(collection)
      .find({ tenant: tenantId })
      .toArray();
    return new Map(stored.map(({ _id, folded }) => [_id, Object.values(folded)[0]]));
  };
  await commit(tenantId, created);
  const before = await foldedNames();
  expect([...before.values()].sort()).toEqual(['dispatch', 'night shift']);
  await commit(tenantId, swapped);
  const [one, two] = [...before.keys()];
  expect(await foldedNames()).toEqual(
    new Map([
      [one, before.get(two!)],
      [two, before.get(one!)],
    ]),
  );
});
