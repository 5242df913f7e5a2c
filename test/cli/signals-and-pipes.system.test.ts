import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const cwd = await mkdtemp(join(tmpdir(), 'rollgate-cli-'));
afterAll(() => rm(cwd, { recursive: true }));

const start = (words: readonly string[], stdout: 'ignore' | number) =>
  spawn(process.execPath, ['--import', import.meta.resolve('tsx'), CLI, ...words], {
    cwd,
    stdio: ['ignore', stdout, 'pipe'],
  });

it.runIf(existsSync('/dev/full'))('names an output that cannot be written', async () => {
  const child = start(['--help'], openSync('/dev/full', 'w'));
  let notes = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (notes += text));
  const [code] = (await once(child, 'close')) as [number];
  expect([code, notes]).toEqual([1, 'error: Cannot write the output (ENOSPC).\n']);
});

it('a connector that loops is ended by SIGTERM while it is tried', async () => {
  await writeFile(join(cwd, 'rollgate.yaml'), 'use: ./endless.mjs\ntenant: acme\n');
  await writeFile(join(cwd, 'endless.mjs'), ENDLESS);
  const child = start(['connector', 'try', 'rollgate.yaml'], 'ignore');
  await eventually(() => expect(existsSync(join(cwd, 'loops'))).toBe(true));
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  expect(await closed).toEqual([null, 'SIGTERM']);
});

const ENDLESS = `
import { writeFileSync } from 'node:fs';
export default ({ defineConnector, z }) =>
  defineConnector({
    apiVersion: 1,
    name: 'endless',
    title: 'Endless',
    description: 'A source that never ends.',
    triedAgainst: 'server',
    settings: z.strictObject({}),
    record: z.object({ email: z.string() }),
    mapping: { userName: 'email' },
    start: () => ({
      check: async () => ({ ok: true, message: 'It is there.' }),
      async *read() {
        writeFileSync('loops', '');
        for (;;);
      },
    }),
  });
`;
