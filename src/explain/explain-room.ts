import type { FoundUser, RoomFacts } from '../ports/command-log.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';
import { capitalise, timeInWords } from '../domain/kernel/in-words.js';
import { authorOf } from '../pipeline/log/describe-entry.js';
import { nameKey } from '../domain/kernel/names.js';
import type { PersonFact } from '../ports/tenants.js';
import type { Group } from '../domain/group/group.js';
import type { Room } from '../domain/room/room.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import type { Change, Draft, Fact, Maybe, Sentence } from './explanation.js';
import {
  causeInLog,
  idsOf,
  includesName,
  logFact,
  mappingTo,
  otherGroup,
  personFact,
  pushingAgain,
  userFact,
  userLabel,
  waysOfPlugins,
  waysToSeat,
} from './sentences.js';

interface Asked {
  readonly tenant: Pick<Tenant, 'seatCapacity' | 'seatsProvisioned'>;
  readonly found: FoundUser;
  readonly room: Room;
  readonly facts: RoomFacts;
  /** What plugins have on the user. */
  readonly people: readonly PersonFact[];
}

/** Explains why a user is, or is not, in a room, or cannot use it. */
export const explainRoom = (asked: Asked): Draft => {
  const { found, room, facts, people } = asked;
  const { membership, former, group, namesake, roomless, similar, skippedBy } = facts;
  const { id } = found.user;
  const isMember = membership !== null;
  return {
    question: questionOf(asked),
    answer: {
      member: isMember,
      can_use: isMember && isUsable(found),
      tx_permission: membership?.txPermission ?? null,
      ...(former && found.deletedAt === null && { not_member_because: former.is }),
    },
    because: causesOf(asked),
    facts: [
      isUsable(found) && userFact(found),
      groupFact(room, group),
      namesake && otherGroup(namesake),
      ...roomless.map(roomlessFact),
      membership?.txPermission === false &&
        isUsable(found) && {
          kind: 'membership',
          text:
            'Members are added without the permission to transmit, unless the request gives it; ' +
            'SCIM never changes it.',
          ...{ user_id: id, room_id: room.id },
        },
      ...people.map(personFact),
      room.pendingJob !== null && {
        kind: 'job',
        text: "A large change of this room's members is still in progress.",
        room_id: room.id,
      },
      ...similar.groups.map(otherGroup),
      ...[...refusedOf(asked), ...similar.refused, skippedBy, ...facts.commands].map(
        (entry) => entry && logFact(entry, id),
      ),
    ],
    changes: changesOf(asked),
  };
};

const isUsable = ({ user, deletedAt }: FoundUser): boolean =>
  deletedAt === null && user.profile.active;

const questionOf = ({ found, room, facts }: Asked): string => {
  const [name, where] = [userLabel(found), `the room "${room.name}"`];
  if (!facts.membership) return `Why is ${name} not in ${where}?`;
  return isUsable(found) ? `Why is ${name} in ${where}?` : `Why can ${name} not use ${where}?`;
};

const causesOf = (asked: Asked): readonly Maybe<Sentence>[] => {
  const { found, room, facts } = asked;
  const { membership, addedBy, deactivatedBy } = facts;
  if (found.deletedAt !== null) return [userFact(found), waitingFor(asked)];
  const inactive = !found.user.profile.active && deactivation(deactivatedBy);
  if (!membership) return [...absenceOf(asked), inactive, waitingFor(asked)];
  if (inactive) return [inactive, { text: 'The user is still a member of the room.' }];
  const how = addedBy
    ? authorOf(addedBy)
    : 'by a command that is no longer in the provisioning log';
  const may = membership.txPermission ? 'may transmit' : 'may listen, but not transmit';
  const text = `Added to the room "${room.name}" ${how} on ${timeInWords(membership.addedAt)}. The user ${may}.`;
  return [{ text, entry: addedBy }];
};

const deactivation = (by: CommandLogEntry | null): Sentence => {
  if (!by) return { text: 'Deactivated: the user cannot sign in.' };
  const what = by.type === 'user.create' ? 'Created as inactive' : 'Deactivated';
  const text = `${what} ${authorOf(by)} on ${timeInWords(by.at)}: the user cannot sign in.`;
  return { text, entry: by };
};

