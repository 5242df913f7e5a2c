import { z } from 'zod';
import { idField, instantField, textLike } from '../../routes/fields.js';
import { toWire } from '../../routes/wire.js';
import { parseOperatorId } from '../../domain/kernel/ids.js';
import type { Source } from '../../domain/kernel/actor.js';
import { LOGGED_COMMAND_TYPES } from '../../domain/command-catalogue.js';
import { titleOf, typeTitles } from '../../domain/command-words.js';
import {
  type CommandLogEntry,
  type LogOutcome,
  MAX_AFFECTED_SHOWN,
  MAX_CHANGES_SHOWN,
  MAX_SKIPPED_SHOWN,
} from '../../pipeline/commit-store.js';

export const TYPES = LOGGED_COMMAND_TYPES;
export const OUTCOMES = [
  'applied',
  'no-op',
  'refused',
  'failed',
] as const satisfies readonly LogOutcome[];
export const SOURCES = [
  'scim',
  'rest',
  'admin',
  'cli',
  'dashboard',
  'connector',
  'system',
] as const satisfies readonly Source[];

const KINDS =
  '`user`, `room`, `group`, `role_mapping`, `sms_list`, `api_key`, `tenant`, or what a plugin names';

const LoggedObject = z
  .strictObject({
    kind: z.string().describe(`${KINDS}.`),
    id: z.string().nullable().describe('Null if the command that would create it was refused.'),
    name: textLike('ada@example.com')
      .nullable()
      .describe('Name at that time, or as the client sent it. Phone numbers are masked.'),
  })
  .meta({ id: 'LoggedObject' });

const LoggedChange = z
  .strictObject({
    path: textLike('active').describe(
      'Path of the field in the subject; fields of other objects start with their collection: ' +
        '`users[<id>].role`.',
    ),
    before: z.unknown().optional().describe('Null if it had no value.'),
    after: z
      .unknown()
      .optional()
      .describe('If both `before` and `after` are absent, the values are not recorded.'),
  })
  .meta({ id: 'LoggedChange' });

/** An entry of the provisioning log (decisions.md 8). */
export const CommandView = z
  .strictObject({
    id: idField("The command's id."),
    at: instantField('When the command was decided.'),
    actor: z.strictObject({
      kind: z.enum(['api-key', 'operator', 'connector', 'system']),
      id: idField('Id of the API key or the operator; null for other actors.').nullable(),
      name: textLike('Okta')
        .nullable()
        .describe('Label of the API key at that time, or name of the actor.'),
    }),
    source: z.enum(SOURCES).describe('Interface used.'),
    type: z.enum(TYPES).meta({ examples: ['user.patch'], 'x-titles': typeTitles() }),
    title: textLike('Deactivated user').describe(
      'What was done, or was to be done, in words; the name of the subject follows: `Created user`.',
    ),
    subject: LoggedObject.nullable().describe('The object that the command is about.'),
    affected: z
      .array(LoggedObject)
      .describe(
        'Other objects that changed, or the users whom a refused command would have added: the first ' +
          `${MAX_AFFECTED_SHOWN}, users last.`,
      ),
    affected_count: z.int().min(0).describe('Number of these objects.'),
    changes: z.array(LoggedChange).describe(`Changed values: the first ${MAX_CHANGES_SHOWN}.`),
    change_count: z.int().min(0).describe('Number of changed values.'),
    skipped_members: z
      .array(z.string())
      .optional()
      .describe(
        `Ids of unknown members that were left out (tenant setting scim.unknown_members): the first ${MAX_SKIPPED_SHOWN}. Absent: none.`,
      ),
    skipped_member_count: z.int().min(1).optional().describe('Number of these members.'),
    outcome: z.enum(OUTCOMES),
    error: z.string().nullable().describe('Error code, if refused or failed.'),
    message: z.string().nullable().describe('Error message, without personal data.'),
    events: z
      .strictObject({ first_seq: z.int(), last_seq: z.int() })
      .nullable()
      .describe(
        'Sequence numbers of its events: `GET …/events?after=<first_seq − 1>` returns them.',
      ),
    deliveries: z
      .int()
      .min(0)
      .describe(
        'Number of recorded deliveries of its events: from their first attempt on, for 7 or 30 days.',
      ),
    duration_ms: z.number(),
    request_id: z.string(),
  })
  .meta({ id: 'Command' });

type ActorView = z.output<typeof CommandView>['actor'];

const presentActor = ({ actor, actorName }: CommandLogEntry): ActorView => {
  const at = actor.indexOf(':');
  const [kind, rest] = [actor.slice(0, at) as ActorView['kind'], actor.slice(at + 1)];
  return kind === 'api-key' || parseOperatorId(rest) !== undefined
    ? { kind, id: rest, name: actorName }
    : { kind, id: null, name: actorName ?? rest };
};

export const presentCommand = (entry: CommandLogEntry) =>
  toWire(CommandView, {
    ...entry,
    actor: presentActor(entry),
    title: titleOf(entry),
    ...(entry.skipped && {
      skippedMembers: entry.skipped.ids,
      skippedMemberCount: entry.skipped.count,
    }),
    error: entry.refusal?.code ?? null,
    message: entry.refusal?.message ?? null,
    events: entry.events && { firstSeq: entry.events[0], lastSeq: entry.events[1] },
  });
