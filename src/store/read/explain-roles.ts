import type { UserRoster } from '../../ports/command-log.js';
import { groupNameKey, rosterOf } from '../../domain/group/group.js';
import { rolesSubject } from '../../domain/job/job.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { mappingNameKey } from '../../domain/role/role-mapping.js';
import type { ExplainParts, ExplainReads } from './explain-history.js';

/** Rooms and groups of a user that are examined. */
const MAX_ROSTERS = 500;
/** Role mappings that are examined for others that could change the role. */
const MAX_MAPPINGS = 100;
const MAX_COMMANDS = 5;

/** The rooms and role-only groups that a user is in; one more than are examined. */
export const rostersOf = async (
  { collections, entities }: ExplainParts,
  tenant: TenantId,
  user: string,
): Promise<readonly UserRoster[]> => {
  const held = await collections.memberships
    .find({ tenant, user }, { projection: { _id: 0, roster: 1 }, batchSize: MAX_ROSTERS + 2 })
    .sort({ roster: 1 })
    .limit(MAX_ROSTERS + 1)
    .toArray();
  const ids = held.map(({ roster }) => roster);
  if (ids.length === 0) return [];
  const [rooms, groups] = await Promise.all([
    entities.rooms.all(tenant, { _id: { $in: ids } }),
    entities.groups.all(tenant, { roster: { $in: ids } }),
  ]);
  const names = { 'folded.groupDisplayName': { $in: groups.map(groupNameKey) } };
  const mappings = await entities.roleMappings.all(tenant, names);
  const roomById = new Map(rooms.map((room) => [room.id as string, room]));
  const groupByRoster = new Map(groups.map((group) => [rosterOf(group) as string, group]));
  const mappingByName = new Map(mappings.map((mapping) => [mappingNameKey(mapping), mapping]));
  return ids.map((id) => {
    const group = groupByRoster.get(id) ?? null;
    const mapping = (group && mappingByName.get(groupNameKey(group))) ?? null;
    return { room: roomById.get(id) ?? null, group, mapping };
  });
};

const otherMappings = async (
  { entities }: ExplainParts,
  tenantId: TenantId,
  held: readonly UserRoster[],
) => {
  const own = new Set(held.flatMap(({ mapping }) => mapping?.id ?? []));
  const oldest = { sort: { createdAt: 1, _id: 1 }, limit: MAX_MAPPINGS } as const;
  const found = await entities.roleMappings.all(tenantId, {}, oldest);
  const others = found.filter(({ id }) => !own.has(id));
  const names = { 'folded.displayName': { $in: others.map(mappingNameKey) } };
  const groups = await entities.groups.all(tenantId, names);
  const byName = new Map(groups.map((group) => [groupNameKey(group), group]));
  return others.map((mapping) => ({
    mapping,
    group: byName.get(mappingNameKey(mapping)) ?? null,
  }));
};

/** Everything that determines a user's role. */
export const readRoleFacts: ExplainReads['role'] = async (parts, tenantId, userId) => {
  const [held, { entries: commands }] = await Promise.all([
    rostersOf(parts, tenantId, userId),
    parts.log.page(tenantId, { touching: [userId], outcome: 'applied', limit: MAX_COMMANDS }),
  ]);
  const rosters = held.slice(0, MAX_ROSTERS);
  const ids = rosters.flatMap(({ room, group }) => room?.id ?? group?.id ?? []);
  const subject = { $in: [null, ...ids].map(rolesSubject) };
  const [others, job] = await Promise.all([
    otherMappings(parts, tenantId, held),
    parts.collections.jobs.findOne({ tenant: tenantId, subject }, { projection: { _id: 1 } }),
  ]);
  const isPartial = held.length > MAX_ROSTERS;
  return { rosters, isPartial, others, isRecomputing: job !== null, commands };
};
