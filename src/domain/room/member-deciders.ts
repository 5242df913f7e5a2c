import type { CommandOf, Commands, MemberCounts } from '../commands.js';
import { type Decider, type Facts, unchanged, type Decision } from '../kernel/decider.js';
import type { RoomId, UserId } from '../kernel/ids.js';
import { each, mapped, type Chunked } from '../kernel/chunked.js';
import type { RosterEntry } from '../job/job.js';
import { raise, type RefusalDetail } from '../kernel/refusals.js';
import { requireEntity } from '../kernel/requirements.js';
import { type Membership, membershipIdOf } from './room.js';
import type { Lookup } from '../tables.js';
import { findMissingUsers } from '../user/user-rules.js';
import { changeMembers, changeRoster } from './change-members.js';
import { ownerLookups, ownerOf, requireNoJob } from './roster.js';

type MemberCommand = CommandOf<'member.add' | 'member.update' | 'member.remove'>;

const lookupsOf = ({ roomId, userId }: MemberCommand): readonly Lookup[] => [
  ...ownerLookups(roomId),
  { table: 'users', index: 'id', key: userId },
  { table: 'memberships', index: 'id', key: membershipIdOf(roomId, userId) },
];

const findMembership = (facts: Facts, roomId: RoomId, userId: UserId): Membership | undefined =>
  facts.find('memberships', 'id', membershipIdOf(roomId, userId));

/** That the members of the room can be changed now. */
const requireChangeable = (
  facts: Facts,
  { roomId, ifMatch }: Pick<MemberCommand, 'roomId' | 'ifMatch'>,
): void => {
  const owner = ownerOf(facts, roomId);
  requireEntity(owner.room, 'ROOM_NOT_FOUND', ifMatch);
  requireNoJob(owner);
};

const requireMembership = (facts: Facts, { roomId, userId }: MemberCommand): Membership =>
  findMembership(facts, roomId, userId) ?? raise('MEMBER_NOT_FOUND');

/** Changes one member; the result is the membership afterwards. */
const changeOne = (
  facts: Facts,
  command: MemberCommand,
  entry: Omit<RosterEntry, 'userId'>,
): Decision<Membership> => {
  const { roomId, userId } = command;
  const effect = changeMembers(facts, roomId, [{ userId, ...entry }]);
  return { ...effect, result: requireMembership(facts.after(effect.changes), command) };
};

export const addMember: Decider<'member.add'> = {
  lookups: lookupsOf,
  decide: ({ command }, facts) => {
    const { roomId, userId, txPermission } = command;
    requireChangeable(facts, command);
    if (!facts.find('users', 'id', userId)) return raise('USER_NOT_FOUND');
    if (findMembership(facts, roomId, userId)) return raise('MEMBER_EXISTS');
    return changeOne(facts, command, { action: 'join', txPermission });
  },
  recall: ({ roomId, userId }, facts) => findMembership(facts, roomId, userId),
};

export const updateMember: Decider<'member.update'> = {
  lookups: lookupsOf,
  decide: ({ command }, facts) => {
    const { txPermission } = command;
    requireChangeable(facts, command);
    const before = requireMembership(facts, command);
    return before.txPermission === txPermission
      ? unchanged(before)
      : changeOne(facts, command, { action: 'set', txPermission });
  },
  recall: ({ roomId, userId }, facts) => findMembership(facts, roomId, userId),
};

export const removeMember: Decider<'member.remove'> = {
  lookups: lookupsOf,
  decide: ({ command }, facts) => {
    const { roomId, userId } = command;
    requireChangeable(facts, command);
    const { txPermission } = requireMembership(facts, command);
    const effect = changeMembers(facts, roomId, [{ userId, action: 'leave', txPermission }]);
    return { ...effect, result: null };
  },
  recall: () => null,
};

type WantedMembers = Commands['member.sync']['members'];

/** Duplicate and unknown users. */
const invalidEntries = function* (
  members: WantedMembers,
  missing: ReadonlySet<UserId>,
): Chunked<readonly RefusalDetail[]> {
  const seen = new Set<UserId>();
  const details: RefusalDetail[] = [];
  yield* each(members, ({ userId }, at) => {
    const path = `members[${at}].user_id`;
    if (seen.has(userId)) details.push({ path, message: 'is given twice' });
    else if (missing.has(userId)) details.push({ path, message: `no user has the id ${userId}` });
    seen.add(userId);
  });
  return details;
};

/** The entries that turn the current list into the wanted one, without unchanged members. */
const differenceOf = function* (
  current: readonly Membership[],
  wanted: WantedMembers,
): Chunked<readonly RosterEntry[]> {
  const before = new Map<UserId, Membership>();
  yield* each(current, (member) => before.set(member.userId, member));
  const entries: RosterEntry[] = [];
  yield* each(wanted, ({ userId, txPermission }) => {
    const member = before.get(userId);
    before.delete(userId);
    if (!member) entries.push({ userId, action: 'join', txPermission: txPermission ?? false });
    else if (txPermission !== undefined && txPermission !== member.txPermission)
      entries.push({ userId, action: 'set', txPermission });
  });
  yield* each(before.values(), ({ userId, txPermission }) =>
    entries.push({ userId, action: 'leave', txPermission }),
  );
  return entries;
};

const countsOf = (entries: readonly RosterEntry[]): MemberCounts => {
  const count = (wanted: RosterEntry['action']): number =>
    entries.filter(({ action }) => action === wanted).length;
  return { added: count('join'), updated: count('set'), removed: count('leave') };
};

/** All or nothing. The counts are exact, whether or not a job is needed (decisions.md 5). */
export const syncMembers: Decider<'member.sync'> = {
  lookups: ({ roomId }) => [
    ...ownerLookups(roomId),
    { table: 'memberships', index: 'roster', key: roomId },
  ],
  decide: function* (envelope, facts) {
    const { roomId, members } = envelope.command;
    requireChangeable(facts, envelope.command);
    const current = facts.list('memberships', 'roster', roomId);
    const wanted = yield* mapped(members, ({ userId }) => userId);
    const missing = yield* findMissingUsers(facts, { wanted, present: current });
    const details = yield* invalidEntries(members, missing);
    if (details.length > 0)
      raise('INVALID_REQUEST', 'The list of members is not valid; see details.', { details });
    const entries = yield* differenceOf(current, members);
    const effect = changeRoster(facts, envelope, { rosterId: roomId, entries });
    return { ...effect, result: countsOf(entries) };
  },
};
