import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../tools/shared/gateway-process.js';
import { runBuilt } from '../support/built-gateway.js';
import { createTestDatabase } from '../support/database.js';
import { expectVariables, readDeployFile, ROOT } from './deploy-file.js';

const run = promisify(execFile);
const { uri } = createTestDatabase();

interface Instruction {
  readonly name: string;
  readonly words: string;
}

const instructions: readonly Instruction[] = readDeployFile('deploy/docker/Dockerfile')
  .replace(/^\s*#.*\n/gm, '')
  .replace(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', words = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return { name, words };
  });

const wordsOf = (name: string): readonly string[] =>
  instructions.filter((each) => each.name === name).map(({ words }) => words);

/** The last stage is the image. */
const image = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const lastOf = (name: string): string =>
  image.findLast((each) => each.name === name)?.words ?? `no ${name}`;

const env: Readonly<Record<string, string>> = Object.fromEntries(
  [...lastOf('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
);

/** What `COPY --from=build` copies, from the root of the repository into the image. */
const copies = image.flatMap(({ name, words }) => {
  if (name !== 'COPY' || !words.includes('--from=build')) return [];
  const paths = words.split(/\s+/).slice(1);
  const target = paths.at(-1)!;
  return paths.slice(0, -1).map((path) => ({ source: path.replace('/app/', ''), target }));
});

const folder = await mkdtemp(join(tmpdir(), 'rollgate-image-'));
let gateway: GatewayProcess | undefined;
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The image's /app, as its COPY instructions make it. */
const assemble = async (): Promise<string> => {
  await runBuilt(['--version'], { cwd: folder });
  const app = join(folder, 'app');
  await mkdir(app);
  for (const { source, target } of copies) {
    const into = target.endsWith('/') ? join(target, basename(source)) : target;
    await cp(join(ROOT, source), join(app, into), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(app, 'node_modules'));
  return app;
};

/** The default of the image, with the files and the port of this test. */
const CMD = JSON.parse(lastOf('CMD')) as readonly string[];

describe('the Dockerfile', () => {
  it('sets variables that a gateway reads, and writes to its volume only', () => {
    expectVariables(Object.keys(env));
    const volume = lastOf('VOLUME');
    expect(env['ROLLGATE_DATA_DIR']).toBe(volume);
    expect(env['ROLLGATE_CACHE_DIR']?.startsWith(`${volume}/`)).toBe(true);
    expect(lastOf('EXPOSE')).toBe(env['ROLLGATE_PORT']);
  });

  it('runs node itself, under tini, as an account without rights', () => {
    expect(JSON.parse(lastOf('ENTRYPOINT'))).toEqual(['/usr/bin/tini', '--']);
    expect(CMD).toEqual(['node', '/app/dist/src/main.js']);
    // Not by name: Kubernetes' runAsNonRoot accepts only a number.
    expect(lastOf('USER')).toBe('1000');
    expect(lastOf('STOPSIGNAL')).toBe('SIGTERM');
  });

  it('has everything it copies in the build context, and no more than that', () => {
    const ignore = readDeployFile('.dockerignore').split('\n');
    const included = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect(included.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    for (const { source } of copies)
      if (!source.startsWith('dist'))
        expect(included.some((path) => source === path || source.startsWith(`${path}/`))).toBe(
          true,
        );
    // What bin/ensure-built.js takes for the sources.
    const [, sources = ''] = /SOURCES = \[([^\]]+)\]/.exec(readDeployFile('bin/ensure-built.js'))!;
    for (const [, path = ''] of sources.matchAll(/'([^']+)'/g)) expect(included).toContain(path);
    expect(ignore).toContain('config/rollgate.yaml');
  });

  it('uses a version of Node.js that the package supports, and installs packages in two stages', () => {
    const [, major] = /^NODE=node:(\d+)-/.exec(wordsOf('ARG')[0]!)!;
    expect(['22', '24']).toContain(major);
    expect(wordsOf('RUN').filter((words) => words.startsWith('npm'))).toEqual([
      'npm ci',
      'npm ci --omit=dev --omit=optional',
    ]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'has a data folder for every uid in group 0, as OpenShift assigns them',
    async () => {
      const [, words = ''] = / install (-d .*) \/data/.exec(wordsOf('RUN').join(' '))!;
      const data = join(folder, 'openshift');
      // The account of the image, which this machine may not have.
      await run('install', [...words.replace('node', '1000').split(' '), data]);
      await chmod(folder, 0o755);
      const file = join(data, 'secret');
      const program = `fs.writeFileSync(${JSON.stringify(file)}, 'x', { mode: 0o600 })`;
      const account = { uid: 1_000_650_000, gid: 0 };
      await run(process.execPath, ['-e', program], account);
      expect(await stat(file)).toMatchObject(account);
      await expect(
        run(process.execPath, ['-e', program], { ...account, gid: 1_000 }),
      ).rejects.toThrow('EACCES');
    },
  );

  it('copies all that a gateway needs, and its health check passes if it serves', async () => {
    const app = await assemble();
    const main = CMD[1]!.replace('/app', app);
    gateway = await startGatewayProcess(
      {
        ...env,
        ROLLGATE_HOST: '127.0.0.1',
        ROLLGATE_PORT: '0',
        ROLLGATE_DATA_DIR: join(folder, 'data'),
        ROLLGATE_CACHE_DIR: join(folder, 'data/cache'),
        ROLLGATE_MONGODB_URI: uri,
      },
      { main },
    );
    const [node = '', ...words] = JSON.parse(
      /CMD (\[.*\])/.exec(lastOf('HEALTHCHECK'))![1]!,
    ) as readonly string[];
    const check = (port: string) =>
      run(node, words, { env: { ...process.env, ROLLGATE_PORT: port } }).then(
        () => 0,
        (error: unknown) => (error as { readonly code: number }).code,
      );
    expect(await check(new URL(gateway.url).port)).toBe(0);
    expect(await check('1')).toBe(1);
    const { exitCode, out } = await runBuilt(['--version'], { cwd: app });
    expect({ exitCode, out: out.trim() }).toEqual({ exitCode: 0, out: '0.1.0' });
  });
});
