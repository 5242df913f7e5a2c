import {
  type CliAccess,
  type CliAction,
  type CliCall,
  type CliOption,
  type CliResource,
  type CliResult,
  defineCliResource,
  z,
} from '../../src/plugin/api.js';
import { WEBHOOKS as SCOPE } from './declarations.js';

const ACCESS: CliAccess = { admin: true, scope: SCOPE };

/** `2026-11-18T09:00:12Z` */
const toSecond = (iso: string): string => iso.replace(/\.\d+Z$/, 'Z');

// ── Webhooks ─────────────────────────────────────────────────────────────────────────────────────

const WebhookView = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  status: z.string(),
  description: z.string().nullable(),
  created_at: z.string(),
  header_names: z.array(z.string()).default([]),
  include: z.array(z.string()).default([]),
  disabled_reason: z.string().optional(),
  last_trigger_status: z.string().nullable().default(null),
  secret_rotation: z.object({ signed_with: z.enum(['new', 'old']), until: z.string() }).optional(),
  /** In the response to its creation only. */
  secret: z.string().optional(),
});

/** `Authorization: Bearer …` */
const parseHeader = (text: string): Record<string, string> => {
  const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { [name]: value };
  throw new Error('Use "Name: value".');
};

const EVENTS: CliOption = {
  flags: '--event, --events <names>',
  help: 'events to send, such as user.created, "room.*" or "*" (all); repeatable, or separated by commas',
  parse: (text) => text.split(',').map((name) => name.trim()),
};
const DESCRIPTION: CliOption = {
  flags: '--description <text>',
  help: 'label, shown in lists and usable in commands',
};
const HEADER: CliOption = {
  flags: '--header <name:value>',
  field: 'headers',
  help: 'header to send with each delivery, stored encrypted; repeatable',
  parse: parseHeader,
};
const INCLUDE: CliOption = {
  flags: '--include <names>',
  help: 'also send user.custom, the values of attributes of the tenant; or "none" (default)',
  parse: (text) => (text === 'none' ? [] : text.split(',').map((name) => name.trim())),
};
const SECRET: CliOption = {
  flags: '--secret <text>',
  help: 'signing secret, or "-" to read it from standard input (default: a generated one)',
  isSecret: true,
};

const TestResult = z.object({
  delivered: z.boolean(),
  status: z.int().nullable(),
  body: z.string().nullable(),
  duration_ms: z.int(),
  error: z.string().nullable(),
});

const test: CliAction = {
  name: 'test',
  summary: 'send a test event',
  description:
    'Send one signed test event, without retries, and print the response. Disabled webhooks can be ' +
    'tested, too. Exits with 1 if the receiver does not respond with 2xx.',
  run: async ({ path, request }) => {
    const result = TestResult.parse(await request('POST', `${path}/test`));
    const { delivered, status, body, duration_ms, error } = result;
    return {
      note: delivered ? 'Delivered the test event.\n\n' : 'Test event not delivered.\n\n',
      sections: [
        {
          fields: [
            ['status', status?.toString()],
            ['duration', `${duration_ms} ms`],
            ['error', error],
            ['body', body],
          ],
        },
      ],
      isFailure: !delivered,
    };
  },
  examples: [['rollgate webhook test acme "Badge system"', 'by its description']],
};

const RotatedSecret = z.object({ secret: z.string() });

/** What deliveries are signed with from now on. */
const signatures = ({ overlap_hours: hours = 24, switch: at }: CliCall['fields']): string => {
  if (hours === 0) return 'Only the new secret signs.';
  const now =
    at === 'after_overlap'
      ? 'X-Service-Signature is of the old one, X-Service-Signature-Next of the new one.'
      : 'X-Service-Signature is of the new one, X-Service-Signature-Previous of the old one.';
  return `Both secrets sign for ${String(hours)} h. ${now}`;
};

