import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import hibob from '../../../connectors/hibob/index.js';
import { readSourceJson, systemClock, z } from '../../../src/plugin/api.js';
import { CONNECTOR_PROGRAM } from '../../../src/start/load-extensions.js';
import { startInProcess } from '../../../src/plugin/connector-runtime/process-connector.js';
import { createSourceClock } from '../../../src/plugin/contract/clock.js';
import { createCleanup } from '../../../tools/shared/cleanup.js';

const cleanup = createCleanup();
afterEach(cleanup.run);

const read = (body: string) =>
  readSourceJson({ status: 200, headers: {}, body }, z.json(), { source: 'Bob' });

describe('a response in JSON', () => {
  it.each([
    ['lists', `[${'[],'.repeat(20_000_000)}[]]`, 'has more than 500,000 values'],
    ['numbers', `{"a":[${'1,'.repeat(500_001)}1]}`, 'has more than 500,000 values'],
    ['nesting', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'is nested deeper than 64 levels'],
  ])('is refused before it is parsed if it has too much: %s', (_what, body, message) => {
    expect(() => read(body)).toThrow(`Bob sent a response that ${message}.`);
  });

  it.each([
    ['texts that look like JSON', [{ a: '[[{,,,"', b: 'x\\', c: '\\"[', '[{"': ']' }]],
    ['many values', new Array(400_000).fill(1)],
  ])('is read: %s', (_what, value) => {
    expect(read(JSON.stringify(value))).toEqual(value);
  });
});

it('a list of fields of 60 MB costs an error, and no more', async () => {
  const body = `[${'[],'.repeat(20_000_000)}[]]`;
  const server = createServer((_request, response) => response.end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(() => new Promise((resolve) => server.close(resolve)));
  const quiet = () => undefined;
  const { open, close } = await startInProcess(
    {
      name: 'hr',
      connector: hibob,
      settings: hibob.settings?.parse({
        baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        serviceUserId: 'u',
        token: 'token',
      }),
      secrets: () => [],
      allow: ['127.0.0.0/8'],
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      state: { get: () => Promise.resolve(undefined), set: () => Promise.resolve() },
      metrics: { gauge: quiet, counter: () => quiet },
      sourceClock: createSourceClock(() => new Date()),
      clock: systemClock,
      resolve: () => Promise.reject(new Error('unused')),
      userAgent: 'Rollgate/test',
    },
    { use: 'hibob', url: null, program: CONNECTOR_PROGRAM },
  );
  cleanup.defer(close);
  await expect(open.discover?.(new AbortController().signal)).rejects.toMatchObject({
    kind: 'schema',
    message: 'HiBob sent a response that has more than 500,000 values.',
  });
});
