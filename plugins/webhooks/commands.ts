import { type CliArgument, type CliCommandGroup, type CliOption, z } from '../../src/plugin/api.js';

const SLUG: CliArgument = { name: 'slug', description: "the tenant's slug" };
const WEBHOOK: CliArgument = { name: 'webhook', description: "the registration's id" };
const DELIVERY: CliArgument = { name: 'delivery', description: "the delivery's id" };

const PAGING: readonly CliOption[] = [
  { flag: '--limit', value: '<number>', description: 'maximum number of results', default: '100' },
  { flag: '--offset', value: '<number>', description: 'number of results to skip', default: '0' },
];

const Registration = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  status: z.string(),
  description: z.string().nullable(),
  last_trigger_status: z.string().nullable(),
  created_at: z.string(),
  disabled_reason: z.string().optional(),
});

const Attempt = z.object({
  at: z.string(),
  duration_ms: z.int(),
  status: z.int().nullable(),
  error: z.string().nullable(),
});

const Delivery = z.object({
  id: z.string(),
  event: z.string(),
  seq: z.int(),
  happened_at: z.string(),
  state: z.string(),
  next_attempt_at: z.string().nullable(),
  error: z.string().nullable(),
  attempts: z.array(Attempt),
});

const page = { total: z.int(), offset: z.int() };
const RegistrationPage = z.object({ webhooks: z.array(Registration), ...page });
const DeliveryPage = z.object({ deliveries: z.array(Delivery), ...page });

type Given = Readonly<Record<string, string | true | undefined>>;

/** The options that were given, as the query of a request. */
const queryOf = (options: Given, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = options[`--${name}`];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

/** A remark if a page is not the whole list. */
const restOf = ({ total, offset }: { total: number; offset: number }, shown: number): string =>
  shown === total ? '' : `\n${shown} of ${total}; --offset ${offset + shown} shows the next.\n`;

const fields = (rows: readonly (readonly [string, string])[]): string =>
  rows.map(([name, value]) => `${name.padEnd(16)}${value}\n`).join('');

const pathOf = (args: Readonly<Record<string, string | undefined>>): string =>
  ['tenants', args.slug, 'webhooks', args.webhook]
    .flatMap((step) => (step === undefined ? [] : [`/${encodeURIComponent(step)}`]))
    .join('');

/** Commands of operators: they read what a tenant has registered and what became of deliveries. */
export const COMMANDS: readonly CliCommandGroup[] = [
  {
    name: 'webhook',
    summary: 'list and show webhook registrations',
    commands: [
      {
        name: 'list',
        summary: "list a tenant's webhook registrations",
        description: "Lists a tenant's webhook registrations, oldest first.",
        arguments: [SLUG],
        options: PAGING,
        examples: [['rollgate webhook list acme', 'as a table']],
        run: async ({ arguments: args, options, request, print, note }) => {
          const query = queryOf(options, ['limit', 'offset']);
          const json = await request('GET', pathOf(args), { query });
          const { webhooks, ...rest } = RegistrationPage.parse(json);
          print({
            people: {
              columns: ['URL', 'STATUS', 'LAST', 'EVENTS', 'CREATED', 'WEBHOOK ID'],
              rows: webhooks.map((one) => [
                one.url,
                one.status,
                one.last_trigger_status ?? '-',
                one.events.join(' '),
                one.created_at,
                one.id,
              ]),
            },
            json,
            quiet: webhooks.map(({ id }) => id),
          });
          note(restOf(rest, webhooks.length));
        },
      },
      {
        name: 'show',
        summary: 'show a webhook registration',
        arguments: [SLUG, WEBHOOK],
        examples: [['rollgate webhook show acme 0b6b3ac1-5a43-4c5f-8f0e-7d1a4f0f6a11', '']],
        run: async ({ arguments: args, request, print }) => {
          const json = await request('GET', pathOf(args));
          const one = Registration.parse(json);
          print({
            people: fields([
              ['url', one.url],
              ['status', one.status],
              ['events', one.events.join(' ')],
              ['description', one.description ?? '-'],
              ['last attempt', one.last_trigger_status ?? '-'],
              ...(one.disabled_reason ? [['disabled', one.disabled_reason] as const] : []),
              ['created', one.created_at],
              ['id', one.id],
            ]),
            json,
            quiet: [one.id],
          });
        },
      },
    ],
  },
  {
    name: 'delivery',
    summary: 'list and show webhook deliveries',
    commands: [
      {
        name: 'list',
        summary: 'list the deliveries of a webhook',
        description: 'Lists the deliveries of a webhook registration, newest event first.',
        arguments: [SLUG, WEBHOOK],
        options: [
          {
            flag: '--state',
            value: '<state>',
            description: 'only deliveries in this state',
            choices: ['pending', 'delivered', 'failed', 'dropped'],
          },
          { flag: '--event', value: '<name>', description: 'only deliveries of this event' },
          { flag: '--since', value: '<time>', description: 'only of events from then on' },
          ...PAGING,
        ],
        examples: [
          [
            'rollgate delivery list acme 0b6b3ac1-5a43-4c5f-8f0e-7d1a4f0f6a11 --state failed',
            'deliveries that failed',
          ],
        ],
        run: async ({ arguments: args, options, request, print, note }) => {
          const query = queryOf(options, ['state', 'event', 'since', 'limit', 'offset']);
          const json = await request('GET', `${pathOf(args)}/deliveries`, { query });
          const { deliveries, ...rest } = DeliveryPage.parse(json);
          print({
            people: {
              columns: ['SEQ', 'EVENT', 'STATE', 'ATTEMPTS', 'HAPPENED', 'ERROR', 'DELIVERY ID'],
              rows: deliveries.map((one) => [
                String(one.seq),
                one.event,
                one.state,
                String(one.attempts.length),
                one.happened_at,
                one.error ?? '-',
                one.id,
              ]),
            },
            json,
            quiet: deliveries.map(({ id }) => id),
          });
          note(restOf(rest, deliveries.length));
        },
      },
      {
        name: 'show',
        summary: 'show a delivery with its attempts',
        arguments: [SLUG, WEBHOOK, DELIVERY],
        examples: [
          [
            'rollgate delivery show acme 0b6b3ac1-5a43-4c5f-8f0e-7d1a4f0f6a11 5b2e4a9c-7d31-5f60-9a8b-1c2d3e4f5a6b',
            '',
          ],
        ],
        run: async ({ arguments: args, request, print }) => {
          const path = `${pathOf(args)}/deliveries/${encodeURIComponent(args.delivery ?? '')}`;
          const json = await request('GET', path);
          const one = Delivery.parse(json);
          const attempts = one.attempts.map(
            ({ at, status, duration_ms, error }) =>
              `  ${at}  ${String(status ?? '-')}  ${duration_ms} ms  ${error ?? ''}`.trimEnd() +
              '\n',
          );
          print({
            people:
              fields([
                ['event', `${one.event} (seq ${one.seq})`],
                ['happened', one.happened_at],
                ['state', one.state],
                ['next attempt', one.next_attempt_at ?? '-'],
                ['error', one.error ?? '-'],
                ['id', one.id],
              ]) + (attempts.length === 0 ? '' : `\nAttempts:\n${attempts.join('')}`),
            json,
            quiet: [one.id],
          });
        },
      },
    ],
  },
];
