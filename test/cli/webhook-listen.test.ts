import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventName } from '../../src/domain/events.js';
import { SAMPLE_EVENTS } from '../../src/domain/sample-events.js';
import { verify } from '../../src/client/index.js';
import { EVENT_SHAPES } from '../../src/routes/event-feed.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { operatorCli, tenantCli } from './real-cli.js';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const gateway = TestGateway.use();
let tenant: TestTenant;
const integrator = tenantCli(gateway, () => tenant);
const operator = operatorCli(gateway);

/** A program of the user, which receives webhooks by plain HTTP. */
let received: Received[] = [];
let status = 204;
const program = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => {
    received.push({ headers: request.headers, body });
    response.writeHead(status).end(status === 204 ? '' : 'no database');
  });
});
let url = '';

beforeAll(async () => {
  program.listen(0, '127.0.0.1');
  await once(program, 'listening');
  url = `http://127.0.0.1:${(program.address() as AddressInfo).port}/hooks`;
});
afterAll(() => void program.close());
beforeEach(async () => {
  tenant = await gateway.tenant();
  received = [];
  status = 204;
});

const SECRET = 'a secret of our own';

interface Listening {
  readonly cli?: typeof integrator;
  readonly words?: readonly string[];
  readonly line?: string;
  /** Done when the listener has begun. */
  readonly then: () => Promise<unknown>;
  /** Ends it when this has been printed. */
  readonly until: string;
}

const listen = async ({ cli = integrator, words = [], line, then, until }: Listening) => {
  const interrupt = new AbortController();
  let work: Promise<unknown> | undefined;
  const run = await cli(['webhook', 'listen', tenant.slug, '--forward-to', url, ...words], {
    interruption: interrupt.signal,
    ...(line !== undefined && { line }),
    onNote: (stderr) => {
      if (stderr.includes('Press Ctrl-C')) work ??= then();
    },
    onOutput: (stdout) => {
      if (stdout.includes(until)) interrupt.abort();
    },
  });
  return { ...run, result: await work };
};

const createUser = (email: string) => tenant.native('POST', '/users', { email });

describe('webhook listen', () => {
  it.each([
    ['an API key', integrator],
    ['the admin token', operator],
  ])('forwards new events like deliveries, with %s', async (_what, cli) => {
    // Given a user from before
    await createUser('zoe@example.com');
    // When another one is created while it listens
    const then = () => createUser('ada@example.com');
    const { exitCode, stdout, stderr } = await listen({ cli, then, until: 'ada@example.com' });
    // Then only this event arrives, signed with the secret that was printed
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^\S+Z {2}204 {2}user\.created {2}seq 2 {2}ada@example\.com {2}\d+ ms\n$/,
    );
    const [, secret = ''] = /^Signing secret: (whsec_\S+)$/m.exec(stderr) ?? [];
    expect(received).toHaveLength(1);
    const { headers, body } = received[0]!;
    expect(await verify(body, headers, secret)).toMatchObject({ event: 'user.created', seq: 2 });
    await verify(body, headers, secret, { scheme: 'service' });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'user.created',
      'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      'user-agent': expect.stringMatching(/^Rollgate\//) as string,
    });
    // And the body is that of the log, byte by byte
    const { body: feed } = await tenant.native<{ events: unknown[] }>('GET', '/events?after=1');
    expect(body).toBe(JSON.stringify(feed.events[0]));
  });

  it('reads the secret from standard input, and sends only the given events', async () => {
    const words = ['--events', 'user.*', '--events', 'group.created,sms_list.created'];
    const { stdout, stderr } = await listen({
      words: [...words, '--secret', '-'],
      line: SECRET,
      then: async () => {
        await gateway.operator().then((run) =>
          run('POST', `/tenants/${tenant.slug}/role-mappings`, {
            group_display_name: 'Crew',
            role: 'crew',
          }),
        );
        const list = await tenant.native<{ id: string }>('POST', '/sms-lists', { name: 'On call' });
        await tenant.native('PATCH', `/sms-lists/${list.body.id}`, { name: 'Night' });
        await createUser('ada@example.com');
      },
      until: 'ada@example.com',
    });
    expect(stdout.match(/[a-z_]+\.[a-z_]+(?= {2}seq)/g)).toEqual([
      'sms_list.created',
      'user.created',
    ]);
    expect(stderr).not.toContain('Signing secret');
    await verify(received[0]!.body, received[0]!.headers, SECRET);
  });

  it('reports failures and goes on', async () => {
    status = 500;
    const { stdout } = await listen({
      then: async () => {
        await createUser('ada@example.com');
        await createUser('bob@example.com');
      },
      until: 'bob@example.com',
    });
    expect(stdout).toMatch(/ {2}500 {2}user\.created .+ ms {2}no database\n.* {2}500 {2}/);
  });

  it('prints JSON for programs, beginning with the secret', async () => {
    const { stdout, result } = await listen({
      words: ['-o', 'json'],
      then: () => Promise.resolve(),
      until: 'secret',
    });
    expect(result).toBeUndefined();
    expect(JSON.parse(stdout)).toMatchObject({
      forward_to: url,
      secret: expect.stringMatching(/^whsec_/) as string,
    });
  });
});

describe('webhook trigger', () => {
  it('sends a sample through the listener, and leaves no event in the log', async () => {
    const words = ['--secret', SECRET];
    const trigger = () => integrator(['webhook', 'trigger', tenant.slug, 'room.member_added']);
    const { stdout, result } = await listen({ words, then: trigger, until: 'sample' });
    expect(stdout).toMatch(/ {2}204 {2}room\.member_added {2}sample {2}zoe@example\.com, Dispatch/);
    expect(result).toMatchObject({
      exitCode: 0,
      stdout: `Sent a sample of room.member_added to ${url}: response 204\n`,
    });
    const event = await verify(received[0]!.body, received[0]!.headers, SECRET);
    expect(event).toMatchObject({ tenant_slug: tenant.slug, seq: null });
    const { body } = await tenant.native<{ events: unknown[] }>('GET', '/events');
    expect(body.events).toEqual([]);
  });

  it('exits with 1 if the program refuses, and if none listens', async () => {
    status = 401;
    const words = ['webhook', 'trigger', tenant.slug, 'user.created'];
    const refused = await listen({ then: () => integrator(words), until: 'sample' });
    expect(refused.result).toMatchObject({ exitCode: 1 });
    const { exitCode, stderr } = await integrator(words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`rollgate webhook listen ${tenant.slug} --forward-to`);
  });

  it('has a sample of each event in the shape of its schema', () => {
    for (const { name, body } of EVENT_SHAPES) {
      const data = SAMPLE_EVENTS[name as EventName];
      const id = '0b0a9f6e-5f0c-4a53-9b57-0c5d3a1f2e10';
      const timestamp = '2026-01-31T12:00:00.000Z';
      const envelope = { id, event: name, tenant_id: id, tenant_slug: 'acme', timestamp, seq: 1 };
      expect([name, body.safeParse({ ...envelope, data }).error]).toEqual([name, undefined]);
    }
  });
});