const rotateSecret: CliAction = {
  name: 'rotate-secret',
  canDryRun: true,
  summary: 'replace the signing secret',
  description:
    'Replace the signing secret and show the new one once. During the overlap, deliveries are ' +
    'signed with both secrets. The secret is printed to standard output.',
  options: [
    {
      flags: '--overlap-hours <hours>',
      help: 'how long both secrets sign, up to 168 (default: 24)',
      type: { min: 0, max: 168 },
    },
    {
      flags: '--switch <now|after_overlap>',
      help: 'when the header X-Service-Signature uses the new secret (default: now)',
      choices: ['now', 'after_overlap'],
    },
    SECRET,
  ],
  run: async ({ path, fields, request }) => {
    const response = await request('POST', `${path}/rotate-secret`, { body: fields });
    const { secret } = RotatedSecret.parse(response);
    return {
      note: `Rotated the signing secret. Copy it now: it cannot be shown again.\n${signatures(fields)}\n\n`,
      sections: [{ text: `${secret}\n` }],
      quiet: [secret],
    };
  },
  examples: [
    ['rollgate webhook rotate-secret acme "Badge system"', 'both secrets sign for 24 hours'],
    [
      'rollgate webhook rotate-secret acme "Badge system" --overlap-hours 0',
      'the old secret stops signing at once',
    ],
  ],
};

const RecoveryView = z.object({
  id: z.string(),
  since: z.string(),
  state: z.string(),
  recovered: z.int(),
});

const showRecovery = (response: unknown): CliResult => {
  const { id, since, state, recovered } = RecoveryView.parse(response);
  return {
    sections: [
      {
        fields: [
          ['state', state],
          ['since', toSecond(since)],
          ['requeued', String(recovered)],
          ['id', id],
        ],
      },
    ],
    quiet: [id],
  };
};

const recover: CliAction = {
  name: 'recover',
  summary: 'send all failed deliveries since a time again',
  description:
    'Send everything that failed since a time again, oldest first, in the background. Events that ' +
    'were dropped while the webhook was disabled are not included; see "rollgate event list".',
  options: [
    {
      flags: '--since <time>',
      help: 'only deliveries since this time: 2h means two hours ago; also 2027-01-31 or 2027-01-31T08:00Z',
      type: 'past-time',
      isRequired: true,
    },
  ],
  run: async ({ path, fields, request }) => ({
    ...showRecovery(await request('POST', `${path}/recover`, { body: fields })),
    note: 'Started the recovery.\n\n',
  }),
  examples: [['rollgate webhook recover acme "Badge system" --since 6h', 'after an outage']],
};

const recovery: CliAction = {
  name: 'recovery',
  arguments: [{ name: '<recovery>', help: "the recovery's id" }],
  summary: 'show the progress of a recovery',
  description: 'Show the progress of a recovery. Finished recoveries are kept for a week.',
  run: async ({ path, args: [id = ''], request }) =>
    showRecovery(await request('GET', `${path}/recoveries/${encodeURIComponent(id)}`)),
  examples: [
    [
      'rollgate webhook recovery acme "Badge system" 3f2e1d0c-9b8a-4c7d-8e6f-5a4b3c2d1e0f',
      'by its id',
    ],
  ],
};

