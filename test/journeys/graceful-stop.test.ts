import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayProcess } from '../../scripts/crash/gateway-process.js';
import { openScene, type Scene, type TenantAccess } from '../../scripts/crash/scene.js';
import { createCleanUp } from '../../scripts/demo/clean-up.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanUp();
let scene: Scene;
beforeAll(async () => {
  scene = await openScene(uri, cleanUp);
});
afterAll(cleanUp.run);

interface Asked {
  readonly at: number;
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

/** One request after the other, until one of them is not answered with 201. */
const askUntilItEnds = async ({ url, tenant: { slug, key }, name, asked }: Client) => {
  const dispatcher = new Agent({ connections: 1 });
  for (let status = 201, number = 0; status === 201; number += 1) {
    const at = performance.now();
    status = await request(`${url}/v1/${slug}/users`, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `${name}-${number}@example.com` }),
    }).then(
      async ({ statusCode, body }) => {
        await body.dump();
        return statusCode;
      },
      () => 0,
    );
    asked.push({ at, status });
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
      const before = asked.filter(({ at }) => at < signalledAt);
      expect(before.filter(({ status }) => status !== 201)).toEqual([]);
      // Whoever could not know yet is served for a moment.
      const after = asked.filter(({ at }) => at >= signalledAt);
      expect(after.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
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

const isListening = (url: string): Promise<boolean> =>
  request(`${url}/healthz`).then(
    async ({ body }) => {
      await body.dump();
      return true;
    },
    () => false,
  );
