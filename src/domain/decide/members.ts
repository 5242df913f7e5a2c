import type { Command, MemberCounts, SyncMembers } from '../commands.js';
import type { RoomId, UserId } from '../ids.js';
import { each, mapped, type Pieces } from '../in-pieces.js';
import type { RosterEntry } from '../job.js';
import { type Membership, membershipIdOf } from '../membership.js';
import { type Refusal, refuse, type RefusalDetail } from '../refusals.js';
import type { Need } from '../tables.js';
import { changeMembers } from './change-members.js';
import type { Decider, Facts, Verdict } from './decider.js';
import { changeMembersOf } from './large-change.js';
import { missingUsers } from './missing-users.js';
import { noSuchRoom } from './room-view.js';
import { holderNeeds, holderOf, isBusy, postponed } from './roster.js';
import { noSuchUser, requireVersion, unchanged } from './user-steps.js';

type OnMember = Extract<
  Command,
  { readonly type: 'member.add' | 'member.update' | 'member.remove' }
>;

const needsOfMember = ({ roomId, userId }: OnMember): readonly Need[] => [
  ...holderNeeds(roomId),
  { table: 'users', index: 'id', key: userId },
  { table: 'memberships', index: 'id', key: membershipIdOf(roomId, userId) },
];

const membership = (facts: Facts, roomId: RoomId, userId: UserId): Membership | undefined =>
  facts.find('memberships', 'id', membershipIdOf(roomId, userId));

export const noSuchMember = (): { readonly refusal: Refusal } => ({
  refusal: refuse('MEMBER_NOT_FOUND', 'This user is not a member of the room.'),
});

/** Why no member of the room can be changed now; undefined where one can. */
const obstacle = (facts: Facts, { roomId, ifMatch }: Pick<OnMember, 'roomId' | 'ifMatch'>) => {
  const holder = holderOf(facts, roomId);
  if (!holder.room) return noSuchRoom();
  const refusal = requireVersion(holder.room, ifMatch);
  if (refusal) return { refusal };
  return isBusy(holder) ? postponed() : undefined;
};

/** The change of one member, and the membership that it leaves. */
const changeOne = (
  facts: Facts,
  { roomId, userId }: OnMember,
  entry: Omit<RosterEntry, 'userId'>,
): Verdict<Membership> => {
  const effect = changeMembers(facts, roomId, [{ userId, ...entry }]);
  const left = membership(facts.after(effect.changes), roomId, userId);
  return left ? { ...effect, result: left } : noSuchMember();
};

export const addMember: Decider<'member.add'> = {
  needs: needsOfMember,
  decide: ({ command }, facts) => {
    const { roomId, userId, txPermission } = command;
    const hindered = obstacle(facts, command);
    if (hindered) return hindered;
    if (!facts.find('users', 'id', userId)) return noSuchUser();
    if (membership(facts, roomId, userId))
      return { refusal: refuse('MEMBER_EXISTS', 'This user is a member of the room already.') };
    return changeOne(facts, command, { action: 'join', txPermission });
  },
  recall: ({ roomId, userId }, facts) => membership(facts, roomId, userId),
};

export const updateMember: Decider<'member.update'> = {
  needs: needsOfMember,
  decide: ({ command }, facts) => {
    const { roomId, userId, txPermission } = command;
    const hindered = obstacle(facts, command);
    if (hindered) return hindered;
    const before = membership(facts, roomId, userId);
    if (!before) return noSuchMember();
    return before.txPermission === txPermission
      ? unchanged(before)
      : changeOne(facts, command, { action: 'set', txPermission });
  },
  recall: ({ roomId, userId }, facts) => membership(facts, roomId, userId),
};

export const removeMember: Decider<'member.remove'> = {
  needs: needsOfMember,
  decide: ({ command }, facts) => {
    const { roomId, userId } = command;
    const hindered = obstacle(facts, command);
    if (hindered) return hindered;
    const before = membership(facts, roomId, userId);
    if (!before) return noSuchMember();
    const { txPermission } = before;
    const effect = changeMembers(facts, roomId, [{ userId, action: 'leave', txPermission }]);
    return { ...effect, result: null };
  },
  recall: () => null,
};

type Wanted = SyncMembers['members'];

const detailsOf = function* (
  members: Wanted,
  missing: ReadonlySet<UserId>,
): Pieces<readonly RefusalDetail[]> {
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

/** What turns the list as it is into the list that is wanted; who stays as he was is not in it. */
const differenceOf = function* (
  held: readonly Membership[],
  wanted: Wanted,
): Pieces<readonly RosterEntry[]> {
  const before = new Map<UserId, Membership>();
  yield* each(held, (member) => before.set(member.userId, member));
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

/** All or nothing: the counts are exact, whether it is done at once or by a job (decisions.md 5). */
export const syncMembers: Decider<'member.sync'> = {
  needs: ({ roomId }) => [
    ...holderNeeds(roomId),
    { table: 'memberships', index: 'roster', key: roomId },
  ],
  decide: function* (envelope, facts) {
    const { roomId, members } = envelope.command;
    const hindered = obstacle(facts, envelope.command);
    if (hindered) return hindered;
    const held = facts.list('memberships', 'roster', roomId);
    const wanted = yield* mapped(members, ({ userId }) => userId);
    const missing = yield* missingUsers(facts, { wanted, present: held });
    const details = yield* detailsOf(members, missing);
    if (details.length > 0)
      return {
        refusal: refuse('INVALID_REQUEST', 'The list of members cannot be taken.', { details }),
      };
    const entries = yield* differenceOf(held, members);
    const effect = changeMembersOf(facts, envelope, { rosterId: roomId, entries });
    return { ...effect, result: countsOf(entries) };
  },
};
