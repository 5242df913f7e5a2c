import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { z } from 'zod';
import { deliveryHeaders } from '../../../plugins/webhooks/post-delivery.js';
import { generateSecret, signingKeysOf } from '../../../plugins/webhooks/signing.js';
import { EVENT_NAMES, type EventEnvelope, type EventName } from '../../domain/events.js';
import { SAMPLE_EVENTS } from '../../domain/sample-events.js';
import { VERSION } from '../../process/program.js';
import { addCommand, type CommandForm } from '../add-command.js';
import type { CliContext } from '../cli-context.js';
import { CliError, codeOf, SilentExit, usageError } from '../cli-error.js';
import { formatSecond } from '../format-time.js';
import { createStreamRenderer } from '../output.js';
import { parseChoice } from '../parse-argument.js';
import type { Access, Session } from '../session.js';
import { orDash, printable } from '../terminal-text.js';
import { endOfFeed, EVENTS, followEvents, subjectOf } from './event.js';

const ACCESS: Access = { admin: true, scope: 'webhooks' };
/** As of a gateway's deliveries. */
const TIMEOUT_MS = 10_000;
const MAX_SHOWN_BODY = 200;

/** `rollgate webhook listen` and `trigger`: for development on one machine. */
export const addWebhookListen = (program: Command, context: CliContext): void => {
  const webhook = program.commands.find((command) => command.name() === 'webhook');
  if (!webhook) return;
  addCommand(webhook, context, LISTEN, ({ session, fields }) => listen(session, fields));
  addCommand(webhook, context, TRIGGER, ({ session, args: [name = ''] }) => trigger(session, name));
};

const LISTEN: CommandForm = {
  name: 'listen',
  access: ACCESS,
  summary: 'forward events to a program on this machine, signed like deliveries',
  description:
    'For development: send every event that happens from now on to your program, with the headers, ' +
    'body and signatures of a delivery, and print its responses, until Ctrl-C. Reads the event log, ' +
    'so it needs no webhook, no setting of the gateway and no public address. Sends each event once.',
  options: [
    {
      flags: '--forward-to <url>',
      field: 'forwardTo',
      help: 'where your program receives webhooks; http or https',
      isRequired: true,
      parse: parseTarget,
    },
    EVENTS,
    {
      flags: '--secret <text>',
      help: 'signing secret, or "-" to read it from standard input (default: a new one)',
      isSecret: true,
    },
  ],
  examples: [
    ['rollgate webhook listen acme --forward-to http://localhost:3000/hooks', 'all events'],
    [
      'rollgate webhook listen acme --forward-to http://localhost:3000/hooks --event "user.*"',
      'events of users',
    ],
  ],
};

const TRIGGER: CommandForm = {
  name: 'trigger',
  access: ACCESS,
  summary: 'send a sample event to the program of "webhook listen"',
  description:
    'Have the "rollgate webhook listen" that runs on this machine send a sample event. Nothing ' +
    'happens in the tenant: the event is in no log, goes to no registered webhook, and its "seq" is ' +
    'null. Exits with 1 if your program does not respond with 2xx.',
  arguments: [
    {
      name: '<event>',
      help: 'name of the event, such as user.created',
      parse: parseChoice(EVENT_NAMES),
      complete: () => Promise.resolve(EVENT_NAMES),
    },
  ],
  examples: [
    ['rollgate webhook trigger acme user.created', 'while "webhook listen" runs'],
    ['rollgate webhook trigger acme room.member_added', 'another event'],
  ],
};

function parseTarget(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new Error('Use a URL such as http://localhost:3000/hooks.');
}

interface Given {
  readonly forwardTo?: string;
  readonly event?: readonly EventName[];
  readonly secret?: string;
}

const listen = async (session: Session, { forwardTo = '', event, secret: given }: Given) => {
  const { context, tenant = '', format } = session;
  const signal = context.interruption();
  const secret = given ?? generateSecret();
  const forward = createForwarder(session, forwardTo, secret);
  const tenantId = await tenantIdOf(session);
  const server = await openListener(session, (name) =>
    forward(sampleOf(name, { tenantId, tenant, at: context.now() })),
  );
  try {
    const after = await endOfFeed(session);
    session.note(`Forwarding events of ${tenant} to ${forwardTo}. Press Ctrl-C to stop.\n`);
    if (given === undefined) session.note(`Signing secret: ${secret}\n`);
    if (format === 'json')
      context.stdout.write(`${JSON.stringify({ forward_to: forwardTo, secret })}\n`);
    for await (const one of followEvents(session, { signal, after, ...(event && { event }) }))
      await forward(one);
  } finally {
    server.close();
  }
};

// ── Forwarding ───────────────────────────────────────────────────────────────────────────────────

/** An event, or a sample, which has no position. */
interface Envelope {
  readonly id: string;
  readonly event: string;
  readonly seq: number | null;
  readonly data: unknown;
}

/** What became of an event. */
const Forwarded = z.object({
  at: z.string(),
  event: z.string(),
  seq: z.int().nullable(),
  delivery: z.string(),
  forward_to: z.string(),
  status: z.int().nullable(),
  duration_ms: z.int(),
  error: z.string().nullable(),
});
type Forwarded = z.output<typeof Forwarded>;

type Forward = (envelope: Envelope) => Promise<Forwarded>;

const isSuccess = ({ status }: Forwarded): boolean =>
  status !== null && status >= 200 && status < 300;

