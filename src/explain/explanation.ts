import { z } from 'zod';
import type { Command } from '../domain/commands.js';
import type { CommandLogEntry } from '../pipeline/commit-store.js';
import { newId } from '../pipeline/submit.js';
import { isMasked, maskNumbersIn as mask } from '../domain/kernel/names.js';
import { textLike } from '../routes/fields.js';
import { fromWire } from '../routes/wire.js';

const FactView = z
  .strictObject({
    kind: z.enum([
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
    ]),
    text: textLike('Ada Lovelace (ada@example.com) is active.').describe(
      'Human-readable sentence.',
    ),
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

/** The call that makes each change, below the tenant's part of the operators' API, and its command. */
const CALLS = {
  add_member: ['POST', '/rooms/{room_id}/members', 'member.add'],
  remove_member: ['DELETE', '/rooms/{room_id}/members/{user_id}', 'member.remove'],
  update_member: ['PATCH', '/rooms/{room_id}/members/{user_id}', 'member.update'],
  map_room: ['PATCH', '/rooms/{room_id}/mapping', 'room.map'],
  create_room: ['POST', '/rooms', 'room.create'],
  rename_room: ['PATCH', '/rooms/{room_id}', 'room.rename'],
  raise_seats: ['PATCH', '', 'tenant.update'],
  reactivate_user: ['PATCH', '/users/{user_id}', 'user.update'],
  update_role_mapping: ['PATCH', '/role-mappings/{role_mapping_id}', 'role-mapping.update'],
  allow_removals: ['POST', '/api-keys/{key_id}/allow-removals', 'api-key.allow-removals'],
  provision_rooms: ['PATCH', '', 'tenant.update'],
  plugin: ['POST', '{path}', null],
} as const;

type IdInPath = 'room_id' | 'user_id' | 'role_mapping_id' | 'key_id' | 'path';

/** A change that one call makes, so that each client can offer it in its own way. */
const RemedyView = z
  .strictObject({
    action: z.enum(Object.keys(CALLS) as readonly (keyof typeof CALLS)[]),
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

/** An explanation: the answer, the facts behind it, and what would change it (decisions.md 8). */
export const Explanation = z
  .strictObject({
    question: textLike('Why does Ada Lovelace (ada@example.com) have the role "dispatcher"?'),
    answer: z.strictObject({
      text: textLike('The role mapping of the group "Dispatch" gives the role "dispatcher".'),
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
    facts: z.array(FactView).describe('The facts that lead to the answer, in order.'),
    would_change: z.array(
      z.strictObject({
        text: textLike('Leaving the group "Dispatch" would give the role "member".'),
        role: z.string().optional().describe('The resulting role.'),
        remedy: RemedyView.optional().describe('Absent: no call of this API makes the change.'),
      }),
    ),
  })
  .meta({ id: 'Explanation' });

type Explanation = z.output<typeof Explanation>;
/** What says which entry of the log a sentence is about. */
type EntryField = 'command_id' | 'request_id' | 'link';

/** A sentence, and the entry of the provisioning log that it is about. */
export interface Sentence {
  readonly text: string;
  readonly entry?: CommandLogEntry | null | undefined;
}

export type Fact = Sentence & Omit<z.output<typeof FactView>, EntryField | 'at'>;

/** The method and the path of the call follow from the action and the ids; a plugin has its own path. */
type Remedy = Omit<z.output<typeof RemedyView>, 'method' | 'path'> & { readonly path?: string };

export interface Change {
  readonly text: string;
  readonly role?: string;
  readonly remedy?: Remedy | undefined;
}

/** False, null or undefined: it does not apply, and is not written. */
export type Maybe<One> = One | false | null | undefined;

/** An explanation before it is written for a tenant. */
export interface Draft {
  readonly question: string;
  readonly answer: Omit<Explanation['answer'], EntryField | 'text'>;
  /** The sentences of the answer. The first entry of the log among them is its cause. */
  readonly because: readonly Maybe<Sentence>[];
  readonly facts: readonly Maybe<Fact>[];
  readonly changes: readonly Maybe<Change>[];
}

export const isGiven = <One>(one: Maybe<One>): one is One => Boolean(one);

/** Two sentences about the same entry, or the same group, say the same. */
const topicOf = ({ entry, group_id, text }: Sentence & { readonly group_id?: unknown }): unknown =>
  entry?.id ?? group_id ?? text;

/** The first sentence of each topic, without those of the answer. */
const withoutRepeats = <One extends Sentence>(
  given: readonly Maybe<One>[],
  answer: readonly Sentence[] = [],
): readonly One[] => {
  const topics = new Set(answer.map(topicOf));
  return given.filter(isGiven).filter((one) => {
    const isNew = !topics.has(topicOf(one));
    topics.add(topicOf(one));
    return isNew;
  });
};

/** What routes add to the body of a call. */
const newFields = () => ({
  'member.add': { txPermission: false },
  'room.create': { roomId: newId() },
  'room.map': { groupId: newId() },
});

/** The command that the remedy's call submits, for a dry run; undefined: a plugin's. */
export const commandOf = (remedy: Remedy): Command | undefined => {
  const [, path, type] = CALLS[remedy.action];
  if (type === null) return undefined;
  const idsInPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    const id = name as IdInPath;
    return [id === 'role_mapping_id' ? 'mapping_id' : id, remedy[id]];
  });
  const given = fromWire({ ...Object.fromEntries(idsInPath), ...remedy.body } as object);
  return { type, ...new Map(Object.entries(newFields())).get(type), ...given } as Command;
};

/** The call that makes the change; `base` is the tenant's part of the operators' API. */
const callOf = (remedy: Remedy, base: string) => {
  const [method, path] = CALLS[remedy.action];
  const idOf = (_match: string, name: IdInPath): string => remedy[name] ?? '';
  return { ...remedy, method, path: base + path.replaceAll(/\{(\w+)\}/g, idOf) };
};

/** The explanation, with paths of the operators' API. Phone numbers, which names may contain, are masked. */
export const writeExplanation = (
  { question, answer, because, facts, changes }: Draft,
  slug: string,
): Explanation => {
  const base = `/admin/v1/tenants/${slug}`;
  const fieldsOf = ({ id, requestId }: CommandLogEntry) => ({
    command_id: id,
    request_id: requestId,
    link: `${base}/commands/${id}`,
  });
  const sentences = because.filter(isGiven);
  const cause = sentences.find(({ entry }) => entry)?.entry;
  return {
    question: mask(question),
    answer: {
      text: mask(sentences.map(({ text }) => text).join(' ')),
      ...answer,
      ...(cause && fieldsOf(cause)),
    },
    facts: withoutRepeats(facts, sentences).map(({ entry, ...fact }) => ({
      ...fact,
      text: mask(fact.text),
      ...(fact.group_name !== undefined && { group_name: mask(fact.group_name) }),
      ...(entry && { ...fieldsOf(entry), at: entry.at.toISOString() }),
    })),
    would_change: withoutRepeats(changes).map(({ remedy, ...change }) => ({
      ...change,
      text: mask(change.text),
      // The log has some names masked only.
      ...(remedy &&
        !isMasked(JSON.stringify(remedy.body ?? {})) && { remedy: callOf(remedy, base) }),
    })),
  };
};
