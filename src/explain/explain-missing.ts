import type { FoundUser, SimilarNames } from '../ports/command-log.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';
import { timeInWords } from '../domain/kernel/in-words.js';
import { authorOf } from '../pipeline/log/describe-entry.js';
import { fold, nameKey } from '../domain/kernel/names.js';
import type { PersonFact } from '../ports/tenants.js';
import type { Group } from '../domain/group/group.js';
import type { Room } from '../domain/room/room.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import type { Change, Draft, Fact, Maybe, Sentence } from './explanation.js';
import {
  causeInLog,
  includesName,
  logFact,
  mappingTo,
  otherGroup,
  personFact,
  pushingAgain,
  someOf,
  userFact,
  userLabel,
  waysOfPlugins,
  waysToSeat,
} from './sentences.js';

/** A room that does not exist, and what the log has on it. */
export interface MissingRoom {
  /** As in the request. */
  readonly name: string;
  readonly similar: SimilarNames;
  /** What happened to a room of this name, newest first. */
  readonly history: readonly CommandLogEntry[];
}

/** A user who was never created. */
export interface MissingUser {
  readonly name: string;
  /** The refused command; absent: only plugins have something on the person. */
  readonly entry?: CommandLogEntry | undefined;
  /** All whose creation was refused with the same code. */
  readonly missing: readonly string[];
  /** Who has the name or address that it was refused for. */
  readonly holder?: FoundUser | undefined;
  readonly people: readonly PersonFact[];
}

const NOT_A_MEMBER = { member: false, can_use: false, tx_permission: null };

/** Explains that a user was never created. */
export const explainMissingUser = (
  tenant: Tenant,
  user: MissingUser,
  /** What was asked about the user: a room, one that does not exist, or the role. */
  wanted: Room | MissingRoom | undefined,
): Draft => {
  const { seatCapacity, seatsProvisioned } = tenant;
  const limit = seatCapacity === null ? ', without a limit' : ` of ${seatCapacity}`;
  const { name, entry, missing, holder, people } = user;
  const others = missing.filter((one) => fold(one) !== fold(name));
  const room = wanted && 'history' in wanted ? describeMissingRoom(tenant, wanted) : undefined;
  return {
    question: wanted
      ? `Why is ${name} not in the room "${wanted.name}"?`
      : `Which role does ${name} have?`,
    answer: wanted ? { ...NOT_A_MEMBER, not_member_because: 'never_created' } : { role: null },
    because: [
      { text: 'Never created.' },
      entry ? causeInLog(entry) : people[0] && personFact(people[0]),
    ],
    facts: [
      isForSeats(entry) && {
        kind: 'user',
        text: `Seats in use now: ${seatsProvisioned}${limit}.`,
      },
      others.length > 0 && {
        kind: 'refused',
        text: `Also refused (${entry?.refusal?.code}): ${someOf(others)}.`,
      },
      holder && {
        kind: 'user',
        text: `${userLabel(holder)} has it, and is ${holder.user.profile.active ? 'active' : 'deactivated'}.`,
        user_id: holder.user.id,
      },
      ...people.map(personFact),
      ...(room?.facts ?? []),
    ],
    changes: [
      ...waysOfPlugins(people, ({ effect }) => effect?.active === true),
      ...(isForSeats(entry) ? waysToSeat(tenant, others.length + 1) : []),
      ...(entry && !isForSeats(entry) ? waysToCreate(tenant, entry, holder) : []),
      entry && {
        text:
          entry.source === 'scim'
            ? 'Creating the user again: Entra ID retries by itself, in Okta retry the failed task.'
            : 'Creating the user again.',
      },
      ...(room?.changes ?? []),
    ],
  };
};

const isForSeats = (entry: CommandLogEntry | undefined): boolean =>
  entry?.refusal?.code === 'SEAT_CAPACITY_REACHED';

const waysToCreate = (
  tenant: Tenant,
  { source, subject }: CommandLogEntry,
  holder: FoundUser | undefined,
): readonly Maybe<Change>[] => {
  const where = source === 'scim' ? ' in the identity provider' : '';
  if (!holder) return [{ text: `Correcting${where} what was refused.` }];
  const { userName, active } = holder.user.profile;
  // An inactive user of the same name may be the person.
  const mayReturn = !active && fold(userName) === fold(subject?.name ?? '');
  return [
    {
      text: `Giving one of the two another name or address${where}. If they are the same person, deleting ${userLabel(holder)}.`,
    },
    mayReturn &&
      source === 'scim' &&
      tenant.scim.postExisting !== 'reactivate' && {
        text:
          `If the person returns, reactivating ${userLabel(holder)}; or letting a SCIM POST do that: ` +
          `rollgate tenant update ${tenant.slug} --scim-post-existing reactivate.`,
      },
  ];
};

