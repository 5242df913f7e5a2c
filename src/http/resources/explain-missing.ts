import type { FoundUser, SimilarNames } from '../../ports/command-log.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { timeInWords } from '../../domain/kernel/in-words.js';
import { authorOf, describeEntry } from '../../pipeline/log/describe-entry.js';
import { fold, nameKey } from '../../domain/kernel/names.js';
import type { PersonFact } from '../../ports/tenants.js';
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
  personFacts,
  similarFacts,
  someOf,
  userFact,
  userLabel,
  waysOfPlugins,
  waysToMakeRoom,
  waysToSeat,
} from './explain.js';

type TenantFacts = Pick<
  Tenant,
  'slug' | 'seatCapacity' | 'seatsProvisioned' | 'roomProvisioning' | 'scim'
>;

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
  readonly entry?: CommandLogEntry;
  /** All whose creation was refused with the same code. */
  readonly missing: readonly string[];
  /** Who has the name or address that it was refused for. */
  readonly holder?: FoundUser | undefined;
  readonly people: readonly PersonFact[];
}

/** What was asked about the user: a room, one that does not exist, or the role. */
type Wanted = Room | MissingRoom | null;

const isMissing = (room: Room | MissingRoom): room is MissingRoom => 'history' in room;

/** Explains that a user was never created. */
export const explainMissingUser = (
  tenant: TenantFacts,
  { name, entry, missing, holder, people }: MissingUser,
  wanted: Wanted,
): Explanation => {
  const { slug } = tenant;
  const others = missing.filter((one) => fold(one) !== fold(name));
  const { facts, changes } = wanted && isMissing(wanted) ? roomParts(tenant, wanted) : NOTHING;
  const [first, ...rest] = people;
  return {
    question: wanted
      ? `Why is ${name} not in the room "${wanted.name}"?`
      : `Which role does ${name} have?`,
    answer: {
      text: `Never created. ${
        entry ? `On ${timeInWords(entry.at)}, ${describeEntry(entry)}.` : (first?.text ?? '')
      }`,
      ...(wanted
        ? {
            ...NOT_A_MEMBER,
            not_member_because: 'never_created' as const,
          }
        : { role: null }),
      ...(entry && entryFields(entry, slug)),
    },
    facts: [
      ...(entry ? [...seatFacts(tenant, entry), ...alsoRefused(entry, others)] : []),
      ...(holder ? [holderFact(holder)] : []),
      ...personFacts(entry ? people : rest),
      ...facts,
    ],
    would_change: [
      ...waysOfPlugins(slug, people),
      ...(entry ? waysToCreate(tenant, entry, { others: others.length, holder }) : []),
      ...changes,
    ],
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
              : `Seats in use now: ${seatsProvisioned} of ${seatCapacity}.`,
        },
      ]
    : [];

const alsoRefused = ({ refusal }: CommandLogEntry, others: readonly string[]): readonly Fact[] =>
  others.length > 0
    ? [{ kind: 'refused', text: `Also refused (${refusal?.code}): ${someOf(others)}.` }]
    : [];

const holderFact = (holder: FoundUser): Fact => ({
  kind: 'user',
  text: `${userLabel(holder)} has it, and is ${holder.user.profile.active ? 'active' : 'deactivated'}.`,
  user_id: holder.user.id,
});

const waysToCreate = (
  tenant: TenantFacts,
  entry: CommandLogEntry,
  { others, holder }: { readonly others: number; readonly holder: FoundUser | undefined },
): Changes => [
  ...(isForSeats(entry)
    ? waysToSeat(tenant, others + 1)
    : [
        {
          text: holder
            ? `Giving one of the two another name or address in the identity provider. If they are the same person, deleting ${userLabel(holder)} there.`
            : 'Correcting in the identity provider what was refused.',
        },
        ...waysToReturn(tenant, entry, holder),
      ]),
  {
    text:
      entry.source === 'scim'
        ? 'Creating the user again: Entra ID retries by itself, in Okta retry the failed task.'
        : 'Creating the user again.',
  },
];

