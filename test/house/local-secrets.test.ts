import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../config/secret.js';
import { openSecretKey, revealAdminToken, type SecretKeyOptions } from '../../src/local-secrets.js';

let parent: string;
let dataDir: string;
let warnings: string[];
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'rollgate-secrets-'));
  dataDir = join(parent, 'data');
  warnings = [];
});
afterEach(() => rm(parent, { recursive: true }));

const open = (given: Partial<SecretKeyOptions> = {}) =>
  openSecretKey({
    dataDir,
    secretKey: null,
    log: { warn: (_fields, message) => warnings.push(message) },
    ...given,
  });

const keepOne = async (): Promise<Buffer> => {
  const { key, keep } = await open();
  await keep();
  return key;
};

const secret = (value: string, key: string): Secret =>
  new Secret(value, { env: {}, cwd: parent, place: 'environment variable X', key });

const modeOf = async (path: string): Promise<string> =>
  ((await stat(path)).mode & 0o777).toString(8);

describe('the secret key of a first start', () => {
  it('is stored nowhere before it is to be kept', async () => {
    expect((await open()).key).toHaveLength(32);
    expect(await readdir(parent)).toEqual([]);
  });

  it('is kept for the eyes of the owner only', async () => {
    await keepOne();
    expect(await modeOf(dataDir)).toBe('700');
    expect(await modeOf(join(dataDir, 'secret-key'))).toBe('600');
    expect(await readdir(dataDir)).toEqual(['secret-key']);
  });

  it('is the same at the next start', async () => {
    const first = await keepOne();
    expect((await open()).key.equals(first)).toBe(true);
    expect((await keepOne()).equals(first)).toBe(true);
  });

  it('is taken away where the start is refused', async () => {
    const { keep } = await open();
    const takeAway = await keep();
    await takeAway();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('is made once where several start at the same time: the others are to start again', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => open()));
    const kept = await Promise.allSettled(keys.map(({ keep }) => keep()));
    expect(kept.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = kept.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    expect(refused).toHaveLength(7);
    expect(refused[0]).toMatch(/secret-key\. Start this one again\.$/);
    expect(await readdir(dataDir)).toEqual(['secret-key']);
  });
});

describe('a file of secrets', () => {
  it('that others could read is closed to them, and told', async () => {
    await keepOne();
    await chmod(join(dataDir, 'secret-key'), 0o644);
    await open();
    expect(await modeOf(join(dataDir, 'secret-key'))).toBe('600');
    expect(warnings).toEqual(['A secret file could be read by other users; it no longer can']);
  });

  it('that is damaged is not replaced, for what it sealed would be lost', async () => {
    await keepOne();
    await writeFile(join(dataDir, 'secret-key'), 'AAAA');
    await expect(open()).rejects.toThrow(/secret-key is damaged.*Restore it from a backup/s);
    expect(await readFile(join(dataDir, 'secret-key'), 'utf8')).toBe('AAAA');
  });

  it('that is empty is not used', async () => {
    await keepOne();
    await writeFile(join(dataDir, 'secret-key'), '');
    await expect(open()).rejects.toThrow(/secret-key is empty/);
  });
});

describe('a data folder that cannot be used', () => {
  it('because it is a file, is told with what to do', async () => {
    await writeFile(dataDir, '');
    await expect(open()).rejects.toThrow(
      `The data folder ${dataDir} cannot be used: ${join(dataDir, 'secret-key')} is no folder, or ` +
        'lies in none (ENOTDIR). Put that right, run Rollgate under the account that the folder ' +
        'belongs to, or choose another one with ROLLGATE_DATA_DIR',
    );
  });

  it('because it is a link to nothing, is told the same way', async () => {
    await symlink(join(parent, 'nowhere'), dataDir);
    await expect(keepOne()).rejects.toThrow(/cannot be used: .*ROLLGATE_DATA_DIR/);
  });

  it.runIf(existsSync('/proc/self'))(
    'because its file system takes no folders, is told, and not tried for ever',
    async () => {
      const { keep } = await open({ dataDir: '/proc/rollgate/data' });
      await expect(keep()).rejects.toThrow(/cannot be used: \/proc\/rollgate cannot be made there/);
    },
  );
});

describe('configured secrets', () => {
  it('are used, and nothing is written', async () => {
    const key = randomBytes(32);
    const opened = await open({ secretKey: secret(key.toString('base64'), 'secretKey') });
    await opened.keep();
    expect(opened.key).toEqual(key);
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

  it.each([
    ['x', /adminToken: has fewer than 16 characters and may be guessed/],
    ['a token of several words', /adminToken: cannot be sent as a bearer token/],
    ['sixteen-or-more!', /adminToken: cannot be sent as a bearer token/],
    ['equals=in-the-middle', /adminToken: cannot be sent as a bearer token/],
    ['a'.repeat(257), /adminToken: has more than 256 characters/],
  ])('refuse the admin token "%s"', (value, message) => {
    expect(() => revealAdminToken(secret(value, 'adminToken'))).toThrow(message);
  });
});
