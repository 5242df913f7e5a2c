import type { FoundUser } from '../ports/command-log.js';
import type { PersonFact } from '../ports/tenants.js';
import type { Group } from '../domain/group/group.js';
import type { Room } from '../domain/room/room.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import { displayNameOf } from '../domain/user/user.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';
import { capitalise, timeInWords } from '../domain/kernel/in-words.js';
import { nameKey } from '../domain/kernel/names.js';
import { authorOf, describeEntry } from '../pipeline/log/describe-entry.js';
import type { Change, Fact, Sentence } from './explanation.js';

/** `Ada Lovelace (ada@example.com)` */
export const userLabel = ({ user: { profile } }: FoundUser): string => {
  const name = displayNameOf(profile);
  return name === profile.userName ? name : `${name} (${profile.userName})`;
};

export const userFact = (found: FoundUser): Fact => {
  const { user, deletedAt, deletedBy: entry } = found;
  const by = entry ? ` ${authorOf(entry)}` : '';
  const state =
    deletedAt !== null
      ? `was deleted${by} on ${timeInWords(deletedAt)}, which ended all memberships.`
      : user.profile.active
        ? 'is active.'
        : 'is deactivated: the user keeps memberships and role, but cannot sign in.';
  return { kind: 'user', text: `${userLabel(found)} ${state}`, user_id: user.id, entry };
};

const MAX_NAMES = 3;
const LIST = new Intl.ListFormat('en-GB');

/** `ada@example.com, grace@example.com and 2 others` */
export const someOf = (names: readonly string[], count = names.length): string => {
  const shown = names.slice(0, MAX_NAMES);
  const rest = count - shown.length;
  return LIST.format(rest > 0 ? [...shown, `${rest} ${rest === 1 ? 'other' : 'others'}`] : shown);
};

/** The users that a refused command would have added. */
const affectedBy = ({ affected, affectedCount, refusal }: CommandLogEntry): string => {
  const names = affected.flatMap(({ name }) => name ?? []);
  return refusal && names.length > 0 ? ` Affected: ${someOf(names, affectedCount)}.` : '';
};

/** An entry of the log; of this user, if it changed a membership of theirs. */
export const logFact = (entry: CommandLogEntry, userId?: string): Fact => ({
  kind: entry.refusal ? 'refused' : 'command',
  text: `${capitalise(describeEntry(entry, userId))}.${affectedBy(entry)}`,
  entry,
});

/** `On 24 November 2026 at 14:02 UTC, the API key "Okta" tried to …` */
export const causeInLog = (entry: CommandLogEntry): Sentence => ({
  text: `On ${timeInWords(entry.at)}, ${describeEntry(entry)}.${affectedBy(entry)}`,
  entry,
});

/** What a plugin has on a person. */
export const personFact = ({ text, page }: PersonFact): Fact => ({ kind: 'plugin', text, page });

/** What is known of a group in each fact about it. */
export const idsOf = ({ id, displayName, roomId }: Group) => ({
  group_id: id,
  group_name: displayName,
  ...(roomId && { room_id: roomId }),
});

/** A group that may be meant, but is not that of the room. */
export const otherGroup = (group: Group): Fact => ({
  kind: 'similar',
  text: group.roomId
    ? `The group "${group.displayName}" is mapped to another room: its members are not in this one.`
    : `The group "${group.displayName}" exists, but has no room: its members are in no room because of it.`,
  ...idsOf(group),
});

/** What a free seat needs, of a user who got none. */
export const waysToSeat = (
  { seatCapacity, seatsProvisioned }: Pick<Tenant, 'seatCapacity' | 'seatsProvisioned'>,
  /** How many users wait for one. */
  waiting: number,
  /** What the seat is for: "then …". */
  then = '',
): readonly Change[] => {
  if (seatCapacity === null || seatCapacity > seatsProvisioned) return [];
  const seats = seatsProvisioned + Math.max(1, waiting);
  return [
    {
      text: `Raising the number of seats from ${seatCapacity} to ${seats}${then}.`,
      remedy: { action: 'raise_seats', body: { seat_capacity: seats } },
    },
    { text: 'Deactivating a user, whose seat then becomes available.' },
  ];
};

/** What plugins can do about it: what is not known to leave the answer as it is. */
export const waysOfPlugins = (
  people: readonly PersonFact[],
  changesAnswer: (person: PersonFact) => boolean,
): readonly Change[] =>
  people
    .filter((person) => person.effect === undefined || changesAnswer(person))
    .flatMap(({ remedies }) => remedies)
    .map(({ text, call }) => ({
      text,
      remedy: call && { action: 'plugin', ...call, command: [...call.command] },
    }));

/** Whether the names have this one, as names are compared. */
export const includesName = (names: readonly string[], name: string): boolean =>
  names.some((one) => nameKey(one) === nameKey(name));

/** A group that exists keeps its members apart: only a new one becomes the room's. */
export const pushingAgain = (group: string): string =>
  `deleting the group "${group}" in the identity provider's application and pushing it again. It is ` +
  'then mapped to the room.';

export const mappingTo = (group: string, { id, name }: Pick<Room, 'id' | 'name'>): Change => ({
  text:
    `Mapping the room "${name}" to the group "${group}" of the identity provider, which then ` +
    'adds and removes its members.',
  remedy: {
    action: 'map_room',
    body: { display_name: group },
    ...{ room_id: id, room_name: name },
  },
});
