import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { EXIT, SilentExit } from '../cli-error.js';
import { printable } from '../display-width.js';
import { type FieldOption, orNone } from '../field-option.js';
import { formatSecond } from '../format-time.js';
import type { GatewayResponse } from '../gateway-client.js';
import { byId, byIdOr, byScan, hasText } from '../locate.js';
import { parsePastTime, parseWholeNumber } from '../parse-argument.js';
import { orDash } from '../format-value.js';
import { defineResource, type Action, type CreateVerb } from '../resource.js';
import type { Access, Session } from '../session.js';
import { renderFields, renderTable } from '../table.js';

const READ: Access = { admin: true, scope: 'webhooks' };
const WRITE: Access = { admin: false, scope: 'webhooks' };

// ── Webhooks ─────────────────────────────────────────────────────────────────────────────────────

const WebhookView = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  status: z.string(),
  description: z.string().nullable(),
  created_at: z.string(),
  header_names: z.array(z.string()).default([]),
  disabled_reason: z.string().optional(),
  last_trigger_status: z.string().nullable().default(null),
  /** In the response to its creation only. */
  secret: z.string().optional(),
});
type WebhookView = z.output<typeof WebhookView>;

/** `Authorization: Bearer …` */
const parseHeader = (text: string): Record<string, string> => {
  const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { [name]: value };
  throw new InvalidArgumentError('Use "Name: value".');
};

const parseEvents = (text: string): readonly string[] => text.split(',').map((name) => name.trim());

const EVENTS: FieldOption = {
  flags: '--event <name>',
  field: 'events',
  help: 'event to send, such as user.created, "room.*" or "*" (all); repeatable',
  parse: parseEvents,
};
const DESCRIPTION: FieldOption = {
  flags: '--description <text>',
  field: 'description',
  help: 'label',
};
const HEADER: FieldOption = {
  flags: '--header <name:value>',
  field: 'headers',
  help: 'header to send with each delivery, stored encrypted; repeatable',
  parse: parseHeader,
};
const SECRET: FieldOption = {
  flags: '--secret <text>',
  field: 'secret',
  help: 'signing secret (default: a generated one)',
};

const create: CreateVerb<WebhookView> = {
  summary: 'create a webhook and show its signing secret once',
  description:
    'Create a webhook. Deliveries start with the next event. The signing secret is shown now and ' +
    'cannot be shown again.',
  arguments: [{ name: '<url>', help: 'where events are posted to; https only', field: 'url' }],
  options: [{ ...EVENTS, isRequired: true }, DESCRIPTION, HEADER, SECRET],
  examples: [
    ['rollgate webhook create acme https://hooks.example.com/rollgate --event "*"', 'all events'],
    ['rollgate webhook create acme https://hooks.example.com/x --event "user.*"', 'user events'],
  ],
};

const TestResult = z.object({
  delivered: z.boolean(),
  status: z.int().nullable(),
  body: z.string().nullable(),
  duration_ms: z.int(),
  error: z.string().nullable(),
});

const test: Action<WebhookView> = {
  name: 'test',
  access: WRITE,
  summary: 'send a test event',
  description:
    'Send one signed test event, without retries, and print the response. Disabled webhooks can be ' +
    'tested, too. Exits with 1 if the receiver does not respond with 2xx.',
  run: async ({ session, path }) => {
    const response = await session.client.request('POST', `${path}/test`);
    const { delivered, status, body, duration_ms, error } = session.read(TestResult, response);
    session.note(delivered ? 'Delivered the test event.\n\n' : 'Test event not delivered.\n\n');
    session.print({
      people: () =>
        renderFields(
          [
            ['status', status === null ? '-' : String(status)],
            ['duration', `${duration_ms} ms`],
            ['error', orDash(error)],
            ['body', orDash(body)],
          ],
          session.paint,
        ),
      json: response.text,
    });
    if (!delivered) throw new SilentExit(EXIT.refused);
  },
  examples: [['rollgate webhook test acme "Badge system"', 'by its description']],
};

const RotatedSecret = z.object({ secret: z.string() });

