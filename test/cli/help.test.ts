import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';

/** The commands that the help of a command lists, and those below them. */
const pathsIn = async (path: readonly string[] = []): Promise<readonly string[][]> => {
  const { stdout } = await runCli([...path, '--help']);
  const sections = stdout.matchAll(/^(?:Commands|Gateway|Tenants|Plugins|Help):\n((?: .*\n)*)/gm);
  const listed = [...sections].map(([, rows]) => rows).join('');
  const names = [...listed.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name]) => name!);
  const paths: string[][] = [];
  for (const name of names.filter((each) => each !== 'help'))
    paths.push([...path, name], ...(await pathsIn([...path, name])));
  return paths;
};

const PATHS = await pathsIn();
const isGroup = (path: readonly string[]): boolean =>
  PATHS.some((other) => other.length > path.length && path.every((word, at) => other[at] === word));
const GROUPS = PATHS.filter(isGroup);
const COMMANDS = PATHS.filter((path) => !isGroup(path));

/** Names, options and examples of every command are in docs/commands.md, which is generated. */
describe('help', () => {
  it('lists arguments, options, credentials and examples', async () => {
    const { stdout } = await runCli(['key', 'delete', '--help']);
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: rollgate key delete [options] <tenant> <key>

      Delete an API key. Requests with it are refused within a second. Asks for confirmation.

      Arguments:
        tenant      the tenant's slug
        key         the key's id or prefix

      Options:
        -y, --yes   do not ask for confirmation
        --dry-run   show what would change, without changing it
        -h, --help  show this help

      Credentials:
        admin token  --token, a profile, ROLLGATE_ADMIN_TOKEN or the data folder

      Examples:
        rollgate key delete acme rg_4fJx09Qa                                 asks for confirmation
        rollgate key delete acme 0b9f6d3e-5a3c-4b8e-8a55-6d1d2c3b4a59 --yes  for scripts

      Options of every command, see "rollgate --help":
        --config, --url, --token, --api-key, --ca-file, --profile, -o, --json, -q
      "
    `);
  });

  it('of the root is printed without arguments', async () => {
    const { exitCode, stdout } = await runCli([]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe((await runCli(['--help'])).stdout);
  });

  it.each(COMMANDS.map((path) => path.join(' ')))(
    'of "rollgate %s" has an example',
    async (name) => {
      const { exitCode, stdout, stderr } = await runCli(['help', ...name.split(' ')]);
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(new RegExp(`Examples:\n +[^\n]*rollgate ${name}`));
    },
  );

  it.each(GROUPS.map((path) => path.join(' ')))(
    'of "rollgate %s" is printed without a subcommand, with exit code 2',
    async (name) => {
      const { exitCode, stderr } = await runCli(name.split(' '));
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`Usage: rollgate ${name} [options] [command]`);
    },
  );

  it.each([
    [['tenat', 'list'], "unknown command 'tenat'\n(Did you mean tenant?)", 'rollgate'],
    [['tenant', 'lits'], "unknown command 'lits'\n(Did you mean list?)", 'rollgate tenant'],
    [['tenat', '--help'], "unknown command 'tenat'", 'rollgate'],
    [['help', 'room', 'creat'], "unknown command 'creat'", 'rollgate room'],
    [['serve', '--prot', '1'], "unknown option '--prot'", 'rollgate serve'],
    [['room', 'show', 'acme'], "missing required argument 'room'", 'rollgate room show'],
    [['room', 'list', 'acme', 'x'], 'too many arguments', 'rollgate room list'],
  ])('is offered after the mistake %j, with exit code 2', async (words, message, command) => {
    const { exitCode, stdout, stderr } = await runCli(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toMatch(new RegExp(`\nRun "${command} --help" for usage\\.\n$`));
  });

  it('has colours on a terminal only', async () => {
    const plain = await runCli(['key', 'create', '--help']);
    const coloured = await runCli(['key', 'create', '--help'], { colours: true });
    expect(plain.stdout).not.toContain('\u001B');
    expect(coloured.stdout).toContain('\u001B[1mExamples:\u001B[22m');
  });
});

describe('completion', () => {
  const complete = async (...words: string[]) =>
    (await runCli(['complete', '--', ...words])).stdout.trim().split('\n');

  it.each([
    [['te'], ['tenant']],
    [
      ['tenant', ''],
      ['create', 'list', 'show', 'update', 'delete', 'export'],
    ],
    [
      ['key', 'create', 'acme', '--preset', 'r'],
      ['read-only', 'room-sync'],
    ],
    [
      ['key', 'create', '--scope', 'api:rooms'],
      ['api:rooms:read', 'api:rooms:write'],
    ],
    [
      ['tenant', 'create', 'acme', '--room-provisioning', ''],
      ['manual', 'automatic'],
    ],
    [['tenant', 'delete', 'acme', '--y'], ['--yes']],
    [['tenant', 'list', '--js'], ['--json']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
  ])('completes %j', async (words, candidates) => {
    expect(await complete(...words)).toStrictEqual(candidates);
  });
});

describe('the program', () => {
  it('exits with the exit code of the command', async () => {
    const run = promisify(execFile);
    const program = ['--import', 'tsx', 'src/cli.ts'];
    const { stdout } = await run(process.execPath, [...program, '--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    await expect(run(process.execPath, [...program, 'tenat'])).rejects.toMatchObject({ code: 2 });
  });

  it('ignores a closed pipe', async () => {
    const piped = `set -o pipefail; "${process.execPath}" --import tsx src/cli.ts --help | true`;
    const { stderr } = await promisify(execFile)('bash', ['-c', piped]);
    expect(stderr).toBe('');
  });
});

describe('--web', () => {
  it('opens pages that the dashboard has', () => {
    // Given the resources of the core and the plugins with a page
    const files = [
      ...readdirSync('src/cli/commands').map((name) => `src/cli/commands/${name}`),
      'plugins/webhooks/commands.ts',
      'plugins/connectors/operate/commands.ts',
    ];
    const declared = files
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/^ +page: '(.*)',$/gm)])
      .map(([, page = '']) => page);
    expect(declared).toContain('/users');

    // Then the dashboard has a route for an item of each
    const routes = readFileSync('plugins/dashboard/app/routes.ts', 'utf8');
    for (const page of declared.filter((each) => each !== ''))
      expect(routes).toContain(`path: '/t/:slug${page}/:id'`);
  });
});
