import { z } from 'zod';
import type { FoundUser } from '../../ports/command-log.js';
import { maskNumbersIn } from '../../domain/kernel/names.js';
import { displayNameOf } from '../../domain/user/user.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';

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
  'command',
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
  })
  .meta({ id: 'ExplainedFact' });

export type Fact = z.output<typeof Fact>;

const ACTIONS = [
  'add_member',
  'remove_member',
  'update_member',
  'map_room',
  'update_role_mapping',
] as const;

/** A change that one call makes, so that each client can offer it in its own way. */
const Remedy = z
  .strictObject({
    action: z.enum(ACTIONS),
    method: z.enum(['POST', 'PATCH', 'DELETE']),
    path: z.string().describe('Of the call, in this API.'),
    body: z
      .record(z.string(), z.json())
      .optional()
      .describe('Of the call; what is to be chosen is left out.'),
    room_id: z.string().optional(),
    user_id: z.string().optional(),
    role_mapping_id: z.string().optional(),
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
      tx_permission: z.boolean().nullable().optional().describe('Null for a non-member.'),
      not_member_because: z
        .enum(['removed', 'never_added', 'unknown'])
        .optional()
        .describe(
          'Of a user who is not in the room. `unknown`: the provisioning log does not reach back ' +
            'far enough.',
        ),
      role: z.string().nullable().optional().describe('The current role; null for a deleted user.'),
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
  would_change: would_change.map((change) => ({ ...change, text: mask(change.text) })),
});

/** `Ada Lovelace (ada@example.com)` */
export const userLabel = ({ user: { profile } }: FoundUser): string => {
  const name = displayNameOf(profile);
  return name === profile.userName ? name : `${name} (${profile.userName})`;
};

export const userFact = (found: FoundUser): Fact => {
  const { user, deletedAt } = found;
  const name = userLabel(found);
  const state =
    deletedAt !== null
      ? `was deleted at ${deletedAt.toISOString()}, which ended all memberships.`
      : user.profile.active
        ? 'is active.'
        : 'is deactivated: the user keeps memberships and role, but cannot sign in.';
  return { kind: 'user', text: `${name} ${state}`, user_id: user.id };
};

const SOURCE_NAMES: Readonly<Record<CommandLogEntry['source'], string>> = {
  scim: 'over SCIM',
  rest: 'over the REST API',
  admin: "over the operators' API",
  cli: 'with the rollgate CLI',
  dashboard: 'in the dashboard',
  connector: 'by a connector',
  system: 'by the gateway itself',
};

/** `the API key "Okta"` */
const actorOf = ({ actor, actorName }: CommandLogEntry): string => {
  const [kind, rest] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  return kind === 'api-key' ? `the API key "${actorName ?? rest}"` : `${kind} ${actorName ?? rest}`;
};

/** `user.patch over SCIM by the API key "Okta"` */
export const describeEntry = (line: CommandLogEntry): string =>
  line.source === 'system'
    ? `${line.type} ${SOURCE_NAMES.system}`
    : `${line.type} ${SOURCE_NAMES[line.source]} by ${actorOf(line)}`;

/** `by the API key "Okta" over SCIM` */
export const describeAuthor = (line: CommandLogEntry): string =>
  line.source === 'system'
    ? SOURCE_NAMES.system
    : `by ${actorOf(line)} ${SOURCE_NAMES[line.source]}`;

/** The tenant's part of the operators' API. */
export const tenantPath = (slug: string): string => `/admin/v1/tenants/${slug}`;

/** What a fact says about the entry that it comes from. */
export const entryFields = (line: CommandLogEntry, slug: string) => ({
  command_id: line.id,
  request_id: line.requestId,
  link: `${tenantPath(slug)}/commands/${line.id}`,
});

/** For lists of entries: `commands.map(commandFact(slug))`. */
export const commandFact =
  (slug: string) =>
  (line: CommandLogEntry): Fact => {
    const about = line.subject?.name ? ` on ${line.subject.kind} "${line.subject.name}"` : '';
    const code = line.refusal ? `, ${line.refusal.code}` : '';
    return {
      kind: 'command',
      text: `${line.at.toISOString()}: ${describeEntry(line)}${about} (${line.outcome}${code}).`,
      ...entryFields(line, slug),
      at: line.at.toISOString(),
    };
  };
