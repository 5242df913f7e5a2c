import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../src/doctor/checks/configuration.js';
import { checkDataFolder } from '../../src/doctor/checks/data-folder.js';
import { checkDiskSpace, judgeSpace } from '../../src/doctor/checks/disk-space.js';
import { checkFolderLock } from '../../src/doctor/checks/folder-lock.js';
import { checkMongod } from '../../src/doctor/checks/mongod.js';
import { checkOpenFiles, judgeOpenFiles } from '../../src/doctor/checks/open-files.js';
import { checkSecretFiles } from '../../src/doctor/checks/secret-files.js';
import { checkSecretKey } from '../../src/doctor/checks/secret-key.js';
import { keepInCache } from '../../src/store/embedded/cached-mongod.js';
import { lockDataFolder } from '../../src/store/embedded/data-folder-lock.js';
import { examine, temporaryFolder } from '../support/doctor.js';

let dataDir: string;
const inFolder = () => ({ env: { ROLLGATE_DATA_DIR: dataDir } });
const put = (name: string, text: string, mode = 0o600) =>
  writeFile(join(dataDir, name), text, { mode });

beforeEach(async () => {
  dataDir = await temporaryFolder();
});

/** As an account that the folder does not belong to; root is let in everywhere, so it steps down. */
const asStranger = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const NOBODY = 65_534;
  if (process.geteuid?.() !== 0) {
    await chmod(dataDir, 0);
    return work().finally(() => chmod(dataDir, 0o700));
  }
  process.seteuid?.(NOBODY);
  return work().finally(() => process.seteuid?.(0));
};

/** Everything that the settings can hold, so that the folder holds nothing. */
const ELSEWHERE = {
  ROLLGATE_MONGODB_URI: 'mongodb://db.invalid/rollgate',
  ROLLGATE_ADMIN_TOKEN: 'x'.repeat(32),
  ROLLGATE_SECRET_KEY: randomBytes(32).toString('base64'),
};

describe('the configuration', () => {
  it('is without mistakes', async () => {
    expect(await examine(checkConfiguration)).toMatchObject({ status: 'OK' });
  });

  it('is told with every mistake and its place', async () => {
    const problems = [
      { place: 'rollgate.yaml:2', key: 'port', message: 'expected a whole number' },
      { place: 'rollgate.yaml:9', key: '', message: 'no YAML' },
    ];
    expect(await examine(checkConfiguration, { problems })).toMatchObject({
      status: 'FAIL',
      message:
        'The settings have 2 mistakes: rollgate.yaml:2: port: expected a whole number; rollgate.yaml:9: no YAML.',
      details: { problems },
    });
  });

  it('that cannot be read at all leaves nothing to say of the folder', async () => {
    await expect(examine(checkDataFolder, { config: undefined })).rejects.toThrow(
      'The configuration cannot be read.',
    );
  });
});

describe('the data folder', () => {
  it('is well where its owner alone gets in', async () => {
    expect(await examine(checkDataFolder, inFolder())).toMatchObject({
      status: 'OK',
      details: { mode: '700' },
    });
  });

  it('is a warning where others get in', async () => {
    await chmod(dataDir, 0o755);
    expect(await examine(checkDataFolder, inFolder())).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining('mode 755') as string,
      remedy: `chmod 700 ${dataDir}`,
    });
  });

  it('may be missing, as long as it can be made', async () => {
    const env = { ROLLGATE_DATA_DIR: join(dataDir, 'not/yet') };
    expect(await examine(checkDataFolder, { env })).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('the first start makes it') as string,
    });
  });

  it('fails where a file is in its place', async () => {
    await put('file', '');
    const env = { ROLLGATE_DATA_DIR: join(dataDir, 'file') };
    expect(await examine(checkDataFolder, { env })).toMatchObject({ status: 'FAIL' });
  });

  it('fails where a file is in place of its parent', async () => {
    await put('file', '');
    const env = { ROLLGATE_DATA_DIR: join(dataDir, 'file/sub') };
    expect(await examine(checkDataFolder, { env })).toMatchObject({ status: 'FAIL' });
  });

  // access(2) asks for the real account, and root is let in everywhere.
  it.skipIf(process.getuid?.() === 0)('fails where it cannot be written', async () => {
    await chmod(dataDir, 0o500);
    expect(await examine(checkDataFolder, inFolder())).toMatchObject({
      status: 'FAIL',
      remedy: expect.stringContaining('under the account that it belongs to') as string,
    });
  });

  it('keeps its secrets and its lock from an account that it does not belong to', async () => {
    await put('admin-token', 'token');
    await put('secret-key', 'key');
    for (const check of [checkSecretFiles, checkSecretKey, checkFolderLock]) {
      const looked = asStranger(() => examine(check, inFolder()));
      await expect(looked).rejects.toThrow('cannot be looked at by this account (EACCES)');
    }
  });

  it('is looked for from where the gateway is started', async () => {
    const given = { cwd: dataDir, env: { ROLLGATE_DATA_DIR: '.' } };
    expect(await examine(checkDataFolder, given)).toMatchObject({ details: { path: dataDir } });
  });

  it('is left alone where nothing is kept in it', async () => {
    expect(await examine(checkDataFolder, { env: ELSEWHERE })).toMatchObject({ status: 'SKIP' });
    expect(await examine(checkSecretFiles, { env: ELSEWHERE })).toMatchObject({ status: 'SKIP' });
  });
});

