import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandHint, type CommandHintParts } from '../../src/process/program.js';

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'rollgate-hint-')));
});
afterEach(() => rm(folder, { recursive: true }));

const put = async (path: string): Promise<string> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), '');
  return join(folder, path);
};
const link = async (path: string, to: string): Promise<string> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await symlink(to, join(folder, path));
  return join(folder, path);
};
const hint = (more: Partial<CommandHintParts>): string =>
  commandHint({
    ...{ env: {}, cwd: folder, program: undefined, randomUrl: undefined },
    ...more,
  });

describe('the command that a start prints', () => {
  it('is npx in a project, which npm started', () => {
    for (const npm_lifecycle_event of ['start', 'npx'])
      expect(hint({ env: { npm_lifecycle_event } })).toBe('npx rollgate');
  });

  it('is the program of a clone, whichever of its programs runs', async () => {
    await put('bin/rollgate.js');
    for (const program of ['bin/rollgate.js', 'dist/src/main.js', 'src/cli.ts'])
      expect(hint({ program })).toBe('node bin/rollgate.js');
    const elsewhere = await mkdtemp(join(folder, 'else where '));
    expect(hint({ program: join(folder, 'bin/rollgate.js'), cwd: elsewhere })).toBe(
      `node ${folder}/bin/rollgate.js`,
    );
  });

  it('is quick in a clone, also if npm started the gateway', async () => {
    const own = await put('bin/rollgate.js');
    await link('bin/rollgate', own);
    const env = { npm_lifecycle_event: 'start', PATH: '/nowhere' };
    const program = 'bin/start.js';
    expect(hint({ program, env })).toBe('bin/rollgate');
    expect(hint({ program, env: { ...env, PATH: `${folder}/bin` } })).toBe('rollgate');
  });

  it('is rollgate if this installation is on the PATH, and no other one', async () => {
    const own = await put('app/bin/rollgate.js');
    await link('path/rollgate', own);
    const env = { PATH: `/nowhere:${folder}/path` };
    for (const program of ['app/dist/src/main.js', 'path/rollgate'])
      expect(hint({ program, env })).toBe('rollgate');
    await put('other/bin/rollgate.js');
    expect(hint({ program: 'other/dist/src/main.js', env })).toBe('node other/bin/rollgate.js');
  });

  it('is npx where the package is installed in the folder', async () => {
    const own = await put('node_modules/rollgate/bin/rollgate.js');
    const program = await link('node_modules/.bin/rollgate', own);
    expect(hint({ program })).toBe('npx rollgate');
    expect(hint({ program, cwd: '/' })).toBe(program.slice(1));
  });

  it.each<[Partial<CommandHintParts>, string]>([
    [{ env: { ROLLGATE_DATA_DIR: './data' } }, 'ROLLGATE_DATA_DIR=./data rollgate'],
    [{ env: { ROLLGATE_DATA_DIR: "/my data's" } }, "ROLLGATE_DATA_DIR='/my data'\\''s' rollgate"],
    [
      { env: { ROLLGATE_PORT: '9090', ROLLGATE_HOST: '::1' } },
      'ROLLGATE_HOST=::1 ROLLGATE_PORT=9090 rollgate',
    ],
    [
      { env: { ROLLGATE_PORT: '0' }, randomUrl: 'http://127.0.0.1:4711' },
      'ROLLGATE_URL=http://127.0.0.1:4711 rollgate',
    ],
    [{ env: { ROLLGATE_CONFIG: 'a.yaml' } }, 'ROLLGATE_CONFIG=a.yaml rollgate'],
    // Secrets are never printed, and Kubernetes' variables are no settings.
    [{ env: { ROLLGATE_ADMIN_TOKEN: 'secret', ROLLGATE_SECRET_KEY: 'secret' } }, 'rollgate'],
    [{ env: { ROLLGATE_PORT: 'tcp://10.0.0.1:80' } }, 'rollgate'],
  ])('has the settings that it needs: %j', (parts, command) => {
    expect(hint(parts)).toBe(command);
  });
});