/** Explains that there is no such room. */
export const explainMissingRoom = (
  tenant: Tenant,
  /** Absent: only the room is asked for. */
  found: FoundUser | undefined,
  room: MissingRoom,
  people: readonly PersonFact[],
): Draft => {
  const { because, facts, changes } = describeMissingRoom(tenant, room, people);
  return {
    question: found
      ? `Why is ${userLabel(found)} not in the room "${room.name}"?`
      : questionOfGroup(room),
    answer: { ...NOT_A_MEMBER, not_member_because: 'no_room' },
    because,
    facts: [found && userFact(found), ...facts, ...people.map(personFact)],
    changes: [
      ...changes,
      ...waysOfPlugins(people, ({ groups }) => includesName(groups, room.name)),
    ],
  };
};

const questionOfGroup = ({ name }: { readonly name: string }): string =>
  `Does the group "${name}" have a room?`;

/** Explains that the room of a group exists. */
export const explainRoomOfGroup = (room: Room, group: Group | null): Draft => ({
  question: questionOfGroup(room),
  answer: {},
  because: [
    {
      text: group
        ? `The room "${room.name}" exists and is mapped to the group "${group.displayName}".`
        : `The room "${room.name}" exists now: pushing the group again maps it to the room.`,
    },
  ],
  facts: [],
  changes: [!group && mappingTo(room.name, room)],
});

/** What a room that does not exist adds to an explanation. */
const describeMissingRoom = (
  { roomProvisioning }: Tenant,
  { name, similar, history }: MissingRoom,
  people: readonly PersonFact[] = [],
): Pick<Draft, 'because' | 'facts' | 'changes'> => {
  const isOfName = (other: string | null | undefined): boolean =>
    nameKey(other ?? '') === nameKey(name);
  const pushed = similar.refused.find(({ subject }) => isOfName(subject?.name));
  const group = similar.groups.find(({ displayName }) => isOfName(displayName));
  const refused = pushed ?? similar.refused[0];
  const wanted = group?.displayName ?? refused?.subject?.name ?? name;
  const [last] = history;
  // A plugin would make the user a member of such a room.
  const wanting = people.find(({ groups }) => includesName(groups, name));
  const cause =
    (pushed && causeInLog(pushed)) ??
    (group && otherGroup(group)) ??
    (last && formerRoom(last)) ??
    (wanting && personFact(wanting));
  const unknown =
    similar.rooms.length > 0
      ? 'A room has a similar name.'
      : 'The provisioning log has no push of such a group.';
  return {
    because: [{ text: `No room is named "${name}".` }, cause ?? { text: unknown }],
    facts: [
      ...similar.rooms.map(similarRoom),
      ...similar.groups.map(otherGroup),
      ...similar.refused.map((entry) => logFact(entry)),
      ...history.map((entry) => logFact(entry)),
    ],
    changes: [
      ...similar.rooms.map((one) => refused && !one.group && mappingTo(wanted, one.room)),
      {
        text: `Creating the room "${wanted}"${
          group
            ? `, ${pushingAgain(wanted)}`
            : '. A group of this name is mapped to it when it is pushed again.'
        }`,
        remedy: { action: 'create_room', body: { name: wanted }, room_name: wanted },
      },
      pushed &&
        roomProvisioning === 'manual' && {
          text: 'Letting every push of a group create the room that it needs, and pushing the group again.',
          remedy: { action: 'provision_rooms', body: { room_provisioning: 'automatic' } },
        },
    ],
  };
};

const similarRoom = ({ room, group }: SimilarNames['rooms'][number]): Fact => ({
  kind: 'similar',
  text: `The room "${room.name}" has a similar name. It ${
    group ? `is mapped to the group "${group.displayName}"` : 'has no group'
  }.`,
  room_id: room.id,
});

/** What became of the room, if the last command on it deleted or renamed it. */
const formerRoom = (entry: CommandLogEntry): Sentence | undefined => {
  const { type, outcome, subject, at } = entry;
  if (outcome !== 'applied' || (type !== 'room.delete' && type !== 'room.rename')) return undefined;
  const what = type === 'room.delete' ? 'deleted' : `renamed to "${subject?.name}"`;
  return { text: `It was ${what} ${authorOf(entry)} on ${timeInWords(at)}.`, entry };
};
