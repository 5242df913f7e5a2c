import { z } from 'zod';
import type { FoundUser, SimilarNames } from '../../ports/command-log.js';
import type { PersonFact } from '../../ports/tenants.js';
import type { Group } from '../../domain/group/group.js';
import type { Room } from '../../domain/room/room.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { isMasked, maskNumbersIn } from '../../domain/kernel/names.js';
import { displayNameOf } from '../../domain/user/user.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { timeInWords, capitalise } from '../../domain/kernel/in-words.js';
import { authorOf, describeEntry } from '../../pipeline/log/describe-entry.js';

const KINDS = [
  'user',
  'room',
  'group',
  'no_group',
  'membership',
  'role_mapping',
  'no_role_mapping',
  'priority',
  'default_role',
  'job',
  'refused',
  'similar',
  'command',
  'plugin',
] as const;

const Fact = z
  .strictObject({
    kind: z.enum(KINDS),
    text: z.string().describe('Human-readable sentence.'),
    user_id: z.string().optional(),
    room_id: z.string().optional(),
    group_id: z.string().optional(),
    group_name: z.string().optional().describe('Display name of the group.'),
    role_mapping_id: z.string().optional(),
    command_id: z.string().optional().describe('Id of an entry in the provisioning log.'),
    request_id: z.string().optional().describe('Request id of that entry.'),
    link: z.string().optional().describe('Path of that entry, in this API.'),
    at: z.string().optional().meta({ format: 'date-time' }),
    page: z.string().optional().describe("Page of the dashboard, relative to the tenant's."),
  })
  .meta({ id: 'ExplainedFact' });

export type Fact = z.output<typeof Fact>;

const ACTIONS = [
  'add_member',
  'remove_member',
  'update_member',
  'map_room',
  'create_room',
  'rename_room',
  'raise_seats',
  'reactivate_user',
  'update_role_mapping',
  'allow_removals',
  'provision_rooms',
  'plugin',
] as const;

/** A change that one call makes, so that each client can offer it in its own way. */
const Remedy = z
  .strictObject({
    action: z.enum(ACTIONS),
    method: z.enum(['POST', 'PATCH', 'DELETE']),
    path: z.string().describe('Of the call, in this API.'),
    body: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Of the call; what is to be chosen is left out.'),
    room_id: z.string().optional(),
    room_name: z.string().optional(),
    user_id: z.string().optional(),
    user_name: z.string().optional().describe("The user's e-mail address; without one, the id."),
    role_mapping_id: z.string().optional(),
    group_name: z.string().optional().describe('The group of the role mapping.'),
    key_id: z.string().optional(),
    key_name: z.string().optional().describe('Description of the API key.'),
    label: z.string().optional().describe('What it does, if `action` is `plugin`.'),
    command: z
      .array(z.string())
      .optional()
      .describe('Words of the command after `rollgate`, if `action` is `plugin`.'),
  })
  .meta({ id: 'ExplainedRemedy' });

export type Remedy = z.output<typeof Remedy>;

/** An explanation: the answer, the facts behind it, and what would change it (decisions.md 8). */
export const Explanation = z
  .strictObject({
    question: z.string(),
    answer: z.strictObject({
      text: z.string(),
      member: z.boolean().optional().describe('Whether the user is in the room.'),
      can_use: z
        .boolean()
        .optional()
        .describe('Whether the user can use the room: a member who is not deactivated.'),
      tx_permission: z.boolean().nullable().optional().describe('Null for a non-member.'),
      not_member_because: z
        .enum(['removed', 'never_added', 'never_created', 'no_room', 'unknown'])
        .optional()
        .describe(
          'Of a user who is not in the room. `never_created`: the creation of the user was refused. ' +
            '`no_room`: the room does not exist. `unknown`: the provisioning log does not reach ' +
            'back far enough.',
        ),
      role: z
        .string()
        .nullable()
        .optional()
        .describe('The current role; null if the user was deleted or never created.'),
      command_id: z.string().optional().describe('The entry of the log that is the cause.'),
      request_id: z.string().optional().describe('Request id of that entry.'),
      link: z.string().optional().describe('Path of that entry, in this API.'),
    }),
    facts: z.array(Fact).describe('The facts that lead to the answer, in order.'),
    would_change: z.array(
      z.strictObject({
        text: z.string(),
        role: z.string().optional().describe('The resulting role.'),
        remedy: Remedy.optional().describe('Absent: no call of this API makes the change.'),
      }),
    ),
  })
  .meta({
    id: 'Explanation',
    examples: [
      {
        question: 'Why does Ada Lovelace (ada@example.com) have the role "dispatcher"?',
        answer: {
          text: 'The role mapping of the group "Dispatch" gives the role "dispatcher".',
          role: 'dispatcher',
        },
        facts: [
          {
            kind: 'role_mapping',
            text: 'The user is in the group "Dispatch", whose mapping gives "dispatcher" with priority 10.',
            group_id: '5d0c9b8a-7f6e-4d5c-8b4a-392817065f4e',
            group_name: 'Dispatch',
          },
        ],
        would_change: [
          { text: 'Leaving the group "Dispatch" would give the role "member".', role: 'member' },
        ],
      },
    ],
  });

