import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { withSourcePositions } from '../../src/process/logger.js';

it('replaces positions in built files with those in sources', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollgate-positions-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'src'));
  await writeFile(join(folder, 'src/fails.ts'), '\n\nexport const stack = new Error().stack!;\n');
  const outfile = join(folder, 'dist/src/fails.js');
  const options = { bundle: true, format: 'esm', minify: true, sourcemap: 'linked' } as const;
  await build({ entryPoints: [join(folder, 'src/fails.ts')], outfile, ...options });

  const url = pathToFileURL(outfile).href;
  const program = `import(${JSON.stringify(url)}).then(({ stack }) => console.log(stack))`;
  const { stdout: stack } = await promisify(execFile)(process.execPath, ['-e', program]);
  expect(stack).toMatch(/dist\/src\/fails\.js:1:\d+/);
  expect(withSourcePositions(stack)).toMatch(/ src\/fails\.ts:3:\d+/);
});

it('leaves other positions as they are', () => {
  const stack = '    at run (file:///missing/dist/chunks/one.js:1:2)\n    at node:net:3:4';
  expect(withSourcePositions(stack)).toBe(stack);
});