describe('the disk', () => {
  const GIB = 1024 ** 3;

  it.each([
    [{ free: 50 * GIB, total: 100 * GIB }, 'OK'],
    [{ free: 15 * GIB, total: 100 * GIB }, 'OK'],
    [{ free: 14.9 * GIB, total: 100 * GIB }, 'WARN'],
    [{ free: 0.9 * GIB, total: 2 * GIB }, 'WARN'],
    [{ free: 0.1 * GIB, total: 2 * GIB }, 'FAIL'],
    [{ free: 0, total: 100 * GIB }, 'FAIL'],
  ])('with %j free is %s', (space, status) => {
    expect(judgeSpace('/data', space).status).toBe(status);
  });

  it('is measured where the folder is, or will be', async () => {
    const env = { ROLLGATE_DATA_DIR: join(dataDir, 'not/yet') };
    const { details } = await examine(checkDiskSpace, { env });
    expect(details).toMatchObject({ path: dataDir });
    expect(details?.total_bytes).toBeGreaterThan(0);
    expect(details?.free_bytes).toBeLessThanOrEqual(Number(details?.total_bytes));
  });

  it('of a database elsewhere is not this one', async () => {
    expect(await examine(checkDiskSpace, { env: ELSEWHERE })).toMatchObject({ status: 'SKIP' });
  });
});

describe('the files of secrets', () => {
  it('are nobody else’s to read', async () => {
    await put('admin-token', 'token');
    await put('mongod-key', 'key');
    expect(await examine(checkSecretFiles, inFolder())).toMatchObject({
      status: 'OK',
      details: { modes: { 'admin-token': '600', 'mongod-key': '600' } },
    });
  });

  it.each([0o640, 0o604, 0o644])('are a warning with mode %o', async (mode) => {
    await put('admin-token', 'token');
    await put('secret-key', 'key');
    await chmod(join(dataDir, 'secret-key'), mode);
    const { status, message, remedy } = await examine(checkSecretFiles, inFolder());
    expect(status).toBe('WARN');
    expect(message).toMatch(/: secret-key\.$/);
    expect(remedy).toContain(`chmod 600 ${join(dataDir, 'secret-key')}`);
  });

  it('fail where one is empty', async () => {
    await put('secret-key', '');
    expect(await examine(checkSecretFiles, inFolder())).toMatchObject({ status: 'FAIL' });
  });

  it('are made by the first start', async () => {
    expect(await examine(checkSecretFiles, inFolder())).toMatchObject({ status: 'SKIP' });
  });
});

describe('the secret key', () => {
  it('is well-formed', async () => {
    await put('secret-key', `${randomBytes(32).toString('base64')}\n`);
    expect(await examine(checkSecretKey, inFolder())).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('no database to try it on') as string,
    });
  });

  it.each(['AAAA', 'not base64!', ''])('fails as "%s"', async (text) => {
    await put('secret-key', text);
    expect(await examine(checkSecretKey, inFolder())).toMatchObject({ status: 'FAIL' });
  });

  it('of the configuration comes before that of the folder', async () => {
    await put('secret-key', randomBytes(32).toString('base64'));
    const env = { ROLLGATE_DATA_DIR: dataDir, ROLLGATE_SECRET_KEY: 'short' };
    expect(await examine(checkSecretKey, { env })).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('of the configuration') as string,
    });
  });

  it('is made by the first start', async () => {
    expect(await examine(checkSecretKey, inFolder())).toMatchObject({ status: 'SKIP' });
  });
});

