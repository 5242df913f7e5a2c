import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../src/doctor/checks/configuration.js';
import {
  checkDataFolder,
  checkDiskSpace,
  checkFolderLock,
  checkMongod,
} from '../../src/doctor/checks/data-folder.js';
import { checkOpenFiles } from '../../src/doctor/checks/machine.js';
import { openFileLimit } from '../../src/process/open-files.js';
import { checkSecretFiles, checkSecretKey } from '../../src/doctor/checks/secrets.js';
import { addToCache } from '../../src/store/embedded/cached-mongod.js';
import { lockDataFolder } from '../../src/store/embedded/data-folder-lock.js';
import { runCheck, temporaryFolder } from '../support/doctor.js';

let dataDir: string;
const inFolder = () => ({ env: { ROLLGATE_DATA_DIR: dataDir } });
const put = (name: string, text: string, mode = 0o600) =>
  writeFile(join(dataDir, name), text, { mode });

beforeEach(async () => {
  dataDir = await temporaryFolder();
});

/** Runs as another account; root, which can read everything, switches to nobody. */
const asOtherAccount = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const NOBODY = 65_534;
  if (process.geteuid?.() !== 0) {
    await chmod(dataDir, 0);
    return work().finally(() => chmod(dataDir, 0o700));
  }
  process.seteuid?.(NOBODY);
  return work().finally(() => process.seteuid?.(0));
};

/** All settings that make the data folder unnecessary. */
const ELSEWHERE = {
  ROLLGATE_MONGODB_URI: 'mongodb://db.invalid/rollgate',
  ROLLGATE_ADMIN_TOKEN: 'x'.repeat(32),
  ROLLGATE_SECRET_KEY: randomBytes(32).toString('base64'),
};

describe('the check "configuration"', () => {
  it('passes with valid settings', async () => {
    expect(await runCheck(checkConfiguration)).toMatchObject({ status: 'OK' });
  });

  it('fails with every error and its location', async () => {
    const problems = [
      { place: 'rollgate.yaml:2', key: 'port', message: 'expected a whole number' },
      { place: 'rollgate.yaml:9', key: '', message: 'no YAML' },
    ];
    expect(
      await runCheck(checkConfiguration, { problems: [], connectorProblems: problems }),
    ).toMatchObject({ status: 'WARN' });
    expect(await runCheck(checkConfiguration, { problems })).toMatchObject({
      status: 'FAIL',
      message:
        'The settings have 2 errors: rollgate.yaml:2: port: expected a whole number; rollgate.yaml:9: no YAML.',
      details: { problems },
    });
  });

  it('lets other checks be skipped if the settings cannot be read', async () => {
    await expect(runCheck(checkDataFolder, { config: undefined })).rejects.toThrow(
      'Cannot read the configuration.',
    );
  });
});

describe('the check "data-folder"', () => {
  it('passes if only the owner has access', async () => {
    expect(await runCheck(checkDataFolder, inFolder())).toMatchObject({
      status: 'OK',
      details: { mode: '700' },
    });
  });

  it('warns if other accounts have access', async () => {
    await chmod(dataDir, 0o755);
    expect(await runCheck(checkDataFolder, inFolder())).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining('mode 755') as string,
      remedy: `chmod 700 ${dataDir}`,
    });
  });

  it.skipIf(process.getgid?.() !== 0)('names group 0 where that has access', async () => {
    expect(await runCheck(checkDataFolder, inFolder())).not.toHaveProperty(
      'message',
      expect.stringContaining('group'),
    );
    await chmod(dataDir, 0o770);
    expect(await runCheck(checkDataFolder, inFolder())).toMatchObject({
      status: 'OK',
      message: `${dataDir} is writable, and accessible to its owner and its group 0 only.`,
    });
  });

  it('passes if the folder can be created', async () => {
    const env = { ROLLGATE_DATA_DIR: join(dataDir, 'not/yet') };
    expect(await runCheck(checkDataFolder, { env })).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('the first start creates it') as string,
    });
  });

  it('fails if the path is a file', async () => {
    await put('file', '');
    const env = { ROLLGATE_DATA_DIR: join(dataDir, 'file') };
    expect(await runCheck(checkDataFolder, { env })).toMatchObject({ status: 'FAIL' });
  });

  it('fails if a parent is a file', async () => {
    await put('file', '');
    const env = { ROLLGATE_DATA_DIR: join(dataDir, 'file/sub') };
    expect(await runCheck(checkDataFolder, { env })).toMatchObject({ status: 'FAIL' });
  });

  // access(2) checks the real account, and root can write everywhere.
  it.skipIf(process.getuid?.() === 0)('fails if the folder is not writable', async () => {
    await chmod(dataDir, 0o500);
    expect(await runCheck(checkDataFolder, inFolder())).toMatchObject({
      status: 'FAIL',
      remedy: expect.stringContaining('under the account that owns it') as string,
    });
  });

  it('is inaccessible to another account, which other checks report as skipped', async () => {
    await put('admin-token', 'token');
    await put('secret-key', 'key');
    for (const check of [checkSecretFiles, checkSecretKey, checkFolderLock]) {
      const checked = asOtherAccount(() => runCheck(check, inFolder()));
      await expect(checked).rejects.toThrow(/^This account cannot access .* \(EACCES\)/);
    }
  });

  it('resolves the path from the working directory', async () => {
    const given = { cwd: dataDir, env: { ROLLGATE_DATA_DIR: '.' } };
    expect(await runCheck(checkDataFolder, given)).toMatchObject({ details: { path: dataDir } });
  });

  it('is skipped if nothing is stored in the folder', async () => {
    expect(await runCheck(checkDataFolder, { env: ELSEWHERE })).toMatchObject({ status: 'SKIP' });
    expect(await runCheck(checkSecretFiles, { env: ELSEWHERE })).toMatchObject({ status: 'SKIP' });
  });
});

