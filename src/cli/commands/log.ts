import type { Source } from '../../domain/kernel/actor.js';
import { printable } from '../display-width.js';
import { formatSecond } from '../format-time.js';
import { followLog } from '../follow-log.js';
import { detailOf, LogEntry, nameOf } from '../log-entry.js';
import { CURSOR_PAGING } from '../paging.js';
import { parsePastTime } from '../parse-argument.js';
import { defineResource } from '../resource.js';
import { ADMIN_ONLY } from '../session.js';

const SOURCES = [
  'scim',
  'rest',
  'admin',
  'cli',
  'dashboard',
  'connector',
  'system',
] as const satisfies readonly Source[];
const OUTCOMES = ['applied', 'no-op', 'refused', 'failed'] as const;

export const LOG = defineResource({
  name: 'log',
  noun: 'a log entry',
  plural: 'log entries',
  summary: 'read the provisioning log',
  description: 'The provisioning log: every command with its actor, subject, outcome and changes.',
  path: '/commands',
  items: 'commands',
  view: LogEntry,
  fields: [
    { label: 'time', text: ({ at }) => formatSecond(at) },
    { label: 'outcome', text: ({ outcome }) => printable(outcome) },
    { label: 'command', text: ({ type }) => printable(type) },
    { label: 'subject', text: ({ subject }) => nameOf(subject), wrapAt: 32 },
    { label: 'actor', text: ({ actor }) => nameOf(actor), wrapAt: 24 },
    { label: 'source', text: ({ source }) => printable(source) },
    { label: 'detail', text: detailOf, wrapAt: 60 },
    { label: 'request id', text: ({ request_id }) => printable(request_id) },
  ],
  id: ({ id }) => id,
  label: ({ id }) => id,
  readAccess: ADMIN_ONLY,
  list: {
    isDefault: true,
    follow: followLog,
    description:
      'List the provisioning log of a tenant, newest first. All given filters must match. With ' +
      '--follow, print the last 10 entries and every new one, oldest first, until Ctrl-C; with ' +
      '--json one per line.',
    paging: CURSOR_PAGING,
    filters: [
      { flags: '--subject <name>', field: 'subject', help: 'only this subject: an id or a name' },
      {
        flags: '--affected <name>',
        field: 'affected',
        help: 'only changes to this user or room: an id, or a user name or email address',
      },
      { flags: '--actor <name>', field: 'actor', help: "only this actor: a key's id or a name" },
      { flags: '--type <command>', field: 'type', help: 'only this command, such as user.create' },
      {
        flags: '--source <source>',
        field: 'source',
        help: `only this interface: ${SOURCES.join(', ')}`,
        choices: SOURCES,
      },
      {
        flags: '--outcome <outcome>',
        field: 'outcome',
        help: `only this outcome: ${OUTCOMES.join(', ')}`,
        choices: OUTCOMES,
      },
      { flags: '--request-id <id>', field: 'request_id', help: 'only commands of this request' },
      {
        flags: '--since <time>',
        field: 'since',
        help: 'only since this time; 2h means two hours ago',
        parse: parsePastTime,
      },
      {
        flags: '--until <time>',
        field: 'until',
        help: 'only before this time',
        parse: parsePastTime,
      },
      { flags: '--search <text>', field: 'q', help: 'only entries with this text in a name or id' },
    ],
    examples: [
      ['rollgate log list acme --outcome refused --since 1h', 'what was refused, and why'],
      ['rollgate log list acme --affected ada@example.com', 'everything that changed a user'],
      ['rollgate log list acme --json | jq .commands', 'with all fields'],
      ['rollgate log acme --follow --outcome refused', 'what is refused from now on'],
    ],
  },
});
