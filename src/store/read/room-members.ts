import type { RoomView } from '../../domain/commands.js';
import type { TenantId, RoomId, UserId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';
import { type GroupDocument, groupTable } from '../tables/groups.js';
import { type RoomDocument, roomTable, type MembershipDocument } from '../tables/rooms.js';
import type { RoomMember } from '../../ports/rooms.js';
import { displayNameOf } from '../../domain/user/user.js';
import { guardRead } from '../database-errors.js';
import type { UserDocument } from '../tables/users.js';
import { readDocuments } from '../read-documents.js';

/** In one response: by default the database would return 101 and wait for the next request. */
const SINGLE_BATCH = { batchSize: 1_000 };

/** The roles of groups with these (folded) names, from mappings that apply. */
export const rolesOf = async (
  { roleMappings }: Collections,
  tenantId: TenantId,
  groups: readonly GroupDocument[],
): Promise<ReadonlyMap<string, string>> => {
  if (groups.length === 0) return new Map();
  const names = groups.map(({ folded }) => folded.displayName);
  const applying = await roleMappings
    .find(
      { tenant: tenantId, 'folded.groupDisplayName': { $in: names }, applies: true },
      SINGLE_BATCH,
    )
    .toArray();
  return new Map(applying.map(({ folded, role }) => [folded.groupDisplayName, role]));
};

/**
 * Rooms with their mappings and roles, in the given order: three queries for any number of rooms.
 */
export const viewRooms = async (
  collections: Collections,
  tenantId: TenantId,
  rooms: readonly RoomDocument[],
): Promise<readonly RoomView[]> => {
  if (rooms.length === 0) return [];
  const groups = await collections.groups
    .find({ tenant: tenantId, roster: { $in: rooms.map(({ _id }) => _id) } }, SINGLE_BATCH)
    .toArray();
  const roles = await rolesOf(collections, tenantId, groups);
  const byRoom = new Map(groups.map((group) => [group.roster, group]));
  return rooms.map((room) => {
    const group = byRoom.get(room._id);
    return {
      room: roomTable.fromDocument(room),
      group: group ? groupTable.fromDocument(group) : null,
      role: (group && roles.get(group.folded.displayName)) ?? null,
    };
  });
};

/** The fields of a user in a list of members. */
const MEMBER_FIELDS = {
  email: 1,
  'profile.userName': 1,
  'profile.displayName': 1,
  'profile.name': 1,
  'profile.active': 1,
} as const;

/** A whole batch or page in one response: by default the database would return 101 and wait. */
const BATCH_SIZE = 1_000;

type MemberUser = Pick<UserDocument, '_id' | 'email' | 'profile'>;

const memberOf = (
  { user, tx, addedAt }: MembershipDocument,
  memberUser: MemberUser,
): RoomMember => ({
  userId: user as UserId,
  txPermission: tx,
  email: memberUser.email,
  displayName: displayNameOf(memberUser.profile),
  active: memberUser.profile.active,
  addedAt,
});

/** A member whose user has just been deleted is left out. */
const joinUsers = async (
  { users }: Collections,
  tenantId: TenantId,
  memberships: readonly MembershipDocument[],
): Promise<readonly RoomMember[]> => {
  const ids = memberships.map(({ user }) => user);
  const found = await readDocuments(
    users.find(
      { _id: { $in: ids }, tenant: tenantId },
      { projection: MEMBER_FIELDS, batchSize: BATCH_SIZE },
    ),
    tenantId,
  );
  const byId = new Map(found.map((user) => [user._id, user]));
  return memberships.flatMap((membership) => {
    const user = byId.get(membership.user);
    return user ? [memberOf(membership, user)] : [];
  });
};

interface Part {
  /** The user before the first; empty: start at the beginning. */
  readonly after: string;
  readonly skip: number;
  readonly limit: number;
}

const readPart = async (
  collections: Collections,
  tenantId: TenantId,
  roomId: RoomId,
  { after, skip, limit }: Part,
): Promise<{ readonly members: readonly RoomMember[]; readonly last: string | undefined }> => {
  const memberships = await readDocuments(
    collections.memberships
      .find({ tenant: tenantId, roster: roomId, user: { $gt: after } })
      .sort({ user: 1 })
      .skip(skip)
      .limit(limit)
      .batchSize(BATCH_SIZE),
    tenantId,
  );
  const members = await joinUsers(collections, tenantId, memberships);
  return { members, last: memberships.length < limit ? undefined : memberships.at(-1)?.user };
};

export const pageOfMembers = async (
  collections: Collections,
  tenantId: TenantId,
  roomId: RoomId,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly RoomMember[]> => {
  const part = { after: '', skip: offset, limit };
  return (await readPart(collections, tenantId, roomId, part)).members;
};

/** A few milliseconds of work. */
const BATCH = 100;

/**
 * All members from an offset on. Each batch is a query that starts where the last one ended:
 * however slowly the members are read, no cursor stays open in the database.
 */
export const streamMembers = async function* (
  collections: Collections,
  tenantId: TenantId,
  roomId: RoomId,
  offset: number,
): AsyncGenerator<RoomMember> {
  let part: Part | undefined = { after: '', skip: offset, limit: BATCH };
  while (part) {
    const requested: Part = part;
    const { members, last } = await guardRead(() =>
      readPart(collections, tenantId, roomId, requested),
    );
    yield* members;
    part = last === undefined ? undefined : { after: last, skip: 0, limit: BATCH };
  }
};
