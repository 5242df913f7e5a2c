import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSoftware, type Software } from '../support/servers/debian-software.js';
import { bashInsertion, parseShellLine } from '../../src/cli/commands/completion.js';
import { createResource, TestGateway, type TestTenant } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';
import { operatorCli, tenantCli } from './real-cli.js';

const gateway = TestGateway.use();
const cli = operatorCli(gateway);
let tenant: TestTenant;

beforeAll(async () => {
  tenant = await gateway.tenant();
  for (const email of ['ada@example.com', 'adam@example.com', 'grace@example.com'])
    await createResource(tenant.native, '/users', { email });
  for (const room of ['Dispatch', 'Dispatch night', 'Work: east'])
    await cli(['room', 'create', tenant.slug, room]);
});

describe('completion of names', () => {
  const complete = async (...words: readonly string[]) =>
    (await cli(['complete', '--', ...words])).stdout.trim().split('\n').sort();

  it('reads tenants, users, rooms and keys from the gateway', async () => {
    const { slug } = tenant;
    const prefix = (await cli(['key', 'list', slug, '--json'])).stdout;
    const [key] = (JSON.parse(prefix) as { api_keys: { prefix: string }[] }).api_keys;
    expect(await complete('tenant', 'show', slug.slice(0, 3))).toContain(slug);
    expect(await complete('user', 'show', slug.slice(0, 3))).toContain(slug);
    expect(await complete('user', 'show', slug, 'ada')).toEqual([
      'ada@example.com',
      'adam@example.com',
    ]);
    expect(await complete('room', 'delete', slug, 'disp')).toEqual(['Dispatch', 'Dispatch night']);
    expect(await complete('key', 'rotate', slug, '')).toEqual([key?.prefix]);
    expect(await complete('explain', slug, 'gr')).toEqual(['grace@example.com']);
    expect(await complete('explain', slug, 'ada', '--room', 'W')).toEqual(['Work: east']);
    expect(await complete('log', slug.slice(0, 3))).toContain(slug);
  });

  it('uses an API key where there is no admin token', async () => {
    const { stdout } = await tenantCli(
      gateway,
      () => tenant,
    )([...['complete', '--', 'user', 'show', tenant.slug, 'gra']]);
    expect(stdout).toBe('grace@example.com\n');
  });

  it('offers nothing, and prints no error, without a gateway, credentials or such a tenant', async () => {
    const nowhere = { ROLLGATE_URL: 'http://127.0.0.1:9', ROLLGATE_ADMIN_TOKEN: 'x' };
    const silent = { exitCode: 0, stdout: '', stderr: '' };
    expect(await runCli(['complete', '--', 'user', 'show', ''], { env: nowhere })).toMatchObject(
      silent,
    );
    expect(await runCli(['complete', '--', 'user', 'show', ''])).toMatchObject(silent);
    expect(await cli(['complete', '--', 'user', 'show', 'no-such-tenant', ''])).toMatchObject(
      silent,
    );
  });
});

describe('a line of bash', () => {
  const BREAKS = ' \t\n"\'@><=;|&(:';

  it.each([
    ['rollgate room show ', ['rollgate', 'room', 'show', '']],
    ['rollgate room show Night\\ d', ['rollgate', 'room', 'show', 'Night d']],
    ['rollgate room show "Night \\"d', ['rollgate', 'room', 'show', 'Night "d']],
    ["rollgate room show 'Night $(x", ['rollgate', 'room', 'show', 'Night $(x']],
    ['rollgate a\'b c\'"d"', ['rollgate', 'ab cd']],
  ])('%s is split without expanding anything', (line, words) => {
    expect(parseShellLine(line, BREAKS).words).toEqual(words);
  });

  it.each([
    ['x Disp', 'Dispatch night', 'Dispatch\\ night'],
    ['x ada@ex', 'ada@example.com', 'example.com'],
    ['x scim:r', 'scim:read', 'read'],
    ['x "Night ', 'Night (east)', 'Night (east)'],
    ['x Night', 'Night (east) $HOME', 'Night\\ \\(east\\)\\ \\$HOME'],
  ])('%s is completed with %s by inserting %s', (line, candidate, inserted) => {
    expect(bashInsertion(candidate, parseShellLine(line, BREAKS))).toBe(inserted);
  });
});

