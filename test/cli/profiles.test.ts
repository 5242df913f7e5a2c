import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliEnvironment, runCli } from '../support/run-cli.js';
import { type FakeGateway, openFakeGateway } from './fake-gateway.js';

let gateway: FakeGateway;
let home: string;
beforeEach(async () => {
  gateway = await openFakeGateway();
  home = await mkdtemp(join(tmpdir(), 'rollgate-home-'));
});
afterEach(async () => {
  await gateway.close();
  await rm(home, { recursive: true });
});

const run = (words: readonly string[], { env, ...more }: CliEnvironment = {}) =>
  runCli(words, { ...more, env: { XDG_CONFIG_HOME: home, ...env } });

const login = (...words: readonly string[]) =>
  run(['login', gateway.url, '--token', '-', ...words], { line: gateway.token });

const LIST = ['tenant', 'list', '--json'];

describe('login', () => {
  it('stores the address and token, for this account only, and uses them from then on', async () => {
    const { exitCode, stdout } = await login('--profile', 'prod');
    expect(exitCode).toBe(0);
    const path = join(home, 'rollgate', 'profiles.json');
    expect(stdout).toContain(`as profile prod in ${path}.`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await run(LIST)).exitCode).toBe(0);
    expect(gateway.requests.at(-1)?.headers.authorization).toBe(`Bearer ${gateway.token}`);
  });

  it('asks on a terminal, without showing what is typed', async () => {
    const { exitCode, questions } = await run(['login', gateway.url], { input: gateway.token });
    expect([exitCode, questions]).toEqual([0, ['Admin token or API key: ']]);
  });

  it('stores nothing if the gateway does not accept the token', async () => {
    const { exitCode, stderr } = await run(['login', gateway.url, '--token', '-'], {
      line: 'wrong',
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('UNAUTHENTICATED');
    expect((await run(['profile', 'list', '-o', 'json'])).stdout).toBe('[]\n');
  });
});

describe('a profile', () => {
  beforeEach(() => login('--profile', 'prod'));

  it.each([
    ['the environment is set', [], { ROLLGATE_ADMIN_TOKEN: 'of-another-server' }],
    ['"local" is given', ['--profile', 'local'], {}],
  ])('is not used where %s', async (_what, words, env) => {
    const { exitCode } = await run([...LIST, ...words], { env: { ...env, ROLLGATE_PORT: '9' } });
    expect(exitCode).toBe(1);
    expect(gateway.requests).toHaveLength(1);
  });

  it('is used instead of the environment if it is named', async () => {
    const env = { ROLLGATE_URL: 'http://127.0.0.1:9', ROLLGATE_ADMIN_TOKEN: 'of-another-server' };
    expect((await run([...LIST, '--profile', 'prod'], { env })).exitCode).toBe(0);
    expect((await run(LIST, { env: { ...env, ROLLGATE_PROFILE: 'prod' } })).exitCode).toBe(0);
  });

  it('never sends its token to another address', async () => {
    const words = [...LIST, '--url', 'https://elsewhere.invalid'];
    expect(JSON.parse((await run(words)).stderr)).toMatchObject({ error: 'NO_CREDENTIAL' });
    const both = await run([...words, '--profile', 'prod']);
    expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('--profile')]);
  });

  it('is listed, selected and deleted', async () => {
    await login('--profile', 'staging');
    const { stdout } = await run(['profile', 'list']);
    expect(stdout).toMatch(/\nprod +http:\S+ +admin token\nstaging +http:\S+ +admin token +yes\n$/);
    expect(stdout).not.toContain(gateway.token);
    expect((await run(['profile', 'use', 'prod'])).exitCode).toBe(0);
    expect((await run(['profile', 'delete', 'prod'])).exitCode).toBe(0);
    expect((await run(['profile', 'list', '-q'])).stdout).toBe('staging\n');
    const unknown = await run(LIST.concat('--profile', 'prod'));
    expect([unknown.exitCode, JSON.parse(unknown.stderr)]).toMatchObject([2, { error: 'USAGE' }]);
  });
});