describe('the check "disk-space"', () => {
  const GIB = 1024 ** 3;

  it.each([
    [{ free: 50 * GIB, total: 100 * GIB }, 'OK'],
    [{ free: 15 * GIB, total: 100 * GIB }, 'OK'],
    [{ free: 14.9 * GIB, total: 100 * GIB }, 'WARN'],
    [{ free: 0.9 * GIB, total: 2 * GIB }, 'WARN'],
    [{ free: 0.1 * GIB, total: 2 * GIB }, 'FAIL'],
    [{ free: 0, total: 100 * GIB }, 'FAIL'],
  ])('with %j is %s', async ({ free, total }, status) => {
    const space = { bsize: 1024, bavail: free / 1024, blocks: total / 1024 };
    const check = checkDiskSpace(() => Promise.resolve(space));
    expect(await runCheck(check, inFolder())).toMatchObject({ status });
  });

  it('measures the disk of the folder, or of its nearest parent', async () => {
    const env = { ROLLGATE_DATA_DIR: join(dataDir, 'not/yet') };
    const { details } = await runCheck(checkDiskSpace(statfs), { env });
    expect(details).toMatchObject({ path: dataDir });
    expect(details?.total_bytes).toBeGreaterThan(0);
    expect(details?.free_bytes).toBeLessThanOrEqual(Number(details?.total_bytes));
  });

  it('is skipped if the database is not embedded', async () => {
    expect(await runCheck(checkDiskSpace(statfs), { env: ELSEWHERE })).toMatchObject({
      status: 'SKIP',
    });
  });
});

describe('the check "secret-files"', () => {
  it('passes if only the owner can read the files', async () => {
    await put('admin-token', 'token');
    await put('mongod-key', 'key');
    expect(await runCheck(checkSecretFiles, inFolder())).toMatchObject({
      status: 'OK',
      details: { modes: { 'admin-token': '600', 'mongod-key': '600' } },
    });
  });

  it.each([0o640, 0o604, 0o644])('warns about mode %o', async (mode) => {
    await put('admin-token', 'token');
    await put('secret-key', 'key');
    await chmod(join(dataDir, 'secret-key'), mode);
    const { status, message, remedy } = await runCheck(checkSecretFiles, inFolder());
    expect(status).toBe('WARN');
    expect(message).toMatch(/: secret-key\.$/);
    expect(remedy).toContain(`chmod 600 ${join(dataDir, 'secret-key')}`);
  });

  it('fails if a file is empty', async () => {
    await put('secret-key', '');
    expect(await runCheck(checkSecretFiles, inFolder())).toMatchObject({ status: 'FAIL' });
  });

  it('is skipped before the first start', async () => {
    expect(await runCheck(checkSecretFiles, inFolder())).toMatchObject({ status: 'SKIP' });
  });
});

describe('the check "secret-key"', () => {
  it('passes with a valid key', async () => {
    await put('secret-key', `${randomBytes(32).toString('base64')}\n`);
    expect(await runCheck(checkSecretKey, inFolder())).toMatchObject({
      status: 'OK',
      message: expect.stringContaining('no database to verify it against') as string,
    });
  });

  it.each(['AAAA', 'not base64!', ''])('fails with "%s"', async (text) => {
    await put('secret-key', text);
    expect(await runCheck(checkSecretKey, inFolder())).toMatchObject({ status: 'FAIL' });
  });

  it('prefers the configured key to the file', async () => {
    await put('secret-key', randomBytes(32).toString('base64'));
    const env = { ROLLGATE_DATA_DIR: dataDir, ROLLGATE_SECRET_KEY: 'short' };
    expect(await runCheck(checkSecretKey, { env })).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('in the configuration') as string,
    });
  });

  it('is skipped before the first start', async () => {
    expect(await runCheck(checkSecretKey, inFolder())).toMatchObject({ status: 'SKIP' });
  });
});