export type Explanation = z.output<typeof Explanation>;

export type Changes = Explanation['would_change'];

/** Masks phone numbers, which names of rooms and users may contain. */
const mask = (text: string): string => maskNumbersIn(text);

/** Masks phone numbers in all sentences. */
export const maskNumbers = ({
  question,
  answer,
  facts,
  would_change,
}: Explanation): Explanation => ({
  question: mask(question),
  answer: { ...answer, text: mask(answer.text) },
  facts: facts.map((fact) => ({
    ...fact,
    text: mask(fact.text),
    ...(fact.group_name !== undefined && { group_name: mask(fact.group_name) }),
  })),
  would_change: would_change.map(({ remedy, ...change }) => ({
    ...change,
    text: mask(change.text),
    // The log has some names masked only.
    ...(remedy && !isMasked(JSON.stringify(remedy.body ?? {})) && { remedy }),
  })),
});

/** `Ada Lovelace (ada@example.com)` */
export const userLabel = ({ user: { profile } }: FoundUser): string => {
  const name = displayNameOf(profile);
  return name === profile.userName ? name : `${name} (${profile.userName})`;
};

/** `by the API key "Okta" over SCIM on 24 November 2026 at 14:02 UTC` */
export const deletionOf = ({ deletedAt, deletedBy }: FoundUser): string =>
  `${deletedBy ? `${authorOf(deletedBy)} ` : ''}on ${timeInWords(deletedAt ?? new Date(0))}`;

export const userFact = (found: FoundUser): Fact => {
  const { user, deletedAt } = found;
  const name = userLabel(found);
  const state =
    deletedAt !== null
      ? `was deleted ${deletionOf(found)}, which ended all memberships.`
      : user.profile.active
        ? 'is active.'
        : 'is deactivated: the user keeps memberships and role, but cannot sign in.';
  return { kind: 'user', text: `${name} ${state}`, user_id: user.id };
};

/** The tenant's part of the operators' API. */
const tenantPath = (slug: string): string => `/admin/v1/tenants/${slug}`;

/** What a fact says about the entry that it comes from. */
export const entryFields = (line: CommandLogEntry, slug: string) => ({
  command_id: line.id,
  request_id: line.requestId,
  link: `${tenantPath(slug)}/commands/${line.id}`,
});

const MAX_NAMES = 3;

