import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it.each([
  ['connectors/template', 14],
  ['examples/template', 12],
])('the files of %s pass the suite of their kind', async (template, least) => {
  // Node.js 22 runs no tests in `node_modules`.
  const folder = join('dist', template.replace('/', '-'));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const file of ['__NAME__.mjs', '__NAME__.test.mjs'])
    writeFileSync(
      join(folder, file.replace('__NAME__', 'acme-hr')),
      readFileSync(join(template, file), 'utf8')
        .replaceAll('__NAME__', 'acme-hr')
        .replaceAll('__TITLE__', 'Acme HR')
        .replaceAll('__PASCAL__', 'AcmeHr')
        .replaceAll("'rollgate/plugin'", `'${process.cwd()}/src/plugin/api.ts'`)
        .replaceAll("'rollgate/plugin/testing'", `'${process.cwd()}/src/plugin/testing.ts'`),
    );
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--test',
    '--test-reporter=tap',
    join(folder, 'acme-hr.test.mjs'),
  ]).catch((error: unknown) => error as { stdout: string });
  expect(stdout).toContain('# fail 0');
  expect(Number(/# pass (\d+)/.exec(stdout)?.[1])).toBeGreaterThan(least);
});