describe('the check "open-files"', () => {
  it('reports the limit of this process', async () => {
    expect(await runCheck(checkOpenFiles(openFileLimit), inFolder())).toMatchObject({
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
  ])('with a limit of %d, embedded: %s, is %s', async (limit, isEmbedded, status) => {
    const env = isEmbedded ? {} : ELSEWHERE;
    expect(
      await runCheck(
        checkOpenFiles(() => limit),
        { env },
      ),
    ).toMatchObject({ status });
  });
});

describe('the check "mongod"', () => {
  const putMongod = async (path: string, version: string): Promise<string> => {
    const absolute = join(dataDir, path);
    await mkdir(join(absolute, '..'), { recursive: true });
    await writeFile(absolute, `#!/bin/sh\necho "db version v${version}"\n`, { mode: 0o755 });
    return absolute;
  };
  const withPath = (more: Record<string, string> = {}) => ({
    env: {
      ROLLGATE_DATA_DIR: dataDir,
      ROLLGATE_CACHE_DIR: join(dataDir, 'cache'),
      PATH: join(dataDir, 'bin'),
      ...more,
    },
  });

  it('passes with version and source', async () => {
    const path = await putMongod('bin/mongod', '7.0.1');
    expect(await runCheck(checkMongod, withPath())).toMatchObject({
      status: 'OK',
      details: { version: '7.0.1', path, source: 'PATH', data_written_by: null },
    });
  });

  it('finds a cached mongod if none is installed', async () => {
    await addToCache(await putMongod('fetched', '6.0.5'), join(dataDir, 'cache'), 'download');
    expect(await runCheck(checkMongod, withPath())).toMatchObject({
      status: 'OK',
      details: { version: '6.0.5', source: 'the cache' },
    });
  });

  it('warns if the cached mongod was modified', async () => {
    const cacheDir = join(dataDir, 'cache');
    const path = await addToCache(await putMongod('fetched', '6.0.5'), cacheDir, 'download');
    await writeFile(path, '#!/bin/sh\necho "db version v6.0.5, changed"\n');
    expect(await runCheck(checkMongod, withPath())).toMatchObject({
      status: 'WARN',
      message: expect.stringContaining(`${path} was changed or damaged`) as string,
    });
  });

  it('warns, without downloading, if no mongod is found', async () => {
    expect(await runCheck(checkMongod, withPath())).toMatchObject({
      status: 'WARN',
      remedy: expect.stringContaining('The next start downloads one') as string,
    });
  });

  it('fails if the configured mongod does not run', async () => {
    await putMongod('bin/mongod', '7.0.1');
    const named = { MONGOMS_SYSTEM_BINARY: join(dataDir, 'mistyped') };
    expect(await runCheck(checkMongod, withPath(named))).toMatchObject({
      status: 'FAIL',
      message: expect.stringContaining('mistyped') as string,
    });
  });

  it('warns if the data was written by another release', async () => {
    await putMongod('bin/mongod', '6.0.5');
    await put('mongod-version', '7.0.28\n');
    expect(await runCheck(checkMongod, withPath())).toMatchObject({
      status: 'WARN',
      remedy: expect.stringContaining('a mongod 7.0') as string,
    });
  });

  it('is skipped if the database is not embedded', async () => {
    expect(await runCheck(checkMongod, { env: ELSEWHERE })).toMatchObject({ status: 'SKIP' });
  });
});

describe('the check "folder-lock"', () => {
  const GONE = 'rollgate-00000000-0000-4000-8000-000000000000.lock';

  it('passes if the folder is not in use', async () => {
    expect(await runCheck(checkFolderLock, inFolder())).toMatchObject({ status: 'OK' });
    await rm(dataDir, { recursive: true });
    expect(await runCheck(checkFolderLock, inFolder())).toMatchObject({ status: 'OK' });
  });

  it('warns if a gateway has locked the folder but no mongod is running', async () => {
    const release = await lockDataFolder(dataDir);
    expect(await runCheck(checkFolderLock, inFolder())).toMatchObject({
      status: 'WARN',
      details: { gateway_pid: process.pid, mongod_pid: null },
    });
    await release();
  });

  it('ignores a lock left by a crash, and does not remove it', async () => {
    await put(GONE, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: null }));
    expect(await runCheck(checkFolderLock, inFolder())).toMatchObject({
      status: 'OK',
      details: { gateway_pid: null },
    });
    expect(await readdir(dataDir)).toContain(GONE);
  });
});
