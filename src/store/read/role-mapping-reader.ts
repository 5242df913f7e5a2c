import type {
  RoleMappingReader,
  RoleReader,
  GroupView,
  GroupViewReader,
} from '../../ports/rooms.js';
import { nameKey } from '../../domain/kernel/names.js';
import { guarded } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { groupCodec, roleMappingCodec, type GroupDocument } from '../tables/groups.js';
import { roomCodec } from '../tables/rooms.js';
import { readSorted } from './find-page.js';
import { readCounter } from './tenant-readers.js';
import { rosterOf } from '../../domain/group/group.js';
import type { RoomId, TenantId } from '../../domain/kernel/ids.js';
import { pageOfMembers, rolesOf } from './room-members.js';
import { hasName } from './similar-names.js';

export const mongoRoleMappingReader = (collections: Collections): RoleMappingReader =>
  guarded<RoleMappingReader>({
    named: async (tenantId, names) => {
      const { roleMappings, groups, rooms } = collections;
      const folded = names.map(nameKey);
      const options = { batchSize: 2 * folded.length + 1 };
      const [mappings, foundGroups, roomsByName] = await Promise.all([
        roleMappings
          .find({ tenant: tenantId, 'folded.groupDisplayName': { $in: folded } }, options)
          .toArray(),
        groups.find({ tenant: tenantId, 'folded.displayName': { $in: folded } }, options).toArray(),
        rooms.find({ tenant: tenantId, 'folded.name': { $in: folded } }, options).toArray(),
      ]);
      const roomIds = foundGroups.flatMap(({ room }) => room ?? []);
      const named = roomsByName.map(({ _id }) => _id);
      // A room of one of these names may have a group of another name.
      const [roomsOfGroups, groupsOfRooms] = await Promise.all([
        rooms.find({ _id: { $in: roomIds }, tenant: tenantId }, options).toArray(),
        groups.find({ tenant: tenantId, roster: { $in: named } }, options).toArray(),
      ]);
      const byId = <Document extends { readonly _id: string }>(documents: readonly Document[]) => [
        ...new Map(documents.map((document) => [document._id, document])).values(),
      ];
      return {
        mappings: mappings.map(roleMappingCodec.fromDocument),
        groups: byId([...foundGroups, ...groupsOfRooms]).map(groupCodec.fromDocument),
        rooms: byId([...roomsByName, ...roomsOfGroups]).map(roomCodec.fromDocument),
      };
    },
    find: async (tenantId, id) => {
      const found = await collections.roleMappings.findOne({ _id: id, tenant: tenantId });
      return found ? roleMappingCodec.fromDocument(found) : undefined;
    },
    page: async (tenantId, { groupDisplayName: name, ...page }) => {
      const named = name === undefined ? {} : { 'folded.groupDisplayName': nameKey(name) };
      const { found, total } = await readSorted(
        collections.roleMappings,
        { tenant: tenantId, ...named },
        page,
        {
          countAll:
            name === undefined
              ? () => readCounter(collections, tenantId, 'roleMappingCount')
              : undefined,
        },
      );
      return { mappings: found.map(roleMappingCodec.fromDocument), total };
    },
  });

/** Users with another role than the default one that are counted at most: about 0.1 s. */
const MAX_COUNTED = 100_000;

const compare = (one: string, other: string): number => {
  if (one === other) return 0;
  return one < other ? -1 : 1;
};

export const mongoRoleReader = (collections: Collections): RoleReader =>
  guarded<RoleReader>({
    names: async ({ id, defaultRole }) => {
      const mapped = await collections.roleMappings.distinct('role', { tenant: id, applies: true });
      return [...new Set([defaultRole, ...mapped])].sort(compare);
    },
    counts: async ({ id, defaultRole }, names) => {
      // By the index of roles alone. Most users have the default role, which is not stored.
      const counted = await collections.users
        .aggregate<{ readonly _id: string; readonly users: number }>([
          { $match: { tenant: id, role: { $gt: '' } } },
          { $project: { _id: 0, role: 1 } },
          { $limit: MAX_COUNTED },
          { $group: { _id: '$role', users: { $sum: 1 } } },
        ])
        .toArray();
      const total = counted.reduce((sum, { users }) => sum + users, 0);
      if (total >= MAX_COUNTED) return new Map();
      const byName = new Map(counted.map(({ _id, users }) => [_id, users]));
      const all = await readCounter(collections, id, 'userCount');
      const byDefault = Math.max(0, all - total);
      return new Map(
        names.map((name) => [
          name,
          (byName.get(name) ?? 0) + (name === defaultRole ? byDefault : 0),
        ]),
      );
    },
  });

const SORTED_BY = {
  name: 'folded.displayName',
  created: 'createdAt',
  updated: 'updatedAt',
} as const;

/** Each has an index. */
const orderOfGroups = ({
  by,
  descending,
}: {
  readonly by: keyof typeof SORTED_BY;
  readonly descending: boolean;
}): Readonly<Record<string, 1 | -1>> => {
  const direction = descending ? -1 : 1;
  const field = SORTED_BY[by];
  return by === 'name' ? { [field]: direction } : { [field]: direction, _id: direction };
};

/** Reads of SCIM groups with their roles, within one tenant. */
export const mongoGroupViewReader = (collections: Collections): GroupViewReader => {
  const { groups } = collections;

  const view = async (
    tenantId: TenantId,
    found: readonly GroupDocument[],
  ): Promise<readonly GroupView[]> => {
    const roles = await rolesOf(collections, tenantId, found);
    return found.map((document) => ({
      group: groupCodec.fromDocument(document),
      role: roles.get(document.folded.displayName) ?? null,
    }));
  };

  return guarded<GroupViewReader>({
    find: async (tenantId, id) => {
      const found = await groups.findOne({ _id: id, tenant: tenantId });
      return found ? (await view(tenantId, [found]))[0] : undefined;
    },
    page: async (tenantId, { displayName, externalId, search, sort, ...page }) => {
      const isAll = [displayName, externalId, search].every((one) => one === undefined);
      const { found, total } = await readSorted(
        groups,
        {
          tenant: tenantId,
          ...(displayName === undefined ? {} : { 'folded.displayName': nameKey(displayName) }),
          ...(externalId === undefined ? {} : { externalId }),
          ...(search === undefined ? {} : hasName('folded.displayName', search)),
        },
        page,
        {
          countAll: isAll ? () => readCounter(collections, tenantId, 'groupCount') : undefined,
          sort: sort && orderOfGroups(sort),
        },
      );
      return { groups: await view(tenantId, found), total };
    },
    memberPage: async (tenantId, id, page) => {
      const found = await groups.findOne({ _id: id, tenant: tenantId });
      if (!found) return undefined;
      const group = groupCodec.fromDocument(found);
      // Rosters of rooms and of role-only groups are read in the same way.
      const roster = rosterOf(group) as RoomId;
      const members = await pageOfMembers(collections, tenantId, roster, page);
      return { members, total: group.memberCount };
    },
  });
};
