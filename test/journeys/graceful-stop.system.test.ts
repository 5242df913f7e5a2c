import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { type Context, openContext, type Tenant } from '../../tools/shared/faults/context.js';
import type { GatewayProcess } from '../../tools/shared/gateway-process.js';
import { createTestDatabase } from '../support/database.js';
import { TestGateway } from '../support/gateway.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanup();
let context: Context;
beforeAll(async () => {
  context = await openContext(uri, cleanUp);
});
afterAll(cleanUp.run);

interface SentRequest {
  /** When it was written to the socket, which on a busy machine may be later than its creation. */
  readonly sentAt: number;
  /** 0 if there was no response. */
  readonly status: number;
}

interface Client {
  readonly url: string;
  readonly tenant: Tenant;
  readonly name: string;
  /** The requests of all clients of a gateway so far. */
  readonly sent: SentRequest[];
}

const SENT = 'undici:client:sendHeaders';
const sentAt = new Map<string, number>();
const recordSending = (message: unknown): void => {
  const { headers } = message as { readonly headers: string };
  const [, id] = /^x-request-id: (\S+)/im.exec(headers) ?? [];
  if (id !== undefined) sentAt.set(id, performance.now());
};
beforeAll(() => subscribe(SENT, recordSending));
afterAll(() => void unsubscribe(SENT, recordSending));

/** Sends one request after the other until one does not return 201. */
const createUntilRefused = async ({ url, tenant: { slug, key }, name, sent }: Client) => {
  const dispatcher = new Agent({ connections: 1 });
  for (let status = 201, number = 0; status === 201; number += 1) {
    const id = `${slug}-${name}-${number}`;
    status = await request(`${url}/v1/${slug}/users`, {
      dispatcher,
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-request-id': id,
      },
      body: JSON.stringify({ email: `${name}-${number}@example.com` }),
    }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      },
      () => 0,
    );
    sent.push({ sentAt: sentAt.get(id) ?? Infinity, status });
  }
  await dispatcher.destroy();
};

const ownedPartitions = async (): Promise<number> => {
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  const leased = await client
    .db()
    .collection('stream_partitions')
    .countDocuments({ owner: { $ne: null } });
  await client.close();
  return leased;
};

const hasExited = async (gateway: GatewayProcess): Promise<boolean> =>
  Promise.race([gateway.ended.then(() => true), pause(0, false)]);

/** The gateway accepts requests for half a second after the signal. */
const MOMENT_MS = 400;

describe('a gateway that is signalled to stop', () => {
  it('under load, responds to all earlier requests and releases its partitions', async () => {
    const gateways = await Promise.all([1, 2, 3].map(() => context.startGateway()));
    const stops = gateways.map(async (gateway, number) => {
      const tenant = await context.createTenant(gateway.url, `stopped-${number}`);
      await context.subscribe(gateway.url, tenant);
      const sent: SentRequest[] = [];
      const clients = Array.from({ length: 8 }, (_, at) =>
        createUntilRefused({ url: gateway.url, tenant, name: `client-${at}`, sent }),
      );
      while (sent.length < 100) await pause(1);
      const signalledAt = performance.now();
      gateway.signal('SIGTERM');
      await Promise.all(clients);
      const code = await gateway.ended;
      return { code, sent, signalledAt };
    });
    for (const { code, sent, signalledAt } of await Promise.all(stops)) {
      expect(code).toBe(0);
      expect(sent.filter((one) => one.sentAt < signalledAt).length).toBeGreaterThanOrEqual(100);
      // For a short time after the signal, requests are still served.
      const early = sent.filter(({ sentAt }) => sentAt < signalledAt + MOMENT_MS);
      expect(early.filter(({ status }) => status !== 201)).toEqual([]);
      const statuses = new Set(sent.map(({ status }) => status));
      expect([...statuses].filter((status) => ![201, 503, 0].includes(status))).toEqual([]);
    }
    expect(await ownedPartitions()).toBe(0);
  }, 120_000);

  it('stops waiting at a second signal', async () => {
    const gateway = await context.startGateway();
    const tenant = await context.createTenant(gateway.url, 'impatient');
    await context.subscribe(gateway.url, tenant);
    const before = context.receiver.requests.length;
    context.receiver.setBehaviour({ kind: 'hang' });
    await request(`${gateway.url}/v1/impatient/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com' }),
    });
    await context.receiver.received(before + 1);
    gateway.signal('SIGTERM');
    while (await isListening(gateway.url)) await pause(10);
    expect(await hasExited(gateway)).toBe(false);
    gateway.signal('SIGTERM');
    // A gateway that waits for the hanging attempt ends with 0.
    expect(await gateway.ended).toBe(1);
  }, 60_000);
});

/** Blocks this process. */
const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

describe('a gateway that stops while its event loop is blocked', () => {
  const test = TestGateway.use();

  it('serves a request that arrived before it stopped listening', async () => {
    const gateway = await test.open();
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').setEncoding('utf8');
    const closed = once(socket, 'close');
    let responses = '';
    socket.on('data', (text: string) => (responses += text));
    const send = () => socket.write('GET /v1/unknown/me HTTP/1.1\r\nHost: localhost\r\n\r\n');
    send();
    await once(socket, 'data');
    // In the next iteration the event loop runs timers before it reads from sockets.
    await nextIteration();
    const draining = gateway.drain();
    send();
    block(1_000);
    await draining;
    await test.stop();
    await closed;
    expect([...responses.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '401',
      '401',
    ]);
  });
});

const isListening = (url: string): Promise<boolean> =>
  request(`${url}/healthz`).then(
    async ({ body }) => {
      await body.dump();
      return true;
    },
    () => false,
  );