/** An inactive user of the same name may be the person. */
const waysToReturn = (
  { slug, scim }: TenantFacts,
  { source, subject }: CommandLogEntry,
  holder: FoundUser | undefined,
): Changes => {
  const isSameName = holder && fold(holder.user.profile.userName) === fold(subject?.name ?? '');
  if (!isSameName || holder.user.profile.active || source !== 'scim') return [];
  return scim.postExisting === 'reactivate'
    ? []
    : [
        {
          text:
            `If the person returns, reactivating ${userLabel(holder)}; or letting a SCIM POST do that: ` +
            `rollgate tenant update ${slug} --scim-post-existing reactivate.`,
        },
      ];
};

/** Explains that there is no such room. */
export const explainMissingRoom = (
  tenant: TenantFacts,
  /** Absent: only the room is asked for. */
  found: FoundUser | undefined,
  room: MissingRoom,
  people: readonly PersonFact[] = [],
): Explanation => {
  const wanting = people.find(({ groups }) =>
    groups.some((name) => nameKey(name) === nameKey(room.name)),
  );
  const { text, entry, facts, changes } = roomParts(tenant, room, wanting);
  return {
    question: found
      ? `Why is ${userLabel(found)} not in the room "${room.name}"?`
      : questionOfGroup(room.name),
    answer: {
      text,
      ...NOT_A_MEMBER,
      not_member_because: 'no_room',
      ...(entry && entryFields(entry, tenant.slug)),
    },
    facts: [
      ...(found ? [userFact(found)] : []),
      ...facts.filter(({ command_id: id }) => id === undefined || id !== entry?.id),
      ...personFacts(people.filter((one) => one !== wanting)),
    ],
    would_change: [...changes, ...waysOfPlugins(tenant.slug, people)],
  };
};

const questionOfGroup = (name: string): string => `Does the group "${name}" have a room?`;

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
const roomParts = (
  tenant: TenantFacts,
  { name, similar, history }: MissingRoom,
  wanting?: PersonFact,
) => {
  const [last] = history;
  const isExact = (other: string | null | undefined): boolean =>
    nameKey(other ?? '') === nameKey(name);
  const pushed = similar.refused.find(({ subject }) => isExact(subject?.name));
  const group = similar.groups.find(({ displayName }) => isExact(displayName));
  const wanted = pushed ?? similar.refused[0];
  return {
    entry: pushed ?? last,
    text: `No room is named "${name}"${causeOf({ pushed, group, last, wanting, isSimilar: similar.rooms.length > 0 })}`,
    facts: [
      ...similarFacts(tenant.slug, {
        ...similar,
        groups: similar.groups.filter((one) => one !== group),
      }),
      ...history.map(commandFact(tenant.slug)),
    ],
    changes: waysToMakeRoom(tenant, group?.displayName ?? wanted?.subject?.name ?? name, {
      rooms: similar.rooms,
      pushed: wanted !== undefined,
      group,
    }),
  };
};

/** The end of a sentence, and further ones. */
const causeOf = ({
  pushed,
  group,
  last,
  wanting,
  isSimilar,
}: {
  readonly pushed: CommandLogEntry | undefined;
  readonly group: Group | undefined;
  readonly last: CommandLogEntry | undefined;
  /** What a plugin would do in such a room. */
  readonly wanting: PersonFact | undefined;
  readonly isSimilar: boolean;
}): string => {
  if (pushed)
    return `. On ${timeInWords(pushed.at)}, ${describeEntry(pushed)}.${describeAffected(pushed)}`;
  if (group)
    return `. The group "${group.displayName}" exists, but has no room: its members are in no room because of it.`;
  if (last?.outcome === 'applied' && last.type === 'room.delete')
    return `. It was deleted ${authorOf(last)} on ${timeInWords(last.at)}.`;
  if (last?.outcome === 'applied' && last.type === 'room.rename')
    return `. It was renamed to "${last.subject?.name}" ${authorOf(last)} on ${timeInWords(last.at)}.`;
  if (wanting) return `. ${wanting.text}`;
  return isSimilar
    ? ', but there is a similar name.'
    : ', and the provisioning log has no push of such a group.';
};