describe('open files', () => {
  it('are enough where the tests run', async () => {
    expect(await examine(checkOpenFiles, inFolder())).toMatchObject({
      details: { limit: expect.any(Number) as number },
    });
  });

  it.each([
    [Infinity, true, 'OK'],
    [4096, true, 'OK'],
    [4095, true, 'WARN'],
    [1023, true, 'FAIL'],
    [1023, false, 'WARN'],
    [511, false, 'FAIL'],
  ])('%d, embedded: %s, is %s', (limit, isEmbedded, status) => {
    expect(judgeOpenFiles(limit, isEmbedded)).toMatchObject({ status });
  });
});

describe('the mongod of the next start', () => {
  const putMongod = async (path: string, version: string): Promise<string> => {
    const whole = join(dataDir, path);
    await mkdir(join(whole, '..'), { recursive: true });
    await writeFile(whole, `#!/bin/sh\necho "db version v${version}"\n`, { mode: 0o755 });
    return whole;
  };
  const withPath = (more: Record<string, string> = {}) => ({
    env: {
      ROLLGATE_DATA_DIR: dataDir,
      ROLLGATE_CACHE_DIR: join(dataDir, 'cache'),
      PATH: join(dataDir, 'bin'),
      ...more,
    },
  });

  it('is told with its version and where it comes from', async () => {
    const path = await putMongod('bin/mongod', '7.0.1');
    expect(await examine(checkMongod, withPath())).toMatchObject({
      status: 'OK',
      details: { version: '7.0.1', path, source: 'PATH', data_written_by: null },
    });
  });

  it('is the cached one where none is installed', async () => {
    await keepInCache(await putMongod('fetched', '6.0.5'), join(dataDir, 'cache'), 'download');
    expect(await examine(checkMongod, withPath())).toMatchObject({
      status: 'OK',
      details: { version: '6.0.5', source: 'the cache' },
    });
  });

  it('is not the cached one where that was changed', async () => {
    const cacheDir = join(dataDir, 'cache');
    const path = await keepInCache(await putMongod('fetched', '6.0.5'), cacheDir, 'download');
    await writeFile(path, '#!/bin/sh\necho "db version v6.0.5, changed"\n');
    expect(await examine(checkMongod, withPath())).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining(`${path} was changed or damaged`) as string,
    });
  });

  it('is not fetched by the doctor', async () => {
    expect(await examine(checkMongod, withPath())).toMatchObject({
      status: 'WARN',
      remedy: expect.stringContaining('The next start fetches one') as string,
    });
  });

  it('fails where the one that was named does not run', async () => {
    await putMongod('bin/mongod', '7.0.1');
    const named = { MONGOMS_SYSTEM_BINARY: join(dataDir, 'mistyped') };
    expect(await examine(checkMongod, withPath(named))).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('mistyped') as string,
    });
  });

  it('is a warning where the data was written by another release', async () => {
    await putMongod('bin/mongod', '6.0.5');
    await put('mongod-version', '7.0.28\n');
    expect(await examine(checkMongod, withPath())).toMatchObject({
      status: 'WARN',
      remedy: expect.stringContaining('a mongod 7.0') as string,
    });
  });

  it('does not matter where the database is another one', async () => {
    expect(await examine(checkMongod, { env: ELSEWHERE })).toMatchObject({ status: 'SKIP' });
  });
});

describe('the lock of the data folder', () => {
  const GONE = 'rollgate-00000000-0000-4000-8000-000000000000.lock';

  it('is free', async () => {
    expect(await examine(checkFolderLock, inFolder())).toMatchObject({ status: 'OK' });
    await rm(dataDir, { recursive: true });
    expect(await examine(checkFolderLock, inFolder())).toMatchObject({ status: 'OK' });
  });

  it('is a warning where a gateway holds it without a mongod', async () => {
    const release = await lockDataFolder(dataDir);
    expect(await examine(checkFolderLock, inFolder())).toMatchObject({
      status: 'WARN',
      details: { gateway_pid: process.pid, mongod_pid: null },
    });
    await release();
  });

  it('that a crash left is nobody’s, and is left as it is', async () => {
    await put(GONE, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: null }));
    expect(await examine(checkFolderLock, inFolder())).toMatchObject({
      status: 'OK',
      details: { gateway_pid: null },
    });
    expect(await readdir(dataDir)).toContain(GONE);
  });
});
