import { z } from 'zod';
import { formatSecond, formatTime } from '../format-time.js';
import { describeDryRun, DryRun } from '../dry-run.js';
import { parseFutureTime } from '../parse-argument.js';
import { type Action, type ActionCall, defineResource } from '../resource.js';
import type { Section } from '../table.js';
import type { CliResult } from '../../start/load-extensions.js';

const Message = z.object({
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  is_cut: z.boolean(),
});

const RequestView = z.object({
  id: z.string(),
  at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  key_id: z.string(),
  user_agent: z.string().nullable(),
  duration_ms: z.number(),
  request_id: z.string(),
  bytes: z.int(),
  /** Not in lists, like the fields below. */
  request: Message.optional(),
  response: Message.optional(),
  obstacle: z.string().nullable().optional(),
});
type RequestView = z.output<typeof RequestView>;

const Capture = z.object({ enabled: z.boolean(), until: z.string().nullable() });

/** Indented, if it is JSON. */
const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
};

const section = (
  title: string,
  { headers, body, is_cut: isCut }: z.output<typeof Message>,
): Section => ({
  title,
  text: [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`),
    `\n${body === null || body === '' ? 'no body' : readable(body)}\n`,
    ...(isCut ? ['(cut after 64 KiB)\n'] : []),
  ].join(''),
});

const replay: Action<RequestView> = {
  name: 'replay',
  summary: 'replay a captured request as a dry run',
  description:
    'Show what a captured request would do now: the response, events, and changed roles and seats. ' +
    'Changes nothing.',
  run: async ({ request, path }) => {
    const result = DryRun.parse(await request('POST', `${path}/replay`));
    const { status, body } = result;
    return {
      note: 'Dry run: nothing was changed.\n\n',
      sections: [
        describeDryRun(result),
        ...(body === null || body === undefined
          ? []
          : [{ text: `${JSON.stringify(body, null, 2)}\n` }]),
      ],
      quiet: [String(status)],
    };
  },
  examples: [
    ['rollgate request replay acme 7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', 'what it would do now'],
  ],
};

/** Starts or stops the capture, and says so. */
const setCapture = async (
  { request, session }: ActionCall<RequestView>,
  body: Readonly<Record<string, unknown>>,
): Promise<CliResult> => {
  const { until } = Capture.parse(await request('PUT', '/request-capture', { body }));
  const { tenant = '', context } = session;
  return {
    note:
      until === null
        ? `Stopped capturing SCIM requests of ${tenant}. Captured ones are kept for 24 hours.\n`
        : `Capturing SCIM requests of ${tenant} until ${formatTime(until, context.now())}.\n`,
    sections: [],
  };
};

const start: Action<RequestView> = {
  name: 'start',
  isOnCollection: true,
  canDryRun: true,
  options: [
    {
      flags: '--until <time>',
      help: 'when it ends by itself; 2h means in two hours (default and maximum: 24h)',
      parse: parseFutureTime,
    },
  ],
  summary: 'start capturing SCIM requests',
  description:
    'Start capturing the SCIM requests of a tenant and their responses, without secrets and phone ' +
    'numbers. They contain personal data, are kept for 24 hours, and the log names who started it.',
  run: (call) => setCapture(call, { enabled: true, ...call.fields }),
  examples: [['rollgate request start acme --until 2h', 'for two hours']],
};

const stop: Action<RequestView> = {
  name: 'stop',
  isOnCollection: true,
  canDryRun: true,
  summary: 'stop capturing SCIM requests',
  description: 'Stop capturing the SCIM requests of a tenant. Captured ones are kept for 24 hours.',
  run: (call) => setCapture(call, { enabled: false }),
  examples: [['rollgate request stop acme', 'capture no further requests']],
};

export const REQUESTS = defineResource({
  name: 'request',
  noun: 'a captured request',
  plural: 'captured requests',
  summary: 'capture, show and replay SCIM requests',
  description:
    'Captured requests: what an identity provider sent over SCIM, and the responses. Off by default.',
  path: '/requests',
  page: '/requests',
  items: 'requests',
  view: RequestView,
  fields: [
    { label: 'time', text: ({ at }) => formatSecond(at) },
    { label: 'method', text: ({ method }) => method },
    { label: 'path', text: ({ path }) => path, wrapAt: 60 },
    { label: 'status', text: ({ status }) => String(status), align: 'right' },
    { label: 'duration', text: ({ duration_ms: ms }) => `${Math.round(ms)} ms`, align: 'right' },
    { label: 'program', text: ({ user_agent }) => user_agent, wrapAt: 24 },
    { label: 'size', text: ({ bytes }) => `${bytes} bytes`, only: 'show' },
    { label: 'key', text: ({ key_id }) => key_id, only: 'show' },
    { label: 'request id', text: ({ request_id }) => request_id, only: 'show' },
    {
      label: 'replay',
      text: ({ method, obstacle }) => {
        const reason = method === 'GET' ? 'it only reads' : obstacle;
        return reason ? `no: ${reason}` : 'yes';
      },
      only: 'show',
    },
    { label: 'id', text: ({ id }) => id },
  ],
  id: ({ id }) => id,
  label: ({ id }) => id,
  details: ({ request, response }) => [
    ...(request ? [section('Request', request)] : []),
    ...(response ? [section('Response', response)] : []),
  ],
  item: { name: '<request>', help: "the captured request's id" },
  list: {
    description: 'List the captured SCIM requests of a tenant, newest first.',
    continuation: 'cursor',
    whenEmpty: (tenant) => `Capture them for a day with "rollgate request start ${tenant}".`,
    examples: [
      ['rollgate request list acme', 'as a table'],
      ['rollgate request list acme --limit 1 --quiet', 'the id of the newest'],
    ],
  },
  show: {
    description: 'Show a captured request with its response: headers and bodies, without secrets.',
    examples: [
      ['rollgate request show acme 7a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', 'headers and bodies'],
    ],
  },
  actions: [replay, start, stop],
});