/** Sends one event as the gateway would, and prints a line. */
const createForwarder = (session: Session, url: string, secret: string): Forward => {
  const { context, format, paint } = session;
  const render = createStreamRenderer(format);
  const keys = signingKeysOf(secret);
  return async (envelope) => {
    const { id: eventId, event, seq } = envelope;
    const delivery = randomUUID();
    const at = context.now();
    const body = Buffer.from(JSON.stringify(envelope));
    const signed = deliveryHeaders(keys, { id: delivery, eventId, event, body, at });
    const headers = { ...signed, 'user-agent': `Rollgate/${VERSION}` };
    const result = await post(url, headers, body, context);
    const forwarded: Forwarded = {
      ...{ at: at.toISOString(), event, seq, delivery, forward_to: url },
      ...result,
    };
    context.stdout.write(
      render({
        people: () => `${describe(forwarded, envelope, paint)}\n`,
        json: JSON.stringify(forwarded),
        quiet: () => event,
      }),
    );
    return forwarded;
  };
};

const post = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  { elapsed }: CliContext,
): Promise<Pick<Forwarded, 'status' | 'duration_ms' | 'error'>> => {
  const begun = elapsed();
  const duration = (): { readonly duration_ms: number } => ({
    duration_ms: Math.round(elapsed() - begun),
  });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const request = { method: 'POST', headers, body, redirect: 'manual', signal } as const;
    const response = await fetch(url, request);
    const answer = (await response.text()).trim().slice(0, MAX_SHOWN_BODY);
    const { ok, status } = response;
    return { ...duration(), status, error: ok || answer === '' ? null : answer };
  } catch (error) {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const message = reason instanceof Error ? reason.message || codeOf(reason) : String(reason);
    return { ...duration(), status: null, error: message };
  }
};

/** `2026-11-26T09:00:12Z  204  user.created  seq 42  ada@example.com  3 ms` */
const describe = (
  forwarded: Forwarded,
  envelope: Envelope,
  { bold, green, red }: Session['paint'],
): string => {
  const { at, event, seq, status, duration_ms: ms, error } = forwarded;
  const outcome = status === null ? 'no response' : String(status);
  return [
    formatSecond(at),
    (isSuccess(forwarded) ? green : red)(outcome),
    bold(printable(event)),
    seq === null ? 'sample' : `seq ${seq}`,
    orDash(subjectOf(envelope.data)),
    `${ms} ms`,
    ...(error === null ? [] : [printable(error)]),
  ].join('  ');
};

// ── Samples ──────────────────────────────────────────────────────────────────────────────────────

interface SampleContext {
  readonly tenantId: string;
  readonly tenant: string;
  readonly at: Date;
}

/** Without a position in the log, like a test event: a receiver that keeps the highest is not misled. */
const sampleOf = (event: EventName, { tenantId, tenant, at }: SampleContext): EventEnvelope => ({
  id: randomUUID(),
  event,
  tenant_id: tenantId,
  tenant_slug: tenant,
  timestamp: at.toISOString(),
  seq: null,
  data: SAMPLE_EVENTS[event],
});

const tenantIdOf = async ({ client, access, read }: Session): Promise<string> =>
  access.credential === 'admin token'
    ? read(z.object({ id: z.string() }), await client.request('GET', '')).id
    : read(z.object({ tenant_id: z.string() }), await client.request('GET', '/me')).tenant_id;

/** A socket of this user for the tenant of this gateway. */
const socketOf = ({ access: { url }, tenant = '', context: { env } }: Session): string => {
  const name = createHash('sha256').update(`${url} ${tenant}`).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\rollgate-listen-${name}`;
  // Not `userInfo`: in a container the account may have no name.
  const uid = process.getuid?.();
  const folder = env.XDG_RUNTIME_DIR || join(tmpdir(), `rollgate-${String(uid)}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).uid !== uid) usageError(`${folder} belongs to another account.`);
  return join(folder, `rollgate-listen-${name}.sock`);
};

const connect = async (path: string): Promise<Socket | undefined> => {
  const socket = createConnection(path);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    if (['ENOENT', 'ECONNREFUSED'].includes(codeOf(error))) return undefined;
    throw error;
  }
};

/** Accepts the names of sample events, and returns what became of them. */
const openListener = async (session: Session, send: (name: EventName) => Promise<Forwarded>) => {
  const path = socketOf(session);
  const other = await connect(path);
  if (other) {
    other.destroy();
    throw new CliError('FAILED', `"webhook listen" is running for ${session.tenant} already.`);
  }
  // Of a listener that was killed.
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    createInterface({ input: socket }).once('line', (line) => {
      const name = EVENT_NAMES.find((one) => one === line);
      if (name) void send(name).then((forwarded) => socket.end(JSON.stringify(forwarded)));
      else socket.destroy();
    });
  });
  server.listen(path);
  await once(server, 'listening');
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return server;
};

const trigger = async (session: Session, name: string): Promise<void> => {
  const { tenant = '' } = session;
  const socket = await connect(socketOf(session));
  if (!socket)
    throw new CliError('FAILED', `No "webhook listen" is running for ${tenant} on this machine.`, [
      `Start it: rollgate webhook listen ${tenant} --forward-to http://localhost:3000/hooks`,
      `Or test a registered webhook: rollgate webhook test ${tenant} <webhook>`,
    ]);
  socket.write(`${name}\n`);
  const answer = await text(socket);
  const forwarded = Forwarded.parse(JSON.parse(answer));
  const { status, error, forward_to: url } = forwarded;
  const outcome = status === null ? 'no response' : `response ${status}`;
  const detail = error === null ? '' : ` (${printable(error)})`;
  session.print({
    people: () => `Sent a sample of ${name} to ${url}: ${outcome}${detail}\n`,
    json: answer,
    quiet: () => forwarded.delivery,
  });
  if (!isSuccess(forwarded)) throw new SilentExit();
};