/** `ada@example.com, grace@example.com and 2 others` */
export const someOf = (names: readonly string[], count = names.length): string => {
  const shown = names.slice(0, MAX_NAMES);
  const rest = count - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} ${rest === 1 ? 'other' : 'others'}`;
  const last = shown.at(-1) ?? '';
  return shown.length > 1 ? `${shown.slice(0, -1).join(', ')} and ${last}` : last;
};

/** Whom a refused command would have added; empty if it named nobody. */
export const describeAffected = ({ affected, affectedCount, refusal }: CommandLogEntry): string => {
  const names = affected.flatMap(({ name }) => name ?? []);
  return refusal && names.length > 0 ? ` Affected: ${someOf(names, affectedCount)}.` : '';
};

/** For lists of entries: `commands.map(commandFact(slug))`. */
export const commandFact =
  (slug: string, userId?: string) =>
  (line: CommandLogEntry): Fact => ({
    kind: line.refusal ? 'refused' : 'command',
    text: `${capitalise(describeEntry(line, userId))}.${describeAffected(line)}`,
    ...entryFields(line, slug),
    at: line.at.toISOString(),
  });

interface CallParts extends Omit<Remedy, 'path'> {
  readonly to: string;
}

/** A call of the operators' API within a tenant. */
export const remedyOf = (slug: string, { to, ...remedy }: CallParts): Remedy => ({
  ...remedy,
  path: tenantPath(slug) + to,
});

/** What a free seat needs, of a user whom there was none for. */
export const waysToSeat = (
  {
    slug,
    seatCapacity,
    seatsProvisioned,
  }: Pick<Tenant, 'slug' | 'seatCapacity' | 'seatsProvisioned'>,
  /** How many users wait for one. */
  waiting: number,
): Changes => {
  if (seatCapacity === null || seatCapacity > seatsProvisioned) return [];
  const seats = seatsProvisioned + Math.max(1, waiting);
  return [
    {
      text: `Raising the number of seats from ${seatCapacity} to ${seats}.`,
      remedy: remedyOf(slug, {
        action: 'raise_seats',
        method: 'PATCH',
        to: '',
        body: { seat_capacity: seats },
      }),
    },
    { text: 'Deactivating a user, whose seat then becomes available.' },
  ];
};

/** What plugins have on a person. */
export const personFacts = (people: readonly PersonFact[]): readonly Fact[] =>
  people.map(({ text, page }) => ({ kind: 'plugin', text, page }));

export const waysOfPlugins = (slug: string, people: readonly PersonFact[]): Changes =>
  people
    .flatMap(({ remedies }) => remedies)
    .map(({ text, call }) => ({
      text,
      ...(call && {
        remedy: remedyOf(slug, {
          action: 'plugin',
          method: 'POST',
          to: call.path,
          body: { ...call.body },
          label: call.label,
          command: [...call.command],
        }),
      }),
    }));

/** Creating the room of a group, for whose push it is missing, or mapping another one to it. */
export const waysToMakeRoom = (
  { slug, roomProvisioning }: Pick<Tenant, 'slug' | 'roomProvisioning'>,
  name: string,
  {
    rooms,
    pushed,
    group,
  }: {
    readonly rooms: SimilarNames['rooms'];
    /** Whether a group of this name was refused. */
    readonly pushed: boolean;
    /** The group of this name, which has no room. */
    readonly group: Group | undefined;
  },
): Changes => [
  ...(pushed ? rooms : [])
    .filter((one) => one.group === null)
    .map(({ room }) => mappingOf(slug, room, name)),
  {
    text: `Creating the room "${name}"${
      group
        ? `, ${pushingAgain(name)}`
        : '. A group of this name is mapped to it when it is pushed again.'
    }`,
    remedy: remedyOf(slug, {
      action: 'create_room',
      method: 'POST',
      to: '/rooms',
      body: { name },
      room_name: name,
    }),
  },
  ...(pushed && roomProvisioning === 'manual'
    ? [
        {
          text: 'Letting every push of a group create the room that it needs.',
          remedy: remedyOf(slug, {
            action: 'provision_rooms',
            method: 'PATCH',
            to: '',
            body: { room_provisioning: 'automatic' },
          }),
        },
      ]
    : []),
];

/** A group that exists keeps its members apart: only a new one becomes the room's. */
export const pushingAgain = (group: string): string =>
  `deleting the group "${group}" in the identity provider's application and pushing it again. It is ` +
  'then mapped to the room.';

export const mappingOf = (
  slug: string,
  { id, name }: Pick<Room, 'id' | 'name'>,
  group: string,
): Changes[number] => ({
  text:
    `Mapping the room "${name}" to the group "${group}" of the identity provider, which then ` +
    'adds and removes its members.',
  remedy: remedyOf(slug, {
    action: 'map_room',
    method: 'PATCH',
    to: `/rooms/${id}/mapping`,
    body: { display_name: group },
    room_id: id,
    room_name: name,
  }),
});

/** Rooms and groups that may be meant, and groups that were refused. */
export const similarFacts = (
  slug: string,
  { rooms, groups, refused }: SimilarNames,
): readonly Fact[] => [
  ...rooms.map(({ room, group }): Fact => ({
    kind: 'similar',
    text: `The room "${room.name}" has a similar name. ${
      group ? `It is mapped to the group "${group.displayName}".` : 'It has no group.'
    }`,
    room_id: room.id,
  })),
  ...groups.map(({ id, displayName }): Fact => ({
    kind: 'similar',
    text: `The group "${displayName}" has no room: its members are in no room because of it.`,
    group_id: id,
    group_name: displayName,
  })),
  ...refused.map(commandFact(slug)),
];
