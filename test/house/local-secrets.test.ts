import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFullDisk } from '../support/full-disk.js';
import { Secret } from '../../config/secret.js';
import {
  loadSecretKey,
  revealAdminToken,
  type SecretKeyOptions,
} from '../../src/secrets/local-secrets.js';

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
  loadSecretKey({
    dataDir,
    secretKey: null,
    log: { warn: (_fields, message) => warnings.push(message) },
    ...given,
  });

const storeKey = async (): Promise<Buffer> => {
  const { key, store } = await open();
  await store();
  return key;
};

const secret = (value: string, key: string): Secret =>
  new Secret(value, { env: {}, cwd: parent, place: 'environment variable X', key });

const modeOf = async (path: string): Promise<string> =>
  ((await stat(path)).mode & 0o777).toString(8);

describe('the secret key of a first start', () => {
  it('is not stored before keep is called', async () => {
    expect((await open()).key).toHaveLength(32);
    expect(await readdir(parent)).toEqual([]);
  });

  it('is readable only by the owner', async () => {
    await storeKey();
    expect(await modeOf(dataDir)).toBe('700');
    expect(await modeOf(join(dataDir, 'secret-key'))).toBe('600');
    expect(await readdir(dataDir)).toEqual(['secret-key']);
  });

  it('is the same at the next start', async () => {
    const first = await storeKey();
    expect((await open()).key.equals(first)).toBe(true);
    expect((await storeKey()).equals(first)).toBe(true);
  });

  it('is removed if the start fails', async () => {
    const { store } = await open();
    const remove = await store();
    await remove();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('is generated once if several instances start concurrently; the others must start again', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => open()));
    const stored = await Promise.allSettled(keys.map(({ store }) => store()));
    expect(stored.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = stored.flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason)] : [],
    );
    expect(refused).toHaveLength(7);
    expect(refused[0]).toMatch(/secret-key\. Start this one again\.$/);
    expect(await readdir(dataDir)).toEqual(['secret-key']);
  });
});

describe('a secret file', () => {
  it('that other users can read is made private, with a warning', async () => {
    await storeKey();
    await chmod(join(dataDir, 'secret-key'), 0o644);
    await open();
    expect(await modeOf(join(dataDir, 'secret-key'))).toBe('600');
    expect(warnings).toEqual(['a secret file was readable by other users; its mode is 600 now']);
  });

  it('that is damaged is refused and not replaced', async () => {
    await storeKey();
    await writeFile(join(dataDir, 'secret-key'), 'AAAA');
    await expect(open()).rejects.toThrow(/secret-key is damaged.*Restore it from a backup/s);
    expect(await readFile(join(dataDir, 'secret-key'), 'utf8')).toBe('AAAA');
  });

  it('that is empty is refused', async () => {
    await storeKey();
    await writeFile(join(dataDir, 'secret-key'), '');
    await expect(open()).rejects.toThrow(/secret-key is empty/);
  });
});

describe('an unusable data folder', () => {
  it('that is a file is refused with instructions', async () => {
    await writeFile(dataDir, '');
    await expect(open()).rejects.toThrow(
      `Cannot use the data folder ${dataDir}: ${join(dataDir, 'secret-key')} is not a folder, or its ` +
        'parent is not (ENOTDIR). Correct this, run Rollgate under the account that owns the folder, ' +
        'or choose another folder with ROLLGATE_DATA_DIR',
    );
  });

  it('that is a dangling link is reported', async () => {
    await symlink(join(parent, 'nowhere'), dataDir);
    await expect(storeKey()).rejects.toThrow(/Cannot use the data folder .*ROLLGATE_DATA_DIR/);
  });

  it.runIf(existsSync('/proc/self'))('on a file system without folders is reported', async () => {
    const { store } = await open({ dataDir: '/proc/rollgate/data' });
    await expect(store()).rejects.toThrow(/\/proc\/rollgate cannot be created \(ENOENT\)/);
  });
});

describe('configured secrets', () => {
  it('are used without writing files', async () => {
    const key = randomBytes(32);
    const text = ` ${key.toString('base64')}\r\n`;
    const opened = await open({ secretKey: secret(text, 'secretKey') });
    await opened.store();
    expect(opened.key).toEqual(key);
    expect(await readdir(parent)).toEqual([]);
  });

  it.each(['', 'short', 'a'.repeat(44), 'A'.repeat(42), 'not base64!'])(
    'must not be the secret key "%s"',
    async (value) => {
      await expect(open({ secretKey: secret(value, 'secretKey') })).rejects.toThrow(
        /environment variable X: secretKey: expected 32 bytes in base64/,
      );
    },
  );

  it.each([
    ['x', /adminToken: .*16/],
    ['a token of several words', /adminToken: cannot be sent as a bearer token/],
    ['sixteen-or-more!', /adminToken: cannot be sent as a bearer token/],
    ['equals=in-the-middle', /adminToken: cannot be sent as a bearer token/],
    ['a'.repeat(257), /adminToken: has more than 256 characters/],
  ])('must not be the admin token "%s"', (value, message) => {
    expect(() => revealAdminToken(secret(value, 'adminToken'))).toThrow(message);
  });
});

it('names the folder and the remedy on a full disk', async ({ skip }) => {
  const disk = openFullDisk(0);
  if (!disk) return skip('cannot mount a disk');
  try {
    const folder = join(disk.path, 'data');
    const { store } = await open({ dataDir: folder });
    await expect(store()).rejects.toThrow(
      `Cannot use the data folder ${folder}: ${folder} is on a full disk, which needs free space (ENOSPC). `,
    );
  } finally {
    disk.close();
  }
});