const webhookCommands = defineCliResource({
  name: 'webhook',
  noun: 'a webhook',
  plural: 'webhooks',
  summary: 'manage webhooks',
  description:
    'Webhooks: HTTPS endpoints that receive the events of a tenant, signed and with retries.',
  path: '/webhooks',
  page: '/settings/webhooks',
  items: 'webhooks',
  view: WebhookView,
  fields: [
    { label: 'description', text: ({ description }) => description, wrapAt: 32 },
    { label: 'endpoint', text: ({ url }) => url },
    { label: 'events', text: ({ events }) => events.join(' '), wrapAt: 32 },
    { label: 'status', text: ({ status }) => status, only: 'list' },
    {
      label: 'status',
      text: ({ status, disabled_reason: why }) =>
        why === undefined ? status : `${status}: ${why}`,
      only: 'show',
    },
    { label: 'last delivery', text: ({ last_trigger_status: last }) => last },
    {
      label: 'rotation',
      text: ({ secret_rotation: rotation }) =>
        rotation &&
        `both secrets sign until ${toSecond(rotation.until)}; X-Service-Signature: the ${rotation.signed_with} one`,
      only: 'show',
    },
    { label: 'headers', text: ({ header_names: names }) => names.join(', '), only: 'show' },
    { label: 'includes', text: ({ include }) => include.join(', '), only: 'show' },
    { label: 'created', time: ({ created_at }) => created_at, only: 'show' },
    { label: 'id', text: ({ id }) => id },
  ],
  details: ({ secret }) => (secret === undefined ? [] : [{ fields: [['signing secret', secret]] }]),
  id: ({ id }) => id,
  label: ({ description, url }) => description ?? url,
  item: {
    name: '<webhook>',
    help: "the webhook's id, description or endpoint",
    searched: ['description', 'url'],
  },
  readAccess: ACCESS,
  create: {
    summary: 'create a webhook and show its signing secret once',
    description:
      'Create a webhook. Deliveries start with the next event. The signing secret is shown now and ' +
      'cannot be shown again.',
    arguments: [
      { name: '<endpoint>', help: 'URL that receives the events; https only', field: 'url' },
    ],
    options: [{ ...EVENTS, isRequired: true }, DESCRIPTION, HEADER, INCLUDE, SECRET],
    quiet: ({ id, secret }) => secret ?? id,
    examples: [
      ['rollgate webhook create acme https://hooks.example.com/rollgate --event "*"', 'all events'],
      ['rollgate webhook create acme https://hooks.example.com/x --event "user.*"', 'user events'],
      [
        'rollgate webhook create acme https://hooks.example.com/x --event "*" --quiet',
        'prints only the signing secret',
      ],
    ],
  },
  list: {
    isExported: true,
    examples: [['rollgate webhook list acme', 'all webhooks']],
  },
  show: {
    description: 'Show a webhook. Its secret and the values of its headers are never shown.',
    examples: [['rollgate webhook show acme "Badge system"', 'by its description']],
  },
  update: {
    summary: 'update, disable or enable a webhook',
    description:
      'Update a webhook; fields that are not given stay unchanged. Disabling a webhook drops its ' +
      'pending deliveries, and all events until it is enabled again.',
    options: [
      {
        flags: '--endpoint <url>',
        field: 'url',
        help: 'new URL that receives the events; https only',
      },
      EVENTS,
      {
        ...DESCRIPTION,
        help: 'label, shown in lists and usable in commands; or "none"',
        nullable: true,
      },
      HEADER,
      {
        flags: '--remove-header <name>',
        field: 'headers',
        help: 'header to remove; repeatable',
        parse: (text) => ({ [text]: null }),
      },
      INCLUDE,
      {
        flags: '--status <active|disabled>',
        help: 'enable or disable the webhook',
        choices: ['active', 'disabled'],
      },
    ],
    examples: [
      ['rollgate webhook update acme "Badge system" --event "user.*"', 'change the events'],
      ['rollgate webhook update acme "Badge system" --status disabled', 'disable it'],
    ],
  },
  delete: {
    description: 'Delete a webhook. Its pending deliveries are dropped. Asks for confirmation.',
    warning: ({ description, url }, tenant) =>
      `This deletes webhook ${description ?? url} of ${tenant} and drops its pending deliveries. ` +
      'This cannot be undone.',
    examples: [
      ['rollgate webhook delete acme "Badge system"', 'asks for confirmation'],
      ['rollgate webhook delete acme "Badge system" --yes', 'for scripts'],
    ],
  },
  actions: [test, rotateSecret, recover, recovery],
});

// ── Deliveries ───────────────────────────────────────────────────────────────────────────────────

