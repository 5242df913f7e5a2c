import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { RunRecord } from '../../../plugins/connectors/run/run-record.js';
import { defineConnector, SourceError, type SourceClock, z } from '../../../src/plugin/api.js';
import { startConnector } from '../../../src/plugin/connector-runtime/open-connector.js';
import { createCleanup } from '../../../tools/shared/cleanup.js';
import { ConnectorWorld } from '../../support/connector-world.js';
import { createVirtualClock } from '../../support/virtual-clock.js';

const cleanup = createCleanup();
afterEach(cleanup.run);

const MINUTE_MS = 60_000;
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** One page from a server with a rate limit. */
const paged = (url: string) =>
  defineConnector({
    apiVersion: 1,
    name: 'paged',
    title: 'Paged',
    description: 'Reads one page.',
    triedAgainst: 'server',
    record: z.looseObject({}) as never,
    mapping: { userName: { path: 'mail', required: true } },
    start: ({ http }) => ({
      check: () => Promise.resolve({ ok: true, message: 'fine' }),
      read: async function* ({ signal }) {
        const { status } = await http.get({ url, signal });
        if (status !== 200) throw new SourceError('schema', `The server responded with ${status}.`);
        yield { type: 'record', id: '1', data: { mail: 'ada@example.com' } };
        yield { type: 'complete', cursor: null };
      },
    }),
  });

it('lets a run wait for as long as the source asks for, twice', async () => {
  let attempts = 0;
  const server = createServer((_request, response) => {
    attempts += 1;
    response.writeHead(attempts < 3 ? 429 : 200, { 'retry-after': '900' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const time = createVirtualClock();
  let pauses = 0;
  const sourceClock: SourceClock = {
    now: () => new Date(time.now()),
    sleep: async (ms) => {
      pauses += 1;
      await new Promise<void>((resolve) => void time.after(ms, resolve));
      pauses -= 1;
    },
  };
  const connector = paged(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const started = await startConnector({
    name: 'paged',
    connector,
    settings: {},
    secrets: () => [],
    allow: ['127.0.0.0/8'],
    log,
    state: { get: () => Promise.resolve(undefined), set: () => Promise.resolve() },
    metrics: { gauge: quiet, counter: () => quiet },
    sourceClock,
    clock: time,
    resolve: () => Promise.reject(new Error('unused')),
    userAgent: 'Rollgate/test',
  });
  cleanup.defer(started.close);
  const world = new ConnectorWorld({}, connector);
  world.opened = started.open;
  let run: RunRecord | undefined;
  const running = world.run().then((ended) => (run = ended));
  // Time passes in pauses only, not while the server responds.
  while (!run) await (pauses > 0 ? time.advance(MINUTE_MS) : time.settle());
  await running;
  expect(run).toMatchObject({ state: 'done', counts: { read: 1, applied: 1 } });
  expect(attempts).toBe(3);
  expect(time.now()).toBeGreaterThanOrEqual(30 * MINUTE_MS);
});