describe('in its own shell', () => {
  let bin: string;
  beforeAll(async () => {
    // The command that the shell finds.
    bin = await mkdtemp(join(tmpdir(), 'rollgate-completion-'));
    const source = fileURLToPath(new URL('../../', import.meta.url));
    const command = `cd ${source} && exec ${process.execPath} --import tsx src/cli.ts "$@"`;
    await writeFile(join(bin, 'rollgate'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  });
  afterAll(() => rm(bin, { recursive: true }));

  /** Runs a script after the completion script of the shell; its output, line by line. */
  const runIn = async (
    shell: 'bash' | 'zsh' | 'fish',
    {
      software,
      flags = [],
      before = '',
    }: { software: Software; flags?: string[]; before?: string },
    script: string,
  ): Promise<readonly string[]> => {
    const { stdout: completion } = await runCli(['completion', shell]);
    const { url, adminToken } = await gateway.open();
    const { stdout } = await promisify(execFile)(
      software.path(shell === 'zsh' ? '/bin/zsh' : `/usr/bin/${shell}`),
      [...flags, '-c', `${before}\n${completion}\n${script}`],
      {
        env: {
          ...software.env,
          PATH: `${bin}:${process.env['PATH']}`,
          HOME: bin,
          ROLLGATE_URL: url,
          ROLLGATE_ADMIN_TOKEN: adminToken,
        },
      },
    );
    return stdout.trim().split('\n').sort();
  };

  /** The gateway has a limited time for names: on a busy machine, a person presses Tab again. */
  const expectNames = (complete: () => Promise<readonly string[]>) =>
    expect.poll(complete, { timeout: 30_000 });

  it('bash completes names, also where it splits the word', async ({ skip }) => {
    const software = await openSoftware({ packages: ['bash'], files: ['/usr/bin/bash'] });
    if (!software) return skip();
    const after = (line: string) =>
      runIn(
        'bash',
        { software },
        `COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _rollgate; printf '%s\\n' "\${COMPREPLY[@]}"`,
      );
    await expectNames(() => after(`rollgate room show ${tenant.slug} Disp`)).toEqual([
      'Dispatch',
      'Dispatch\\ night',
    ]);
    await expectNames(() => after(`rollgate user show ${tenant.slug} ada@`)).toEqual([
      'example.com',
    ]);
    expect(await after('rollgate key create a --scope scim:r')).toEqual(['read']);
  });

  it('zsh completes names', async ({ skip }) => {
    const software = await openSoftware({ packages: ['zsh'], files: ['/bin/zsh'] });
    if (!software) return skip();
    // zsh offers candidates by compadd, which only its line editor has.
    const before =
      'compdef() { }\ncompadd() { shift; print -rl -- "$@" }\n_files() { print files }';
    const after = (...words: readonly string[]) =>
      runIn(
        'zsh',
        { software, flags: ['-f'], before },
        `words=(rollgate ${words.join(' ')}); CURRENT=\${#words}; _rollgate`,
      );
    await expectNames(() => after('room', 'show', tenant.slug, 'Disp')).toEqual([
      'Dispatch',
      'Dispatch night',
    ]);
    await expectNames(() => after('room', 'show', tenant.slug, "'Dispatch\\ n'")).toEqual([
      'Dispatch night',
    ]);
    expect(await after('serve', "''")).toEqual(['files']);
  });

  it('fish completes names', async ({ skip }) => {
    const software = await openSoftware({ packages: ['fish'], files: ['/usr/bin/fish'] });
    if (!software) return skip();
    const after = (line: string) =>
      runIn('fish', { software, flags: ['--no-config'] }, `complete -C "${line}"`);
    await expectNames(() => after(`rollgate room show ${tenant.slug} Disp`)).toEqual([
      'Dispatch',
      'Dispatch night',
    ]);
    await expectNames(() => after(`rollgate user show ${tenant.slug} gr`)).toEqual([
      'grace@example.com',
    ]);
  });
});
