import type {
  RoleMappingReader,
  RoleReader,
  GroupConditions,
  GroupView,
  GroupViewReader,
  NamedDirectory,
} from '../../ports/rooms.js';
import { nameKey } from '../../domain/kernel/names.js';
import { guarded } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { groupTable, roleMappingTable, type GroupDocument } from '../tables/groups.js';
import { entitiesOf, type Entities } from './entities.js';
import { mongoEntityReader } from './entity-reader.js';
import { readCounter } from './tenant-readers.js';
import { rosterOf } from '../../domain/group/group.js';
import type { GroupId, RoomId, TenantId } from '../../domain/kernel/ids.js';
import { pageOfMembers, rolesOf } from './room-members.js';
import { hasName } from './similar-names.js';

/** Everything that decides the role and rooms of a user in groups with these names. */
const readNamed = async (
  { rooms, groups, roleMappings }: Entities,
  tenantId: TenantId,
  names: readonly string[],
): Promise<NamedDirectory> => {
  const folded = { $in: names.map(nameKey) };
  const [mappings, foundGroups, foundRooms] = await Promise.all([
    roleMappings.all(tenantId, { 'folded.groupDisplayName': folded }),
    groups.all(tenantId, { 'folded.displayName': folded }),
    rooms.all(tenantId, { 'folded.name': folded }),
  ]);
  // A room of one of these names may have a group of another name.
  const [roomsOfGroups, groupsOfRooms] = await Promise.all([
    rooms.all(tenantId, { _id: { $in: foundGroups.flatMap(({ roomId }) => roomId ?? []) } }),
    groups.all(tenantId, { roster: { $in: foundRooms.map(({ id }) => id) } }),
  ]);
  const unique = <Entity extends { readonly id: string }>(entities: readonly Entity[]) => [
    ...new Map(entities.map((entity) => [entity.id, entity])).values(),
  ];
  return {
    mappings,
    groups: unique([...foundGroups, ...groupsOfRooms]),
    rooms: unique([...foundRooms, ...roomsOfGroups]),
  };
};

export const mongoRoleMappingReader = (collections: Collections): RoleMappingReader => {
  const entities = entitiesOf(collections);
  return guarded<RoleMappingReader>({
    ...mongoEntityReader({
      collection: collections.roleMappings,
      present: (documents) => documents.map(roleMappingTable.fromDocument),
      conditionsOf: ({ groupDisplayName: name }) =>
        name === undefined ? {} : { 'folded.groupDisplayName': nameKey(name) },
      count: (tenantId) => readCounter(collections, tenantId, 'roleMappingCount'),
    }),
    named: (tenantId, names) => readNamed(entities, tenantId, names),
  });
};

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
}: NonNullable<GroupConditions['sort']>): Readonly<Record<string, 1 | -1>> => {
  const direction = descending ? -1 : 1;
  const field = SORTED_BY[by];
  return by === 'name' ? { [field]: direction } : { [field]: direction, _id: direction };
};

/** Reads of SCIM groups with their roles, within one tenant. */
export const mongoGroupViewReader = (collections: Collections): GroupViewReader => {
  const { groups } = collections;

  const present = async (found: readonly GroupDocument[], tenantId: TenantId) => {
    const roles = await rolesOf(collections, tenantId, found);
    return found.map((document) => ({
      group: groupTable.fromDocument(document),
      role: roles.get(document.folded.displayName) ?? null,
    }));
  };

  return guarded<GroupViewReader>({
    ...mongoEntityReader<GroupId, GroupView, GroupDocument, GroupConditions>({
      collection: groups,
      present,
      conditionsOf: ({ displayName, externalId, search }) => ({
        ...(displayName === undefined ? {} : { 'folded.displayName': nameKey(displayName) }),
        ...(externalId === undefined ? {} : { externalId }),
        ...(search === undefined ? {} : hasName('folded.displayName', search)),
      }),
      sortOf: ({ sort }) => sort && orderOfGroups(sort),
      count: (tenantId) => readCounter(collections, tenantId, 'groupCount'),
    }),
    memberPage: async (tenantId, id, page) => {
      const found = await groups.findOne({ _id: id, tenant: tenantId });
      if (!found) return undefined;
      const group = groupTable.fromDocument(found);
      // Rosters of rooms and of role-only groups are read in the same way.
      const roster = rosterOf(group) as RoomId;
      const items = await pageOfMembers(collections, tenantId, roster, page);
      return { items, total: group.memberCount };
    },
  });
};
