import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { z } from 'zod';
import { loadConfig } from '../../../config/load-config.js';
import { verify, WebhookVerificationError } from '../../client/index.js';
import { EVENT_NAMES } from '../../domain/events.js';
import { addCommand, type CommandForm } from '../add-command.js';
import type { CliContext } from '../cli-context.js';
import { CliError, EXIT } from '../cli-error.js';
import { printable } from '../terminal-text.js';
import { formatSecond } from '../format-time.js';
import type { Session } from '../session.js';

const CERTIFICATE = 'webhook-listen.pem';
const KEY = 'webhook-listen-key.pem';
const HOST = '127.0.0.1';
const MAX_PORT = 65_535;
const MAX_BODY_BYTES = 10 * 1_024 * 1_024;

interface Given {
  readonly events?: readonly string[];
  readonly port?: number;
  readonly publicUrl?: string;
}

/** `rollgate webhook listen`: for development on this machine. */
export const addWebhookListen = (program: Command, context: CliContext): void => {
  const webhook = program.commands.find((command) => command.name() === 'webhook');
  if (!webhook) return;
  const form: CommandForm = {
    name: 'listen',
    access: { admin: true, scope: 'webhooks' },
    summary: 'receive, verify and print deliveries on this machine',
    description:
      'For development: start a receiver on 127.0.0.1, register it as a webhook, and print every ' +
      'delivery with the result of its verification, until Ctrl-C, which removes the registration. ' +
      'docs/webhooks.md, "Test on your own machine", lists the settings that the gateway needs.',
    options: [
      {
        flags: '--events <names>',
        field: 'events',
        help: `events, separated by commas, such as user.*,${EVENT_NAMES[5]} (default: all)`,
        parse: (text) => text.split(',').map((name) => name.trim()),
      },
      {
        flags: '--port <number>',
        field: 'port',
        help: 'port (default: a free one)',
        type: { min: 0, max: MAX_PORT },
      },
      {
        flags: '--public-url <url>',
        field: 'publicUrl',
        help: 'https URL of a tunnel to this receiver, which then uses http',
      },
    ],
    examples: [
      ['rollgate webhook listen acme', 'all events'],
      ['rollgate webhook listen acme --events "user.*" --json', 'one JSON document per delivery'],
      [
        'rollgate webhook listen acme --port 9000 --public-url https://x.example.com',
        'by a tunnel',
      ],
    ],
  };
  addCommand(webhook, context, form, ({ session, fields }) => listen(session, fields));
};

const Created = z.object({ id: z.string(), secret: z.string() });
const Tested = z.object({ delivered: z.boolean(), error: z.string().nullable() });

const listen = async (
  session: Session,
  { events = ['*'], port = 0, publicUrl }: Given,
): Promise<void> => {
  const { context, client } = session;
  const signal = context.interruption();
  // Known when the gateway has answered, before the first delivery.
  let setSecret: (secret: string) => void = () => undefined;
  const secret = new Promise<string>((resolved) => (setSecret = resolved));
  const files = publicUrl === undefined ? await certificateIn(dataFolder(context)) : undefined;
  const server = await openReceiver(port, files, (request, body) =>
    receive(session, { request, body, secret }),
  );
  try {
    const url = publicUrl ?? `https://localhost:${(server.address() as AddressInfo).port}/`;
    const body = { url, events, description: 'rollgate webhook listen' };
    const response = await client.request('POST', '/webhooks', { body });
    const created = session.read(Created, response);
    setSecret(created.secret);
    try {
      session.note(`Listening at ${url}. Press Ctrl-C to stop.\n`);
      const test = await client.request('POST', `/webhooks/${created.id}/test`, { body: {} });
      const { delivered, error } = session.read(Tested, test);
      if (!delivered) session.note(describeFailure(error, files?.certificate));
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await client.request('DELETE', `/webhooks/${created.id}`);
      session.note('Removed the registration.\n');
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const describeFailure = (error: string | null, certificate: string | undefined): string =>
  `The gateway cannot reach this receiver: ${printable(error ?? 'no response')}\n` +
  (certificate === undefined
    ? 'Check that the tunnel leads to this port.\n'
    : 'If it runs on this machine, restart it with these settings:\n' +
      `  ROLLGATE_WEBHOOKS_ALLOW=${HOST} ROLLGATE_WEBHOOKS_CA=${certificate} rollgate serve\n`);

// ── The receiver ─────────────────────────────────────────────────────────────────────────────────

interface Files {
  readonly certificate: string;
  readonly key: string;
}

const dataFolder = ({ cwd, env }: CliContext): string =>
  resolve(cwd, loadConfig({ cwd, env }).config.dataDir);

/** A certificate for localhost, created once, so that the gateway can be configured to trust it. */
const certificateIn = async (folder: string): Promise<Files> => {
  const files = { certificate: join(folder, CERTIFICATE), key: join(folder, KEY) };
  if (existsSync(files.certificate) && existsSync(files.key)) return files;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const words = [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '825', '-subj', '/CN=rollgate webhook listen'],
    ...['-addext', `subjectAltName=DNS:localhost,IP:${HOST}`],
    ...['-keyout', files.key, '-out', files.certificate],
  ];
  await promisify(execFile)('openssl', words).catch((error: unknown) => {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    throw new CliError(EXIT.refused, 'Cannot create a certificate for localhost.', [
      `openssl: ${reason}`,
      `Install openssl, or store your own certificate in ${files.certificate} and its key in ${files.key}.`,
    ]);
  });
  return files;
};

type Receive = (request: IncomingMessage, body: Buffer) => Promise<number>;

const openReceiver = async (
  port: number,
  files: Files | undefined,
  handle: Receive,
): Promise<Server> => {
  const server = files
    ? createHttpsServer({ cert: await readFile(files.certificate), key: await readFile(files.key) })
    : createHttpServer();
  server.on('request', (request: IncomingMessage, response) => {
    void readBody(request)
      .then((body) => handle(request, body))
      .then(
        (status) => response.writeHead(status).end(),
        () => response.destroy(),
      );
  });
  server.listen(port, HOST);
  await once(server, 'listening').catch((error: unknown) => {
    throw new CliError(EXIT.refused, `Cannot listen on port ${port}: ${String(error)}`);
  });
  return server;
};

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

interface Received {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly secret: Promise<string>;
}

/** Prints one delivery; returns the status of the response. */
const receive = async (session: Session, { request, body, secret }: Received): Promise<number> => {
  const { context, paint, style } = session;
  const delivery = String(request.headers['x-service-delivery'] ?? '');
  const at = context.now().toISOString();
  const write = (text: string): void => context.stdout.write(`${text}\n`);
  try {
    const event = await verify(body, request.headers, await secret);
    // Both forms, so that a mistake in either is seen here.
    await verify(body, request.headers, await secret, { scheme: 'service' });
    if (style === 'json') write(JSON.stringify({ at, verified: true, delivery, event }));
    else if (style === 'quiet') write(event.event);
    else
      write(
        [
          formatSecond(at),
          paint.green('verified'),
          paint.bold(printable(event.event)),
          ...(event.seq === null ? [] : [`seq ${event.seq}`]),
          printable(JSON.stringify(event.data)),
        ].join('  '),
      );
    return 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { code, message } = error;
    if (style === 'json')
      write(JSON.stringify({ at, verified: false, delivery, error: code, message }));
    else if (style === 'people')
      write(`${formatSecond(at)}  ${paint.red('not verified')}  ${message}`);
    return 401;
  }
};
