import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGatewayProcess } from '../../tools/shared/gateway-process.js';
import { createTestDatabase } from '../support/database.js';
import { ADMIN_TOKEN, createClient } from '../support/gateway.js';

const { uri } = createTestDatabase();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollgate-failed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Once the file exists, what counts the commands in the pipeline cannot read the clock. */
const breakTheClock = (file: string) => `
import { existsSync } from 'node:fs';
const now = performance.now.bind(performance);
performance.now = () => {
  if (existsSync(${JSON.stringify(file)}) && new Error().stack.includes('setWorking'))
    throw new Error('no clock');
  return now();
};`;

it('a gateway whose pipeline ends refuses changes, is not ready, and exits with its reason', async () => {
  const hook = join(folder, 'break-the-clock.mjs');
  const broken = join(folder, 'clock-is-broken');
  await writeFile(hook, breakTheClock(broken));
  const settings = {
    ROLLGATE_DATA_DIR: folder,
    ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    ROLLGATE_MONGODB_URI: uri,
  };
  const gateway = await startGatewayProcess(settings, { nodeFlags: ['--import', hook] });
  const operator = createClient(`${gateway.url}/admin/v1`, ADMIN_TOKEN);
  expect((await operator('POST', '/tenants', { slug: 'acme', name: 'Acme' })).status).toBe(201);
  await writeFile(broken, '');
  const change = await operator('POST', '/tenants', { slug: 'other', name: 'Other' });
  // On a busy machine, its port may be closed by now.
  const ready = await fetch(`${gateway.url}/readyz`).then(
    ({ status }) => status,
    () => 'closed',
  );
  expect([change.status, change.body.error]).toEqual([503, 'UNAVAILABLE']);
  expect(await gateway.ended).toBe(1);
  expect(gateway.output()).toContain('The pipeline has ended: no clock');
  expect([503, 'closed']).toContain(ready);
}, 120_000);
