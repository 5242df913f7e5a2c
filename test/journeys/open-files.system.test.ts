import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rollgate-open-files-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

interface Exit {
  readonly code: number;
  readonly stderr: string;
}

/** Runs a program with a limit of open files until it exits. */
const runWith = (openFiles: number, path: string, ...words: string[]): Promise<Exit> =>
  new Promise((resolve) => {
    const line = `ulimit -n ${openFiles}; exec "$@"`;
    const program = [process.execPath, '--import', 'tsx', fileOf(path), ...words];
    const env = { ...process.env, ROLLGATE_DATA_DIR: dataDir, ROLLGATE_PORT: '0' };
    execFile('sh', ['-c', line, 'sh', ...program], { env }, (error, _stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr });
    });
  });

describe.runIf(process.platform !== 'win32')('if the limit of open files is too low', () => {
  it.each([
    ['the gateway', 'src/main.ts', []],
    ['the command line', 'src/cli.ts', ['tenant', 'list']],
  ])('%s exits with one sentence', async (_what, path, words) => {
    expect(await runWith(64, path, ...words)).toEqual({
      code: 1,
      stderr:
        'Rollgate needs 512 open files (file descriptors), but the limit is 64: raise the ' +
        'limit (ulimit -n, LimitNOFILE= in systemd, --ulimit nofile= in Docker).\n',
    });
  });

  it('for the embedded database, the gateway exits before starting it', async () => {
    expect(await runWith(800, 'src/main.ts')).toEqual({
      code: 1,
      stderr:
        'Rollgate did not start. The embedded database needs 1024 open files (file descriptors), ' +
        'but the limit is 800: raise the limit (ulimit -n, LimitNOFILE= in systemd, ' +
        '--ulimit nofile= in Docker).\n',
    });
  });
});