const DeliveryView = z.object({
  id: z.string(),
  event: z.string(),
  webhook_id: z.string(),
  event_id: z.string(),
  seq: z.int(),
  subject: z.string().nullable(),
  happened_at: z.string(),
  state: z.string(),
  next_attempt_at: z.string().nullable(),
  error: z.string().nullable(),
  attempts: z.array(
    z.object({
      at: z.string(),
      duration_ms: z.int(),
      status: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
});

const redeliver: CliAction = {
  name: 'redeliver',
  summary: 'send a delivery again',
  description:
    'Send a delivery again, with the same id and the full retry schedule. A pending delivery is ' +
    'attempted now.',
  run: async ({ path, id, request }: CliCall) => {
    const { event, seq } = DeliveryView.parse(await request('POST', `${path}/redeliver`));
    return { note: `Requeued delivery of ${event} ${seq}.\n`, sections: [], quiet: [id] };
  },
  examples: [
    [
      'rollgate delivery redeliver acme "Badge system" 5b2e4a9c-7d31-5f60-9a8b-1c2d3e4f5a6b',
      'by its id',
    ],
  ],
};

const STATES = ['pending', 'delivered', 'failed', 'dropped'];

const deliveryCommands = defineCliResource({
  name: 'delivery',
  noun: 'a delivery',
  plural: 'deliveries',
  summary: 'show webhook deliveries and send them again',
  description: 'Deliveries: the events sent to a webhook, with their attempts.',
  path: '/deliveries',
  parent: 'webhook',
  items: 'deliveries',
  view: DeliveryView,
  fields: [
    { label: 'seq', text: ({ seq }) => String(seq), align: 'right' },
    { label: 'time', text: ({ happened_at }) => toSecond(happened_at) },
    { label: 'event', text: ({ event }) => event },
    { label: 'subject', text: ({ subject }) => subject, wrapAt: 32 },
    { label: 'state', text: ({ state }) => state },
    { label: 'attempts', text: ({ attempts }) => String(attempts.length), align: 'right' },
    { label: 'next attempt', time: ({ next_attempt_at }) => next_attempt_at },
    { label: 'error', text: ({ error }) => error, wrapAt: 40 },
    { label: 'webhook', text: ({ webhook_id: id }) => id },
    { label: 'event id', text: ({ event_id }) => event_id, only: 'show' },
    { label: 'id', text: ({ id }) => id },
  ],
  details: ({ attempts }) =>
    attempts.length === 0
      ? []
      : [
          {
            columns: [
              { title: 'ATTEMPT' },
              { title: 'STATUS' },
              { title: 'DURATION', align: 'right' },
              { title: 'ERROR', wrapAt: 60 },
            ],
            rows: attempts.map(({ at, status, duration_ms, error }) => [
              toSecond(at),
              status?.toString(),
              `${duration_ms} ms`,
              error,
            ]),
          },
        ],
  id: ({ id }) => id,
  label: ({ id }) => id,
  item: { name: '<delivery>', help: "the delivery's id (X-Service-Delivery)" },
  readAccess: ACCESS,
  list: {
    isOfAllParents: true,
    description:
      'List the deliveries of a webhook, or of all, newest event first. Delivered and dropped ones are kept ' +
      'for 7 days, failed ones for 30. Dropped means not sent, because the webhook was disabled.',
    filters: [
      {
        flags: '--event, --events <names>',
        field: 'event',
        help: 'only these events, such as user.created or "room.*"; repeatable, or separated by commas',
        type: 'events',
      },
      {
        flags: '--state <state>',
        help: `only this state: ${STATES.join(', ')}`,
        choices: STATES,
      },
      {
        flags: '--since <time>',
        help: 'only events since this time: 2h means two hours ago; also 2027-01-31 or 2027-01-31T08:00Z',
        type: 'past-time',
      },
      { flags: '--until <time>', help: 'only events before this time', type: 'past-time' },
    ],
    examples: [
      ['rollgate delivery list acme "Badge system" --state failed', 'failed deliveries'],
      ['rollgate delivery list acme "Badge system" --since 1h', 'deliveries of the last hour'],
      ['rollgate delivery list acme --state failed', 'failed deliveries of all webhooks'],
    ],
  },
  show: {
    summary: 'show a delivery and its attempts',
    description: 'Show a delivery and its attempts. --json includes their requests and responses.',
    examples: [
      [
        'rollgate delivery show acme "Badge system" 5b2e4a9c-7d31-5f60-9a8b-1c2d3e4f5a6b',
        'by its id',
      ],
    ],
  },
  actions: [redeliver],
});

/** `rollgate webhook …` and `rollgate delivery …` */
export const COMMANDS: readonly CliResource[] = [webhookCommands, deliveryCommands];