/** Why a user is not a member. */
const absenceOf = (asked: Asked): readonly Maybe<Sentence>[] => {
  const { room, facts } = asked;
  const { former, group, namesake, roomless, unmappedBy } = facts;
  if (former?.is === 'removed') {
    const { by, at } = former;
    const how = by.type === 'group.delete' ? `, who deleted the group "${by.subject?.name}",` : '';
    const text = `Removed from the room "${room.name}" ${authorOf(by)}${how} on ${timeInWords(at)}.`;
    return [{ text, entry: by }];
  }
  const never = {
    text:
      former?.is === 'unknown'
        ? unknownSince(room, former.searchedSince)
        : `Never added to the room "${room.name}".`,
  };
  const refused = likelyCause(asked);
  if (unmappedBy && refused?.type !== 'group.create') {
    const text = `Its group "${formerGroupOf(unmappedBy)?.name}" was removed ${authorOf(unmappedBy)} on ${timeInWords(unmappedBy.at)}.`;
    return [never, { text, entry: unmappedBy }, groupFact(room, null)];
  }
  if (refused) return [never, causeInLog(refused)];
  if (group) return [never];
  const [own] = roomless;
  const other = namesake ? otherGroup(namesake) : own && roomlessFact(own);
  return [never, other, groupFact(room, null)];
};

const unknownSince = ({ name }: Room, since: Date | null): string =>
  `Not in the room "${name}". Whether the user was removed is unknown: the provisioning log ` +
  (since
    ? `has no removal since ${timeInWords(since)}, and earlier entries are not available.`
    : 'has no entries of that time.');

/** The group that a command took from its room. */
const formerGroupOf = ({ subject, affected }: CommandLogEntry) =>
  [subject, ...affected].find((one) => one?.kind === 'group');

/** A group that no longer exists has no name in the refusals after it. */
const withName = (entry: CommandLogEntry, unmappedBy: CommandLogEntry | null): CommandLogEntry => {
  const former = unmappedBy && formerGroupOf(unmappedBy);
  const { subject } = entry;
  return subject && subject.name === null && former && subject.id === former.id
    ? { ...entry, subject: former }
    : entry;
};

/** What a plugin would do about it, of a user that it would add to the room. */
const waitingFor = ({ room, facts: { group }, people }: Asked): Maybe<Fact> => {
  const waiting = people.find(({ groups }) => hasGroup(groups, room, group));
  return waiting && personFact(waiting);
};

/** Whether the names have that of the room or of its group. */
const hasGroup = (names: readonly string[], room: Room, group: Group | null): boolean =>
  [room.name, group?.displayName ?? ''].some((name) => includesName(names, name));

/** What plugins can do that changes whether the user is in the room, and can use it. */
const waysByPlugins = ({ found, room, facts, people }: Asked): readonly Change[] =>
  waysOfPlugins(people, ({ groups, effect }) => {
    const { membership, group } = facts;
    const { active = found.user.profile.active } = effect ?? {};
    const changesUse = active !== found.user.profile.active && (membership !== null || active);
    return changesUse || hasGroup(membership ? (effect?.leaves ?? []) : groups, room, group);
  });

/** Groups of other names may be meant for other rooms. */
const likelyCause = (asked: Asked): CommandLogEntry | undefined => {
  const near = asked.facts.similar.refused;
  const own = refusedOf(asked).find(
    ({ type, id }) => type !== 'group.create' || near.some((one) => one.id === id),
  );
  return own ?? near[0];
};

/** Refused commands that explain the absence: since the user was removed, and about this room. */
const refusedOf = ({ found, room, facts }: Asked): readonly CommandLogEntry[] => {
  const { membership, former, group, refused, unmappedBy } = facts;
  const since = former?.is === 'removed' ? former.at : new Date(0);
  const isAbout = ({ type, subject }: CommandLogEntry): boolean => {
    if (subject?.kind === 'user') return !found.user.profile.active;
    if (membership) return false;
    return type === 'group.create'
      ? group === null
      : [room.id, group?.id, unmappedBy && formerGroupOf(unmappedBy)?.id].includes(subject?.id);
  };
  return refused
    .filter((entry) => entry.at > since && isAbout(entry))
    .map((entry) => withName(entry, unmappedBy));
};

const groupFact = (room: Room, group: Group | null): Fact =>
  group
    ? {
        kind: 'group',
        text:
          `The room "${room.name}" is mapped to the SCIM group "${group.displayName}": the group's ` +
          "members are the room's members, whichever interface adds or removes them.",
        ...idsOf(group),
      }
    : {
        kind: 'no_group',
        text: 'The room has no SCIM group: only operators and the REST API can change its members.',
        room_id: room.id,
      };

const roomlessFact = (group: Group): Fact => ({
  kind: 'group',
  text: `The user is in the group "${group.displayName}", which has no room.`,
  ...idsOf(group),
});

const subjectsOf = ({ found: { user }, room }: Asked) => ({
  room_id: room.id,
  room_name: room.name,
  user_id: user.id,
  user_name: user.email ?? user.id,
});

