import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../config/secret.js';
import { openLocalSecrets, type LocalSecretsOptions } from '../../src/local-secrets.js';

let parent: string;
let dataDir: string;
let warnings: string[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'rollgate-secrets-'));
  dataDir = join(parent, 'data');
  warnings = [];
});
afterEach(() => rm(parent, { recursive: true }));

const open = (given: Partial<LocalSecretsOptions> = {}) =>
  openLocalSecrets({
    dataDir,
    adminToken: null,
    secretKey: null,
    log: { warn: (_fields, message) => warnings.push(message) },
    ...given,
  });

const secret = (value: string, key: string): Secret =>
  new Secret(value, { env: {}, cwd: parent, place: 'environment variable X', key });

const modeOf = async (path: string): Promise<string> =>
  ((await stat(path)).mode & 0o777).toString(8);

describe('the secrets of a first start', () => {
  it('are made, for the eyes of the owner only', async () => {
    const secrets = await open();
    expect(secrets.adminToken).toMatch(/^rgadm_[A-Za-z0-9_-]{43}$/);
    expect(secrets.secretKey).toHaveLength(32);
    expect(secrets.madeNow).toBe(true);
    expect(secrets.adminTokenPath).toBe(join(dataDir, 'admin-token'));
    expect(await modeOf(dataDir)).toBe('700');
    expect(await modeOf(join(dataDir, 'admin-token'))).toBe('600');
    expect(await modeOf(join(dataDir, 'secret-key'))).toBe('600');
  });

  it('are the same at the next start', async () => {
    const first = await open();
    const next = await open();
    expect(next).toEqual({ ...first, madeNow: false });
  });

  it('are others in another folder', async () => {
    const here = await open();
    const there = await open({ dataDir: join(parent, 'other') });
    expect(there.adminToken).not.toBe(here.adminToken);
    expect(there.secretKey.equals(here.secretKey)).toBe(false);
  });

  it('are made once where several start at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => open()));
    expect(new Set(all.map(({ adminToken }) => adminToken)).size).toBe(1);
    expect(new Set(all.map(({ secretKey }) => secretKey.toString('hex'))).size).toBe(1);
    expect(all.filter(({ madeNow }) => madeNow)).toHaveLength(1);
    expect((await readdir(dataDir)).sort()).toEqual(['admin-token', 'secret-key']);
  });

  it('give the token as it stands in the file', async () => {
    const { adminToken, adminTokenPath } = await open();
    expect(await readFile(adminTokenPath ?? '', 'utf8')).toBe(`${adminToken}\n`);
  });
});

describe('a file of secrets', () => {
  it('that others could read is closed to them, and told', async () => {
    await open();
    await chmod(join(dataDir, 'secret-key'), 0o644);
    await open();
    expect(await modeOf(join(dataDir, 'secret-key'))).toBe('600');
    expect(warnings).toEqual(['A secret file could be read by other users; it no longer can']);
  });

  it('that is damaged is not replaced, for what it sealed would be lost', async () => {
    await open();
    await writeFile(join(dataDir, 'secret-key'), 'AAAA');
    await expect(open()).rejects.toThrow(/secret-key is damaged.*Restore it from a backup/s);
  });

  it('that is empty is not used', async () => {
    await open();
    await writeFile(join(dataDir, 'admin-token'), '');
    await expect(open()).rejects.toThrow(/admin-token is empty/);
  });
});

describe('a data folder that cannot be used', () => {
  it('because it is a file, is told with what to do', async () => {
    await writeFile(dataDir, '');
    await expect(open()).rejects.toThrow(
      `The data folder ${dataDir} cannot be used: ${dataDir} is no folder, or lies in none ` +
        '(EEXIST). Put that right, run Rollgate under the account that the folder belongs to, or ' +
        'choose another one with ROLLGATE_DATA_DIR',
    );
  });

  it('because it would lie in a file, is told the same way', async () => {
    await writeFile(dataDir, '');
    const folder = join(dataDir, 'deep', 'er');
    await expect(open({ dataDir: folder })).rejects.toThrow(
      /cannot be used: .* is no folder.*ROLLGATE_DATA_DIR/,
    );
  });

  it('because it is a link to nothing, is told the same way', async () => {
    await symlink(join(parent, 'nowhere'), dataDir);
    await expect(open()).rejects.toThrow(/cannot be used: .*ROLLGATE_DATA_DIR/);
  });

  it.runIf(existsSync('/proc/self'))(
    'because its file system takes no folders, is told, and not tried for ever',
    async () => {
      await expect(open({ dataDir: '/proc/rollgate/data' })).rejects.toThrow(
        /cannot be used: \/proc\/rollgate cannot be made there/,
      );
    },
  );
});

describe('configured secrets', () => {
  it('are used, and nothing is written', async () => {
    const key = randomBytes(32);
    const secrets = await open({
      adminToken: secret('an-admin-token-of-mine', 'adminToken'),
      secretKey: secret(key.toString('base64'), 'secretKey'),
    });
    expect(secrets).toEqual({
      adminToken: 'an-admin-token-of-mine',
      adminTokenPath: null,
      secretKey: key,
      madeNow: false,
    });
    expect(await readdir(parent)).toEqual([]);
  });

  it.each(['', 'short', 'a'.repeat(44), 'A'.repeat(42), 'not base64!'])(
    'refuse the secret key "%s"',
    async (value) => {
      await expect(open({ secretKey: secret(value, 'secretKey') })).rejects.toThrow(
        /environment variable X: secretKey: expected 32 bytes in base64/,
      );
    },
  );

  it('refuse an admin token that no header can carry', async () => {
    await expect(open({ adminToken: secret('two words', 'adminToken') })).rejects.toThrow(
      /environment variable X: adminToken: it travels in a header/,
    );
  });

  it('warn of an admin token that may be guessed', async () => {
    await open({ adminToken: secret('admin', 'adminToken') });
    expect(warnings).toEqual(['The admin token has fewer than 16 characters and may be guessed']);
  });
});
