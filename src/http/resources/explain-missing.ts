import type { FoundUser, SimilarNames } from '../../ports/command-log.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { timeInWords } from '../../domain/kernel/in-words.js';
import { authorOf, describeEntry } from '../../pipeline/log/describe-entry.js';
import { fold } from '../../domain/kernel/names.js';
import type { Group } from '../../domain/group/group.js';
import type { Room } from '../../domain/room/room.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import {
  type Changes,
  commandFact,
  describeAffected,
  entryFields,
  type Explanation,
  type Fact,
  mappingOf,
  similarFacts,
  someOf,
  userFact,
  userLabel,
  waysToMakeRoom,
  waysToSeat,
} from './explain.js';

type TenantFacts = Pick<Tenant, 'slug' | 'seatCapacity' | 'seatsProvisioned'>;

/** A room that does not exist, and what the log has on it. */
export interface MissingRoom {
  /** As it was asked for. */
  readonly name: string;
  readonly similar: SimilarNames;
  /** What happened to a room of this name, newest first. */
  readonly history: readonly CommandLogEntry[];
}

/** A user whose creation was refused. */
export interface MissingUser {
  readonly entry: CommandLogEntry;
  /** All whose creation was refused with the same code. */
  readonly missing: readonly string[];
}

/** What was asked about the user: a room, one that does not exist, or the role. */
type Wanted = Room | MissingRoom | null;

const isMissing = (room: Room | MissingRoom): room is MissingRoom => 'history' in room;

/** Explains that a user was never created. */
export const explainMissingUser = (
  tenant: TenantFacts,
  { entry, missing }: MissingUser,
  wanted: Wanted,
): Explanation => {
  const { slug } = tenant;
  const name = entry.subject?.name ?? 'the user';
  const others = missing.filter((one) => fold(one) !== fold(name));
  const { facts, changes } = wanted && isMissing(wanted) ? roomParts(slug, wanted) : NOTHING;
  return {
    question: wanted
      ? `Why is ${name} not in the room "${wanted.name}"?`
      : `Which role does ${name} have?`,
    answer: {
      text: `Never created. On ${timeInWords(entry.at)}, ${describeEntry(entry)}.`,
      ...(wanted
        ? {
            ...NOT_A_MEMBER,
            not_member_because: 'never_created' as const,
          }
        : { role: null }),
      ...entryFields(entry, slug),
    },
    facts: [...seatFacts(tenant, entry), ...alsoRefused(entry, others), ...facts],
    would_change: [...waysToCreate(tenant, entry, others.length), ...changes],
  };
};

const NOT_A_MEMBER = { member: false, can_use: false, tx_permission: null };
const NOTHING = { facts: [] as readonly Fact[], changes: [] as Changes };

const isForSeats = ({ refusal }: CommandLogEntry): boolean =>
  refusal?.code === 'SEAT_CAPACITY_REACHED';

const seatFacts = (
  { seatCapacity, seatsProvisioned }: TenantFacts,
  entry: CommandLogEntry,
): readonly Fact[] =>
  isForSeats(entry)
    ? [
        {
          kind: 'user',
          text:
            seatCapacity === null
              ? 'The number of seats is no longer limited.'
              : `Now, ${seatsProvisioned} of ${seatCapacity} seats are taken.`,
        },
      ]
    : [];

const alsoRefused = ({ refusal }: CommandLogEntry, others: readonly string[]): readonly Fact[] =>
  others.length > 0
    ? [{ kind: 'refused', text: `Also refused (${refusal?.code}): ${someOf(others)}.` }]
    : [];

const waysToCreate = (tenant: TenantFacts, entry: CommandLogEntry, others: number): Changes => [
  ...(isForSeats(entry)
    ? waysToSeat(tenant, others + 1)
    : [{ text: 'Correcting in the identity provider what was refused.' }]),
  {
    text:
      entry.source === 'scim'
        ? 'Then creating the user again: Entra ID retries by itself, in Okta retry the failed task.'
        : 'Then creating the user again.',
  },
];

/** Explains that there is no such room. */
export const explainMissingRoom = (
  { slug }: TenantFacts,
  /** Absent: only the room is asked for. */
  found: FoundUser | undefined,
  room: MissingRoom,
): Explanation => {
  const { text, entry, facts, changes } = roomParts(slug, room);
  return {
    question: found
      ? `Why is ${userLabel(found)} not in the room "${room.name}"?`
      : questionOfGroup(room.name),
    answer: {
      text,
      ...NOT_A_MEMBER,
      not_member_because: 'no_room',
      ...(entry && entryFields(entry, slug)),
    },
    facts: [
      ...(found ? [userFact(found)] : []),
      ...(entry ? facts.filter(({ command_id: id }) => id !== entry.id) : facts),
    ],
    would_change: changes,
  };
};

const questionOfGroup = (name: string): string => `Has the group "${name}" a room?`;

/** Explains that the room of a group exists. */
export const explainRoomOfGroup = (
  { slug }: TenantFacts,
  { id, name }: Room,
  group: Group | null,
): Explanation => ({
  question: questionOfGroup(name),
  answer: {
    text: group
      ? `The room "${name}" exists and is mapped to the group "${group.displayName}".`
      : `The room "${name}" exists now: pushing the group again maps it to the room.`,
  },
  facts: [],
  would_change: group ? [] : [mappingOf(slug, { id, name }, name)],
});

/** What a room that does not exist adds to an explanation. */
const roomParts = (slug: string, { name, similar, history }: MissingRoom) => {
  const [last] = history;
  const pushed = similar.refused.find(({ subject }) => fold(subject?.name ?? '') === fold(name));
  const entry = pushed ?? last;
  return {
    entry,
    text: [`No room is named "${name}".`, causeOf(pushed, last)].filter(Boolean).join(' '),
    facts: [...similarFacts(slug, similar), ...history.map(commandFact(slug))],
    changes: waysToMakeRoom(slug, (pushed ?? similar.refused[0])?.subject?.name ?? name, similar),
  };
};

const causeOf = (
  pushed: CommandLogEntry | undefined,
  last: CommandLogEntry | undefined,
): string => {
  if (pushed)
    return `On ${timeInWords(pushed.at)}, ${describeEntry(pushed)}.${describeAffected(pushed)}`;
  if (last?.outcome !== 'applied') return '';
  if (last.type === 'room.delete')
    return `It was deleted ${authorOf(last)} on ${timeInWords(last.at)}.`;
  return last.type === 'room.rename'
    ? `It was renamed to "${last.subject?.name}" ${authorOf(last)} on ${timeInWords(last.at)}.`
    : '';
};