const changesOf = (asked: Asked): readonly Maybe<Change>[] => {
  const { tenant, found, facts } = asked;
  const { deactivatedBy } = facts;
  if (found.deletedAt !== null)
    return [
      { text: 'Provisioning the user again creates a new user with a new id, who can be added.' },
    ];
  if (isUsable(found)) return facts.membership ? waysToRemove(asked) : waysToAdd(asked);
  const { user_id, user_name } = subjectsOf(asked);
  return [
    ...waysByPlugins(asked),
    ...waysToSeat(tenant, 1, ', then reactivating the user'),
    {
      text: `Reactivating the user${deactivatedBy?.source === 'scim' ? ', here and in the identity provider' : ''}.`,
      remedy: { action: 'reactivate_user', body: { active: true }, user_id, user_name },
    },
    ...(facts.membership ? [] : waysToAdd(asked)),
  ];
};

const waysToRemove = (asked: Asked): readonly Maybe<Change>[] => {
  const { group, membership, pushed } = asked.facts;
  const subjects = subjectsOf(asked);
  const mayTransmit = membership?.txPermission === true;
  return [
    ...waysByPlugins(asked),
    group &&
      pushed.has(group.id) && {
        text: `Removing the user from the group "${group.displayName}" in the identity provider.`,
      },
    {
      text: 'Removing the user from the room.',
      remedy: { action: 'remove_member', ...subjects },
    },
    {
      text: mayTransmit ? 'No longer letting the user transmit.' : 'Letting the user transmit.',
      remedy: { action: 'update_member', body: { tx_permission: !mayTransmit }, ...subjects },
    },
  ];
};

const waysToAdd = (asked: Asked): readonly Maybe<Change>[] => {
  const { group, skippedBy, pushed } = asked.facts;
  const subjects = subjectsOf(asked);
  const refused = group ? likelyCause(asked) : undefined;
  return [
    ...waysByPlugins(asked),
    refused && wayAfter(refused),
    skippedBy && ASSIGN_MEMBERS,
    group &&
      pushed.has(group.id) && {
        text: `Adding the user to the group "${group.displayName}" in the identity provider.`,
      },
    ...(group ? [] : waysToMap(asked)),
    {
      text: 'Adding the user to the room.',
      remedy: { action: 'add_member', body: { user_id: subjects.user_id }, ...subjects },
    },
  ];
};

/** What makes a change of the room's group succeed that was refused. */
const wayAfter = ({ actor, actorName, refusal }: CommandLogEntry): Maybe<Change> => {
  if (refusal?.code === 'REMOVALS_HELD') {
    const name = actorName ?? '';
    const id = actor.slice(actor.indexOf(':') + 1);
    return {
      text: `Allowing the API key "${name}" to remove more within the next hour, if that is intended, and pushing the group again.`,
      remedy: { action: 'allow_removals', key_id: id, key_name: name },
    };
  }
  const isUnknown = refusal?.message.startsWith('No user has the id') ?? false;
  return refusal?.scimType === 'invalidValue' && isUnknown && ASSIGN_MEMBERS;
};

const ASSIGN_MEMBERS = {
  text:
    'In the identity provider, assigning every member of the group to the application, or ' +
    'removing from the group who has no user here; then pushing the group again.',
};

/** Ways for the identity provider to fill a room that has no group. */
const waysToMap = (asked: Asked): readonly Maybe<Change>[] => {
  const { room, facts } = asked;
  const { roomless, namesake, similar, unmappedBy, pushed: ofProvider } = facts;
  if (namesake) {
    const isFree = namesake.roomId === null && ofProvider.has(namesake.id);
    return [isFree && { text: capitalise(pushingAgain(namesake.displayName)) }];
  }
  const refused = likelyCause(asked);
  const pushed = refused?.type === 'group.create' ? refused.subject?.name : undefined;
  const wanted = pushed ?? (unmappedBy && formerGroupOf(unmappedBy)?.name);
  if (!wanted) {
    const existing = [...similar.groups, ...roomless].find(({ id }) => ofProvider.has(id));
    return [existing && renamingTo(existing, room)];
  }
  const hasName = nameKey(pushed ?? '') === nameKey(room.name);
  return [
    hasName && {
      text: 'Pushing the group again: the room exists now, and is mapped to it then.',
    },
    mappingTo(wanted, room),
    unmappedBy &&
      !refused && {
        text:
          'Then unlinking the group in the identity provider and pushing it again: it has the id of ' +
          'the group that was removed.',
      },
  ];
};

const renamingTo = ({ displayName }: Group, { id, name }: Room): Change => ({
  text: `Renaming the room to "${displayName}", ${pushingAgain(displayName)}`,
  remedy: {
    action: 'rename_room',
    body: { name: displayName },
    ...{ room_id: id, room_name: name },
  },
});
