import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { openContext, type Tenant } from '../../tools/shared/faults/context.js';
import { readUsage } from '../../tools/shared/process-usage.js';
import { createTestDatabase } from '../support/database.js';

const { uri } = createTestDatabase();
const cleanUp = createCleanup();
const dispatcher = new Agent({ connections: 1 });
let url: string;
let pid: number;
let tenant: Tenant;

beforeAll(async () => {
  const context = await openContext(uri, cleanUp);
  ({ url, pid } = await context.startGateway());
  tenant = await context.createTenant(url, 'patient');
});
afterAll(async () => {
  await dispatcher.close();
  await cleanUp.run();
});

/** The gateway's CPU time for the requests of another client: it does not depend on other processes. */
const cpuMsOfRequests = async (): Promise<number> => {
  const before = await readUsage(pid);
  for (let number = 0; number < 500; number += 1) {
    const { statusCode, body } = await request(`${url}/v1/${tenant.slug}/users`, {
      dispatcher,
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    await body.dump();
    expect(statusCode).toBe(200);
  }
  return (await readUsage(pid)).cpuMs - before.cpuMs;
};

/** Connections without a request, or with an incomplete one. */
const openIdle = (count: number): Promise<readonly Socket[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      // The gateway may have ended it by the time it is closed.
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      if (number % 2 === 0) socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
      return socket;
    }),
  );

const close = (sockets: readonly Socket[]): void => sockets.forEach((socket) => socket.destroy());

describe('2,000 idle connections', () => {
  it('do not double the CPU time of the requests of other clients', async () => {
    // The code is compiled first.
    await cpuMsOfRequests();
    const alone = await cpuMsOfRequests();
    const sockets = await openIdle(2_000);
    const beside = await cpuMsOfRequests();
    close(sockets);
    expect(beside).toBeLessThan(2 * alone);
  });
});

/** Node's default is 60 s. */
const BELOW_DEFAULT_MS = 50_000;

describe('a client that sends its headers one character at a time', () => {
  it(
    'gets 408 although it never stops sending',
    async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      const response = text(socket);
      const drip = async (): Promise<void> => {
        socket.on('error', () => undefined).write('GET /healthz HTTP/1.1\r\nHost: a\r\nX-Slow: ');
        while (socket.writable && !socket.readableEnded) {
          socket.write('x');
          await pause(200);
        }
      };
      const dripping = drip();
      expect(await response).toMatch(/^HTTP\/1.1 408 /);
      socket.destroy();
      await dripping;
    },
    BELOW_DEFAULT_MS,
  );
});
