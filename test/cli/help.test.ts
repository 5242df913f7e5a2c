import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';

const COMMANDS = [
  'serve',
  'config check',
  'config show',
  'config schema',
  'doctor',
  'tenant create',
  'tenant list',
  'tenant show',
  'tenant set',
  'tenant delete',
  'key create',
  'key list',
  'key roll',
  'key delete',
  'room list',
  'room add',
  'room rename',
  'room remove',
  'role list',
  'role add',
  'role change',
  'role remove',
  'job list',
  'completion',
];

describe('help', () => {
  it('is printed when nothing is asked', async () => {
    const { exitCode, out } = await runCli([]);
    expect(exitCode).toBe(0);
    expect(out).toMatchSnapshot();
  });

  it.each(COMMANDS)('explains "rollgate %s" with an example', async (name) => {
    const { exitCode, out } = await runCli([...name.split(' '), '--help']);
    expect(exitCode).toBe(0);
    expect(out).toContain(`Usage: rollgate ${name}`);
    expect(out).toMatch(new RegExp(`Examples:\n +[^\n]*rollgate ${name}`));
    expect(out).toContain('--json');
    expect(out.match(/^Global Options:$/gm)).toHaveLength(1);
    expect(out).not.toContain('default: false');
  });

  it.each(['config', 'tenant', 'key', 'room', 'role', 'job'])(
    'lists what "rollgate %s" knows, as a mistake',
    async (name) => {
      const { exitCode, notes } = await runCli([name]);
      const known = COMMANDS.filter((command) => command.startsWith(`${name} `));
      expect(exitCode).toBe(2);
      for (const command of known) expect(notes).toContain(`\n  ${command.split(' ')[1]} `);
    },
  );

  it.each([
    [['tenat', 'list'], 'Did you mean tenant?'],
    [['tenant', 'lits'], 'Did you mean list?'],
    [['serve', '--prot', '1'], 'Did you mean --port?'],
  ])('suggests what %j was meant to be', async (words, suggestion) => {
    const { exitCode, notes } = await runCli(words);
    expect(exitCode).toBe(2);
    expect(notes).toContain(suggestion);
  });

  it('has colours on a terminal only', async () => {
    const plain = await runCli(['key', 'create', '--help']);
    const coloured = await runCli(['key', 'create', '--help'], { colours: true });
    expect(plain.out).not.toContain('\u001B');
    expect(coloured.out).toContain('\u001B[1mExamples:\u001B[22m');
  });
});

describe('completion', () => {
  const complete = async (...words: string[]) =>
    (await runCli(['complete', '--', ...words])).out.trim().split('\n');

  it.each([
    [['te'], ['tenant']],
    [
      ['tenant', ''],
      ['create', 'list', 'show', 'set', 'delete', 'help'],
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
      ['bash', 'zsh', 'fish'],
    ],
  ])('goes on from %j', async (words, candidates) => {
    expect(await complete(...words)).toStrictEqual(candidates);
  });

  it('works in bash', async () => {
    const { out: script } = await runCli(['completion', 'bash']);
    // The shell function asks the command; here a function of the same name answers in its place.
    const after = async (line: string, ...candidates: readonly string[]): Promise<string> => {
      const typed = `rollgate() { printf '%s\\n' ${candidates.join(' ')}; }
${script}
COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _rollgate; echo "\${COMPREPLY[@]}"`;
      return (await promisify(execFile)('bash', ['-c', typed])).stdout;
    };
    expect(await after('rollgate tenant li', 'list', 'limit')).toBe('list limit\n');
    expect(await after('rollgate key create a --scope ', 'usage')).toBe('usage\n');
    // Bash has "scim", ":" and "r" as three words, and replaces the last.
    const scopes = await after('rollgate key create a --scope scim:r', 'scim:read');
    expect(scopes).toBe('read\n');
  });
});

describe('the command itself', () => {
  it('runs as a program and ends with the exit code', async () => {
    const run = promisify(execFile);
    const program = ['--import', 'tsx', 'src/cli.ts'];
    const { stdout } = await run(process.execPath, [...program, '--version']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    await expect(run(process.execPath, [...program, 'tenat'])).rejects.toMatchObject({ code: 2 });
  });

  it('does not mind when nobody reads on', async () => {
    const piped = `set -o pipefail; "${process.execPath}" --import tsx src/cli.ts --help | true`;
    const { stderr } = await promisify(execFile)('bash', ['-c', piped]);
    expect(stderr).toBe('');
  });
});