const rotateSecret: Action<WebhookView> = {
  name: 'rotate-secret',
  access: WRITE,
  summary: 'replace the signing secret',
  description:
    'Replace the signing secret and show the new one once. During the overlap, deliveries are ' +
    'signed with both secrets. The secret is printed to standard output.',
  options: [
    {
      flags: '--overlap-hours <hours>',
      field: 'overlap_hours',
      help: 'how long both secrets sign, up to 168 (default: 24)',
      parse: parseWholeNumber(0, 168),
    },
    {
      flags: '--switch <now|after_overlap>',
      field: 'switch',
      help: 'when X-Service-Signature switches to the new secret (default: now)',
      choices: ['now', 'after_overlap'],
    },
    SECRET,
  ],
  run: async ({ session, path, fields }) => {
    const response = await session.client.request('POST', `${path}/rotate-secret`, {
      body: fields,
    });
    const { secret } = session.read(RotatedSecret, response);
    session.note('Rotated the signing secret. Copy it now: it cannot be shown again.\n\n');
    session.print({
      people: () => `${secret}\n`,
      json: response.text,
      quiet: () => secret,
    });
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

const printRecovery = (session: Session, response: GatewayResponse): void => {
  const { id, since, state, recovered } = session.read(RecoveryView, response);
  session.print({
    people: () =>
      renderFields(
        [
          ['state', printable(state)],
          ['since', formatSecond(since)],
          ['requeued', String(recovered)],
          ['id', id],
        ],
        session.paint,
      ),
    json: response.text,
    quiet: () => id,
  });
};

const recover: Action<WebhookView> = {
  name: 'recover',
  access: WRITE,
  summary: 'redeliver all failed deliveries since a time',
  description:
    'Redeliver everything that failed since a time, oldest first, in the background. Events that ' +
    'were dropped while the webhook was disabled are not included; see "rollgate event list".',
  options: [
    {
      flags: '--since <time>',
      field: 'since',
      help: 'only deliveries since this time; 2h means two hours ago',
      parse: parsePastTime,
      isRequired: true,
    },
  ],
  run: async ({ session, path, fields }) => {
    const response = await session.client.request('POST', `${path}/recover`, { body: fields });
    session.note('Started the recovery.\n\n');
    printRecovery(session, response);
  },
  examples: [['rollgate webhook recover acme "Badge system" --since 6h', 'after an outage']],
};

const recovery: Action<WebhookView> = {
  name: 'recovery',
  access: READ,
  arguments: [{ name: '<recovery>', help: "the recovery's id" }],
  summary: 'show the progress of a recovery',
  description: 'Show the progress of a recovery. Finished recoveries are kept for a week.',
  run: async ({ session, path, args: [id = ''] }) =>
    printRecovery(
      session,
      await session.client.request('GET', `${path}/recoveries/${encodeURIComponent(id)}`),
    ),
  examples: [
    [
      'rollgate webhook recovery acme "Badge system" 3f2e1d0c-9b8a-4c7d-8e6f-5a4b3c2d1e0f',
      'by its id',
    ],
  ],
};

export const WEBHOOKS = defineResource({
  name: 'webhook',
  noun: 'a webhook',
  plural: 'webhooks',
  summary: 'manage webhooks',
  description: 'Webhooks: where the events of a tenant are sent, signed and retried.',
  path: '/webhooks',
  items: 'webhooks',
  view: WebhookView,
  fields: [
    { label: 'description', text: ({ description }) => orDash(description), wrapAt: 32 },
    { label: 'url', text: ({ url }) => printable(url) },
    { label: 'events', text: ({ events }) => printable(events.join(' ')), wrapAt: 32 },
    { label: 'status', text: ({ status }) => printable(status) },
    { label: 'last delivery', text: ({ last_trigger_status: last }) => orDash(last) },
    {
      label: 'disabled because',
      text: ({ disabled_reason }) => orDash(disabled_reason),
      only: 'show',
    },
    { label: 'headers', text: ({ header_names }) => orDash(header_names.join(', ')), only: 'show' },
    { label: 'created', time: ({ created_at }) => created_at, only: 'show' },
    { label: 'id', text: ({ id }) => id },
  ],
  details: ({ secret }, { paint }) =>
    secret === undefined ? '' : `\n${renderFields([['signing secret', secret]], paint)}`,
  id: ({ id }) => id,
  label: ({ description, url }) => description ?? url,
  item: { name: '<webhook>', help: "the webhook's id, description or URL" },
  locate: byIdOr(byScan({ items: 'webhooks' }, hasText('description', 'url'))),
  readAccess: READ,
  writeAccess: WRITE,
  create,
  list: {
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
      { flags: '--endpoint <url>', field: 'url', help: 'new URL' },
      EVENTS,
      { ...DESCRIPTION, help: 'label, or "none"', parse: orNone() },
      HEADER,
      {
        flags: '--remove-header <name>',
        field: 'headers',
        help: 'header to remove; repeatable',
        parse: (text) => ({ [text]: null }),
      },
      {
        flags: '--status <active|disabled>',
        field: 'status',
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
    warning: (webhook, _context, tenant) =>
      `This deletes webhook ${printable(webhook.description ?? webhook.url)} of ${tenant} and ` +
      'drops its pending deliveries. This cannot be undone.',
    examples: [
      ['rollgate webhook delete acme "Badge system"', 'asks for confirmation'],
      ['rollgate webhook delete acme "Badge system" --yes', 'for scripts'],
    ],
  },
  actions: [test, rotateSecret, recover, recovery],
});

// ── Deliveries ───────────────────────────────────────────────────────────────────────────────────

const AttemptView = z.object({
  at: z.string(),
  duration_ms: z.int(),
  status: z.int().nullable(),
  error: z.string().nullable(),
});
type AttemptView = z.output<typeof AttemptView>;

const DeliveryView = z.object({
  id: z.string(),
  event: z.string(),
  event_id: z.string(),
  seq: z.int(),
  happened_at: z.string(),
  state: z.string(),
  next_attempt_at: z.string().nullable(),
  error: z.string().nullable(),
  attempts: z.array(AttemptView),
});
type DeliveryView = z.output<typeof DeliveryView>;

const attemptsTable = ({ attempts }: DeliveryView, { paint }: Session): string =>
  attempts.length === 0
    ? ''
    : '\n' +
      renderTable<AttemptView>(
        [
          { title: 'ATTEMPT', cell: ({ at }) => formatSecond(at) },
          { title: 'STATUS', cell: ({ status }) => (status === null ? '-' : String(status)) },
          { title: 'DURATION', cell: ({ duration_ms }) => `${duration_ms} ms`, align: 'right' },
          { title: 'ERROR', cell: ({ error }) => orDash(error), wrapAt: 60 },
        ],
        attempts,
        paint,
      );

const redeliver: Action<DeliveryView> = {
  name: 'redeliver',
  access: WRITE,
  summary: 'send a delivery again',
  description:
    'Send a delivery again, with the same id and the full retry schedule. A pending delivery is ' +
    'attempted now.',
  run: async ({ session, path, id }) => {
    const response = await session.client.request('POST', `${path}/redeliver`);
    const { event, seq } = session.read(DeliveryView, response);
    session.note(`Requeued delivery of ${printable(event)} ${seq}.\n`);
    session.print({ people: () => '', json: response.text, quiet: () => id });
  },
  examples: [
    [
      'rollgate delivery redeliver acme "Badge system" 5b2e4a9c-7d31-5f60-9a8b-1c2d3e4f5a6b',
      'by its id',
    ],
  ],
};

const STATES = ['pending', 'delivered', 'failed', 'dropped'];

export const DELIVERIES = defineResource({
  name: 'delivery',
  noun: 'a delivery',
  plural: 'deliveries',
  summary: 'show webhook deliveries and send them again',
  description: 'Deliveries: the events sent to a webhook, with their attempts.',
  path: '/deliveries',
  parent: WEBHOOKS,
  items: 'deliveries',
  view: DeliveryView,
  fields: [
    { label: 'seq', text: ({ seq }) => String(seq), align: 'right' },
    { label: 'time', text: ({ happened_at }) => formatSecond(happened_at) },
    { label: 'event', text: ({ event }) => printable(event) },
    { label: 'state', text: ({ state }) => printable(state) },
    { label: 'attempts', text: ({ attempts }) => String(attempts.length), align: 'right' },
    { label: 'next attempt', time: ({ next_attempt_at }) => next_attempt_at },
    { label: 'error', text: ({ error }) => orDash(error), wrapAt: 40 },
    { label: 'event id', text: ({ event_id }) => event_id, only: 'show' },
    { label: 'id', text: ({ id }) => id },
  ],
  details: attemptsTable,
  id: ({ id }) => id,
  label: ({ id }) => id,
  item: { name: '<delivery>', help: "the delivery's id (X-Service-Delivery)" },
  locate: byId,
  readAccess: READ,
  list: {
    description:
      'List the deliveries of a webhook, newest event first. Delivered and dropped ones are kept ' +
      'for 7 days, failed ones for 30.',
    filters: [
      { flags: '--event <name>', field: 'event', help: 'only this event' },
      {
        flags: '--state <state>',
        field: 'state',
        help: `only this state: ${STATES.join(', ')}`,
        choices: STATES,
      },
      {
        flags: '--since <time>',
        field: 'since',
        help: 'only events since this time; 2h means two hours ago',
        parse: parsePastTime,
      },
      {
        flags: '--until <time>',
        field: 'until',
        help: 'only events before this time',
        parse: parsePastTime,
      },
    ],
    examples: [
      ['rollgate delivery list acme "Badge system" --state failed', 'failed deliveries'],
      ['rollgate delivery list acme "Badge system" --since 1h', 'deliveries of the last hour'],
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
