import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollgate-built-'));
  await cp(BIN, join(folder, 'bin'), { recursive: true });
  await put('package.json', '{"type": "module"}');
  await put('src/main.ts', '');
});
afterEach(() => rm(folder, { recursive: true }));

const put = async (path: string, content: string): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
};

/** It builds a program that says which build it is; a second one is no build of the first. */
const putCompiler = (which: string): Promise<void> =>
  put(
    'node_modules/typescript/bin/tsc',
    `const { mkdirSync, writeFileSync } = require('node:fs');
     mkdirSync('dist/src', { recursive: true });
     for (const name of ['main', 'cli'])
       writeFileSync('dist/src/' + name + '.js', 'process.stdout.write("${which} ran as ' + name + '")');
     writeFileSync('dist/build.tsbuildinfo', '');`,
  );

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

describe('what npm start and the rollgate command run', () => {
  it.each([
    ['start.js', 'main'],
    ['rollgate.js', 'cli'],
  ])('is built where it is not (%s), and said on standard error', async (program, name) => {
    await putCompiler('one');
    expect(await run(program)).toEqual({
      stdout: `one ran as ${name}`,
      stderr: 'Building Rollgate …\n',
    });
  });

  it('is built once', async () => {
    await ageSources();
    await putCompiler('one');
    await run('start.js');
    await putCompiler('two');
    expect(await run('start.js')).toEqual({ stdout: 'one ran as main', stderr: '' });
  });

  it.each([
    ['a source that changed', () => age('src/main.ts', -60)],
    ['a source that is new', () => put('plugins/one/index.ts', '')],
    ['a source that went', () => rm(join(folder, 'src/main.ts'))],
  ])('is built again after %s', async (_what, change) => {
    await ageSources();
    await putCompiler('one');
    await run('start.js');
    await age('dist/build.tsbuildinfo', 30);
    await putCompiler('two');
    await change();
    expect(await run('start.js')).toMatchObject({ stdout: 'two ran as main' });
  });

  it('is what there is, where there is no compiler', async () => {
    await put('dist/src/main.js', 'process.stdout.write("as it came")');
    await put('dist/build.tsbuildinfo', '');
    await age('dist/build.tsbuildinfo', 60);
    expect(await run('start.js')).toEqual({ stdout: 'as it came', stderr: '' });
  });

  it('says what to do where there is neither', async () => {
    expect(await run('start.js')).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'Rollgate cannot run: it is not built, and has no compiler. Run npm ci && npm run build.\n',
    });
  });

  it('does not run where its build failed', async () => {
    await put('node_modules/typescript/bin/tsc', 'console.log("TS2304"); process.exit(2);');
    expect(await run('start.js')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/TS2304\nRollgate cannot run: its build failed\./) as string,
    });
  });
});
