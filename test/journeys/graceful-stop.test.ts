import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayProcess } from '../../scripts/crash/gateway-process.js';
import { openScene, type Scene, type TenantAccess } from '../../scripts/crash/scene.js';
import { createCleanUp } from '../../scripts/demo/clean-up.js';
import { createTestDatabase } from '../support/database.js';
import { TestGateway } from '../support/gateway.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanUp();
let scene: Scene;
beforeAll(async () => {
  scene = await openScene(uri, cleanUp);
});
afterAll(cleanUp.run);

interface Asked {
  /** When it was handed to the operating system; the machine may have let it wait before. */
  readonly sentAt: number;
  /** 0 where there was no answer. */
  readonly status: number;
}

interface Client {
  readonly url: string;
  readonly tenant: TenantAccess;
  readonly name: string;
  /** What all clients of a gateway have asked so far. */
  readonly asked: Asked[];
}

const SENT = 'undici:client:sendHeaders';
const sentAt = new Map<string, number>();
const noteSending = (message: unknown): void => {
  const { headers } = message as { readonly headers: string };
  const [, id] = /^x-request-id: (\S+)/im.exec(headers) ?? [];
  if (id !== undefined) sentAt.set(id, performance.now());
};
beforeAll(() => subscribe(SENT, noteSending));
afterAll(() => void unsubscribe(SENT, noteSending));

/** One request after the other, until one of them is not answered with 201. */
const askUntilItEnds = async ({ url, tenant: { slug, key }, name, asked }: Client) => {
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
    asked.push({ sentAt: sentAt.get(id) ?? Infinity, status });
  }
  await dispatcher.destroy();
};

const heldRows = async (): Promise<number> => {
  const client = await new mongoose.mongo.MongoClient(uri).connect();
  const held = await client
    .db()
    .collection('outbox')
    .countDocuments({ own: { $ne: null } });
  await client.close();
  return held;
};

const isOver = async (gateway: GatewayProcess): Promise<boolean> =>
  Promise.race([gateway.ended.then(() => true), pause(0, false)]);

/** It goes on for half a second, from when it hears of it. */
const MOMENT_MS = 400;

describe('a gateway that is told to stop', () => {
  it('under load answers all that was asked before, and leaves nothing behind', async () => {
    const gateways = await Promise.all([scene.start(), scene.start(), scene.start()]);
    const stops = gateways.map(async (gateway, number) => {
      const tenant = await scene.makeTenant(gateway.url, `stopped-${number}`);
      const asked: Asked[] = [];
      const clients = Array.from({ length: 8 }, (_, at) =>
        askUntilItEnds({ url: gateway.url, tenant, name: `client-${at}`, asked }),
      );
      while (asked.length < 100) await pause(1);
      const signalledAt = performance.now();
      gateway.signal('SIGTERM');
      await Promise.all(clients);
      const code = await gateway.ended;
      return { code, ms: performance.now() - signalledAt, asked, signalledAt };
    });
    for (const { code, ms, asked, signalledAt } of await Promise.all(stops)) {
      expect(code).toBe(0);
      expect(ms).toBeLessThan(30_000);
      expect(asked.filter(({ sentAt }) => sentAt < signalledAt).length).toBeGreaterThanOrEqual(100);
      // Whoever could not know yet is served for a moment, too.
      const early = asked.filter(({ sentAt }) => sentAt < signalledAt + MOMENT_MS);
      expect(early.filter(({ status }) => status !== 201)).toEqual([]);
      const statuses = new Set(asked.map(({ status }) => status));
      expect([...statuses].filter((status) => ![201, 503, 0].includes(status))).toEqual([]);
    }
    expect(await heldRows()).toBe(0);
  }, 120_000);

  it('does not wait any longer when it is told so again', async () => {
    const gateway = await scene.start();
    const tenant = await scene.makeTenant(gateway.url, 'impatient');
    const before = scene.receiver.requests.length;
    scene.receiver.behave({ kind: 'hang' });
    await request(`${gateway.url}/v1/impatient/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'somebody@example.com' }),
    });
    await scene.receiver.received(before + 1);
    gateway.signal('SIGTERM');
    while (await isListening(gateway.url)) await pause(10);
    expect(await isOver(gateway)).toBe(false);
    const insistedAt = performance.now();
    gateway.signal('SIGTERM');
    expect(await gateway.ended).toBe(1);
    // The attempt under way would have been given ten seconds.
    expect(performance.now() - insistedAt).toBeLessThan(5_000);
  }, 60_000);
});

/** Nothing of this process runs for so many milliseconds. */
const hold = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

describe('a gateway that a busy machine keeps from reading', () => {
  const test = TestGateway.use();

  it('serves what came in its last moment all the same', async () => {
    const gateway = await test.open();
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').setEncoding('utf8');
    const closed = once(socket, 'close');
    let answers = '';
    socket.on('data', (text: string) => (answers += text));
    const ask = () => socket.write('GET /v1/nobody/me HTTP/1.1\r\nHost: localhost\r\n\r\n');
    ask();
    await once(socket, 'data');
    // The timers of the event loop come next, then what is to be read.
    await turn();
    const draining = gateway.drain();
    ask();
    hold(1_000);
    await draining;
    await test.stop();
    await closed;
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
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
