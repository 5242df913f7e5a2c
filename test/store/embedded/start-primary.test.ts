import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cacheFolder } from '../../../src/process/cache-folder.js';
import { openMongodKey } from '../../../src/store/embedded/mongod-settings.js';
import { MONGOD_SOURCES, resolveMongod } from '../../../src/store/embedded/resolve-mongod.js';
import { startPrimary } from '../../../src/store/embedded/start-primary.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };

it('reports a port that is in use, so that another is tried', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'rollgate-primary-'));
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(async () => {
    other.close();
    await rm(dataDir, { recursive: true });
  });
  const { env } = process;
  const binary = await resolveMongod({ env, cacheDir: cacheFolder(env), log }, MONGOD_SOURCES);
  const key = await openMongodKey(dataDir, log);
  const dbPath = join(dataDir, 'db');
  await mkdir(dbPath);

  const start = startPrimary(
    { binary, dataDir, dbPath, key },
    (other.address() as AddressInfo).port,
  );

  await expect(start).rejects.toThrow(/already in use/);
});
