import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBuilt, writeDeclarations } from '../support/built-gateway.js';
import { eventually } from '../support/eventually.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'rollgate-package-'));
const empty = join(folder, 'empty');

/** As a user's shell has it: npm's variables of this run would reach the npm of the test. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_registry)|ROLLGATE_)/i.test(name),
  ),
);

const running = new Set<ChildProcess>();
/** `npx` and what it started are one process group. */
const kill = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid !== undefined) process.kill(-child.pid, signal);
};
process.on('exit', () => running.forEach((child) => kill(child, 'SIGKILL')));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const pack = async (): Promise<Packed> => {
  // Builds it if it is older than its sources, as `npm start` does.
  await runBuilt(['--version'], { cwd: folder });
  await writeDeclarations();
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, Packed>);
  if (packed === undefined) throw new Error(stdout);
  return packed;
};

/** Starts `npx rollgate serve`; resolves with its address once it is ready. */
const serve = async () => {
  const child = spawn('npx', ['--no-install', 'rollgate', 'serve'], {
    cwd: empty,
    env: { ...env, ROLLGATE_PORT: '0' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const lines: string[] = [];
  const ended = once(child, 'close').then(() => void running.delete(child));
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const [, found] = /ready at (\S+)/.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
    void ended.then(() => reject(new Error(lines.join('\n'))));
  });
  const stop = (): Promise<void> => {
    kill(child, 'SIGTERM');
    return ended;
  };
  return { url, lines, stop };
};

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the package that npm pack makes', () => {
  let packed: Packed;
  let paths: readonly string[];
  beforeAll(async () => {
    packed = await pack();
    paths = packed.files.map(({ path }) => path);
  });
  beforeAll(async () => {
    await mkdir(empty);
    // The production packages only, into a cache of its own: nothing of this checkout helps.
    const tarball = join(folder, packed.filename);
    const words = ['install', '--ignore-scripts', '--cache', join(folder, 'cache'), tarball];
    await run('npm', words, { cwd: empty, env });
  });

  it('contains the programs, their types and what they read', () => {
    expect(paths).toEqual(
      expect.arrayContaining([
        'bin/rollgate.js',
        'dist/src/main.js',
        'dist/src/cli.js',
        'dist/src/plugin/api.js',
        'dist/src/plugin/api.d.ts',
        'config/rollgate.example.yaml',
        'openapi.json',
        'connectors/template/__NAME__.mjs',
        'connectors/csv/README.md',
        'examples/template/__NAME__.mjs',
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
      ]),
    );
  });

  it('contains the sites of plugins that have one', async () => {
    const sites = (await readdir(join(root, 'plugins'))).filter((name) =>
      existsSync(join(root, 'dist/plugins', name, 'site/index.html')),
    );
    for (const name of sites) expect(paths).toContain(`dist/plugins/${name}/site/index.html`);
  });

  it('takes the default export of what it imports late and is no module', async () => {
    // Given every file that the programs reach
    const texts = new Map<string, string>();
    const read = async (path: string): Promise<void> => {
      if (texts.has(path)) return;
      texts.set(path, '');
      const text = await readFile(join(root, path), 'utf8');
      texts.set(path, text);
      for (const [, found = ''] of text.matchAll(/["'](\.\.?\/[\w./-]+\.js)["']/g))
        if (existsSync(join(root, dirname(path), found))) await read(join(dirname(path), found));
    };
    for (const program of ['main', 'cli']) await read(`dist/src/${program}.js`);

    // Then a bundled CommonJS package, which has a default export only, is used as such
    const packages = [...texts]
      .filter(([, text]) => /export default require_\w+\(\)/.test(text))
      .map(([path]) => basename(path));
    expect(packages.length).toBeGreaterThan(0);
    for (const name of packages)
      for (const [path, text] of texts)
        for (const [, before] of text.matchAll(new RegExp(`(.{30})import\\("\\./${name}"\\)`, 'g')))
          expect([path, before]).toEqual([path, expect.stringMatching(/\{default:\w+\}=await $/)]);
  });

  it('contains no source, test or state of the build', () => {
    expect(
      paths.filter((path) => /^(src|plugins|test|scripts)\/|\.tsbuildinfo$/.test(path)),
    ).toEqual([]);
  });

  it('installs no development packages and no optional ones', async () => {
    const installed = await readdir(join(empty, 'node_modules'));
    const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
      readonly peerDependencies: Readonly<Record<string, string>>;
    };
    const unneeded = { ...manifest.devDependencies, ...manifest.peerDependencies };
    expect(installed.filter((name) => name in unneeded)).toEqual([]);
  });

  it('names the packages to install for traces, and starts nothing without them', async () => {
    const options = {
      cwd: empty,
      env: { ...env, ROLLGATE_TELEMETRY_ENDPOINT: 'http://127.0.0.1:4318' },
    };
    const stderr = expect.stringContaining('npm install @opentelemetry/sdk-trace-base') as string;
    for (const [command, code] of [
      [['serve'], 2],
      [['config', 'check'], 1],
    ] as const)
      await expect(
        run('npx', ['--no-install', 'rollgate', ...command], options),
      ).rejects.toMatchObject({ code, stderr });
    expect(await readdir(empty)).not.toContain('.rollgate');
  });

  it('serves in an empty folder, with the embedded database, and stops on SIGTERM', async () => {
    const { url, lines, stop } = await serve();
    await eventually(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200));
    await stop();
    expect(lines.at(-1)).toContain('"msg":"stopped"');
    expect(await readdir(empty)).toContain('.rollgate');
  });
});
