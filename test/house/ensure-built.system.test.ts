import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollgate-built-'));
  await cp(BIN, join(folder, 'bin'), { recursive: true });
  await put('package.json', manifest('>=20.19'));
  await put('src/main.ts', '');
});
afterEach(() => rm(folder, { recursive: true }));

const manifest = (node: string): string => JSON.stringify({ type: 'module', engines: { node } });

const put = async (path: string, content: string): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
};

const installCompilers = async (): Promise<void> => {
  for (const name of ['esbuild', 'vite']) await put(`node_modules/${name}/index.js`, '');
};

/** A build whose programs print its name. */
const putBuild = async (which: string): Promise<void> => {
  await installCompilers();
  await put(
    'tools/build.js',
    `import { mkdirSync, writeFileSync } from 'node:fs';
     mkdirSync('dist/src', { recursive: true });
     for (const name of ['main', 'cli'])
       writeFileSync('dist/src/' + name + '.js', 'process.stdout.write("${which} ran as ' + name + '")');
     writeFileSync('dist/build.stamp', '');`,
  );
  await age('tools/build.js', 60);
};

const run = (program: string): Promise<{ stdout: string; stderr: string; code?: number }> =>
  promisify(execFile)(process.execPath, [join(folder, 'bin', program)]).catch(
    (error: unknown) => error as { stdout: string; stderr: string; code: number },
  );

const age = async (path: string, seconds: number): Promise<void> => {
  const at = new Date(Date.now() - seconds * 1000);
  await utimes(join(folder, path), at, at);
};

const ageSources = async (): Promise<void> => {
  await age('src/main.ts', 60);
  await age('src', 60);
};

describe('the version of Node.js', () => {
  it.each(['start.js', 'rollgate.js'])('is checked first by %s', async (program) => {
    await put('package.json', manifest('>=97.1 <98 || >=99'));
    await put('bin/ensure-built.js', 'this is no JavaScript');
    expect(await run(program)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Rollgate needs Node.js >=97.1 <98 || >=99, but this is ${process.version}. Install a supported version.\n`,
    });
  });

  it.each(['start.js', 'rollgate.js', 'supported-node.js'])(
    'is checked in syntax that old versions read (%s)',
    async (program) => {
      const source = await readFile(join(BIN, program), 'utf8');
      const { code } = await transform(source, { target: 'esnext' });
      expect((await transform(source, { target: 'node12.20' })).code).toBe(code);
    },
  );
});

describe('the build run by npm start and rollgate', () => {
  it.each([
    ['start.js', 'main'],
    ['rollgate.js', 'cli'],
  ])('is created if missing (%s), with a message on standard error', async (program, name) => {
    await putBuild('one');
    expect(await run(program)).toEqual({
      stdout: `one ran as ${name}`,
      stderr: 'Building Rollgate …\n',
    });
  });

  it.each([0, 1])('ends beside the program, once that is written (exit code %i)', async (code) => {
    // Given a build that goes on until the program has run
    await installCompilers();
    await put(
      'tools/build.js',
      `import { existsSync, mkdirSync, watch, writeFileSync } from 'node:fs';
       mkdirSync('dist/src', { recursive: true });
       writeFileSync('dist/src/main.js', 'import fs from "node:fs"; fs.writeFileSync("ran", "");');
       const end = () => existsSync('ran') && process.exit(${code});
       watch('.', end);
       process.send('programs');`,
    );
    // When it is started
    const child = promisify(execFile)(process.execPath, [join(folder, 'bin/start.js')], {
      cwd: folder,
    });
    // Then both end, and what fails later does not stop the program
    expect(await child).toEqual({ stdout: '', stderr: 'Building Rollgate …\n' });
  });

  it('is reused', async () => {
    await ageSources();
    await putBuild('one');
    await run('start.js');
    await putBuild('two');
    expect(await run('start.js')).toEqual({ stdout: 'one ran as main', stderr: '' });
  });

  it('is reused after the settings of the gateway changed', async () => {
    await put('config/rollgate.example.yaml', '');
    await put('config/schema.ts', '');
    await age('config/schema.ts', 60);
    await ageSources();
    await putBuild('one');
    await run('start.js');
    await age('dist/build.stamp', 30);
    await putBuild('two');
    await put('config/rollgate.yaml', '');
    expect(await run('start.js')).toEqual({ stdout: 'one ran as main', stderr: '' });
  });

  it('is reused after the types of the client were written, as a check of the types does', async () => {
    await put('src/client/index.ts', '');
    await age('src/client/index.ts', 60);
    await age('src/client', 60);
    await ageSources();
    await putBuild('one');
    await run('start.js');
    await age('dist/build.stamp', 30);
    await putBuild('two');
    await put('src/client/generated/openapi.ts', '');
    expect(await run('start.js')).toEqual({ stdout: 'one ran as main', stderr: '' });
  });

  it.each([
    ['a source file changed', () => age('src/main.ts', -60)],
    ['the build itself changed', () => age('tools/build.js', -60)],
    ['a source file was added', () => put('plugins/one/index.ts', '')],
    ['a source file was deleted', () => rm(join(folder, 'src/main.ts'))],
  ])('is updated after %s', async (_what, change) => {
    await ageSources();
    await putBuild('one');
    await run('start.js');
    await age('dist/build.stamp', 30);
    await putBuild('two');
    await change();
    expect(await run('start.js')).toMatchObject({ stdout: 'two ran as main' });
  });

  it('is used as is without a compiler', async () => {
    await put('dist/src/main.js', 'process.stdout.write("the existing build")');
    await put('dist/build.stamp', '');
    await age('dist/build.stamp', 60);
    expect(await run('start.js')).toEqual({ stdout: 'the existing build', stderr: '' });
  });

  it('is used as is in the published package, whatever the times of its files', async () => {
    await put('dist/src/main.js', 'process.stdout.write("the published build")');
    await put('dist/build.stamp', '');
    await age('dist/build.stamp', 60);
    await put('config/rollgate.example.yaml', '');
    await rm(join(folder, 'src'), { recursive: true });
    await putBuild('another');
    expect(await run('start.js')).toEqual({ stdout: 'the published build', stderr: '' });
  });

  it('fails with instructions without a build and a compiler', async () => {
    expect(await run('start.js')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'Cannot run Rollgate: it is not built, and the compiler is not installed. Run npm ci && npm run build.\n',
    });
  });

  it('is not run after a failed build', async () => {
    await installCompilers();
    await put('tools/build.js', 'console.log("TS2304"); process.exit(2);');
    expect(await run('start.js')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/TS2304\nCannot run Rollgate: the build failed\./) as string,
    });
  });
});
