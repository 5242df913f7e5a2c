import { z } from 'zod';
import type { FoundUser } from '../../../api/explain.js';
import { maskNumbersIn } from '../../../domain/kernel/mask-number.js';
import { displayNameOf } from '../../../domain/user/user.js';
import type { CommandLogEntry } from '../../../pipeline/commit-store.js';

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
    role_mapping_id: z.string().optional(),
    command_id: z.string().optional().describe('Id of an entry in the provisioning log.'),
    at: z.string().optional().meta({ format: 'date-time' }),
  })
  .meta({ id: 'ExplainedFact' });

export type Fact = z.output<typeof Fact>;

/** An explanation: the answer, the facts behind it, and what would change it (decisions.md 8). */
export const Explanation = z
  .strictObject({
    question: z.string(),
    answer: z.strictObject({
      text: z.string(),
      member: z.boolean().optional().describe('Whether the user is in the room.'),
      tx_permission: z.boolean().nullable().optional().describe('Null for a non-member.'),
      role: z.string().nullable().optional().describe('The current role; null for a deleted user.'),
    }),
    facts: z.array(Fact).describe('The facts that lead to the answer, in order.'),
    would_change: z.array(
      z.strictObject({
        text: z.string(),
        role: z.string().optional().describe('The resulting role.'),
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
  facts: facts.map((fact) => ({ ...fact, text: mask(fact.text) })),
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

/** `user.patch over SCIM by the API key "Okta"` */
export const describeEntry = ({ type, source, actor, actorName }: CommandLogEntry): string => {
  const [kind, rest] = [actor.slice(0, actor.indexOf(':')), actor.slice(actor.indexOf(':') + 1)];
  const who = kind === 'api-key' ? `the API key "${actorName ?? rest}"` : `${kind} ${rest}`;
  return source === 'system'
    ? `${type} ${SOURCE_NAMES.system}`
    : `${type} ${SOURCE_NAMES[source]} by ${who}`;
};

export const commandFact = (line: CommandLogEntry): Fact => {
  const about = line.subject?.name ? ` on ${line.subject.kind} "${line.subject.name}"` : '';
  const code = line.refusal ? `, ${line.refusal.code}` : '';
  return {
    kind: 'command',
    text: `${line.at.toISOString()}: ${describeEntry(line)}${about} (${line.outcome}${code}).`,
    command_id: line.id,
    at: line.at.toISOString(),
  };
};
