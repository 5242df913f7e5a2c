import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'rollgate-cli-'));
});
afterEach(() => rm(cwd, { recursive: true }));

const check = async (yaml: string, env: NodeJS.ProcessEnv = {}, ...words: string[]) => {
  await writeFile(join(cwd, 'mine.yaml'), yaml);
  return runCli(['config', 'check', 'mine.yaml', ...words], { cwd, env });
};

describe('config check', () => {
  it('reports a valid configuration and where the settings come from', async () => {
    const { exitCode, stdout } = await check('port: 9090\n', { ROLLGATE_HOST: '127.0.0.2' });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Configuration valid \(settings: 1 from the environment, 1 from mine\.yaml, \d+ at defaults\)\.\n$/,
    );
  });

  it('checks the configuration of "rollgate serve" if no file is given', async () => {
    await writeFile(join(cwd, 'other.yaml'), 'port: nine\n');
    const env = { ROLLGATE_CONFIG: 'other.yaml' };
    const { exitCode, stderr } = await runCli(['config', 'check'], { cwd, env });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('other.yaml:1: port:');
  });

  it('reports every error with its file and line', async () => {
    const { exitCode, stderr } = await check('host: 127.0.0.1\nport: nine\nratelimit: 3\n');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The configuration has 2 errors.');
    expect(stderr).toMatch(/mine\.yaml:2: port: expected a whole number/);
    expect(stderr).toMatch(/mine\.yaml:3: ratelimit: .*did you mean "rateLimit"/);
  });

  it('checks sections of plugins, and that the plugins exist', async () => {
    const { exitCode, stderr } = await check(
      'plugins:\n  webhooks:\n    allow: [10.0.0.0/99]\n  webhoks: {}\n',
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('mine.yaml:3: plugins.webhooks.allow[0]:');
    expect(stderr).toMatch(/mine\.yaml:4: plugins\.webhoks: .*did you mean "webhooks"/);
  });

  it('checks that referenced secrets exist', async () => {
    const { exitCode, stderr } = await check('adminToken: { env: NOT_SET }\nport: 9090\n');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('mine.yaml:1: adminToken:');
    expect(stderr).toContain('NOT_SET');
  });

  it.each([
    ['secretKey: too-short\n', 'secretKey: expected 32 bytes in base64'],
    ['adminToken: several words of it\n', 'adminToken: cannot be sent as a bearer token'],
    ['adminToken: x\n', 'adminToken: has fewer than 16 characters'],
    ['mongodb: { uri: "https://db" }\n', 'mongodb.uri: expected a connection string'],
  ])('refuses an invalid secret: %s', async (yaml, message) => {
    const { exitCode, stderr } = await check(yaml);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`mine.yaml:1: ${message}`);
  });

  it('reports errors of the core, plugins, variables, secrets and files together', async () => {
    await writeFile(join(cwd, 'not-a-ca.pem'), 'nothing');
    const { exitCode, stderr } = await check(
      'port: nine\nadminToken: { file: gone }\nplugins:\n  webhooks:\n    ca: not-a-ca.pem\n',
      { ROLLGATE_MONGO_URI: 'mongodb://user:hush@db/x' },
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The configuration has 4 errors.');
    expect(stderr).toContain('mine.yaml:1: port: expected a whole number');
    expect(stderr).toContain('mine.yaml:2: adminToken: file gone does not exist');
    expect(stderr).toMatch(
      /mine\.yaml:5: plugins\.webhooks\.ca: .*not-a-ca\.pem contains no certificate/,
    );
    expect(stderr).toContain(
      'environment variable ROLLGATE_MONGO_URI: matches no setting; did you mean ROLLGATE_MONGODB_URI?',
    );
    expect(stderr).not.toContain('hush');
  });

  it('reads the CA file that a setting refers to', async () => {
    const { exitCode, stderr } = await check('', { ROLLGATE_WEBHOOKS_CA: 'gone.pem' });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /environment variable ROLLGATE_WEBHOOKS_CA: plugins\.webhooks\.ca: .*gone\.pem/,
    );
  });

  it('prints the problems as JSON with --json', async () => {
    const { exitCode, stdout } = await check('port: nine\n', {}, '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [{ place: 'mine.yaml:1', key: 'port' }],
    });
  });

  it('prints nothing with --quiet if the configuration is valid', async () => {
    const { exitCode, stdout, stderr } = await check('port: 9090\n', {}, '--quiet');
    expect({ exitCode, stdout, stderr }).toStrictEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('fails if the file does not exist', async () => {
    const { exitCode, stderr } = await runCli(['config', 'check', 'none.yaml'], { cwd });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('none.yaml');
  });
});

describe('config show', () => {
  it('shows each setting with its source, including those of plugins', async () => {
    await writeFile(join(cwd, 'mine.yaml'), 'retention:\n  events: 10d\n');
    const env = { ROLLGATE_PORT: '9090' };
    const { stdout } = await runCli(['config', 'show', 'mine.yaml'], { cwd, env });
    expect(stdout).toMatch(/^port +9090 +environment +ROLLGATE_PORT$/m);
    expect(stdout).toMatch(/^retention\.events +10d +mine\.yaml:2 +ROLLGATE_RETENTION_EVENTS$/m);
    expect(stdout).toMatch(
      /^plugins\.webhooks\.retry +\["5s",.*"24h"\] +default +ROLLGATE_WEBHOOKS_RETRY$/m,
    );
  });

  it('hides secrets', async () => {
    const env = {
      ROLLGATE_ADMIN_TOKEN: 'hush-this-admin-token',
      ROLLGATE_SECRET_KEY: `${'hush'.padEnd(43, 'A')}=`,
      ROLLGATE_MONGODB_URI: 'mongodb://user:hush-password@db.example/x',
    };
    for (const style of [[], ['--json']]) {
      const { exitCode, stdout } = await runCli(['config', 'show', ...style], { cwd, env });
      expect(exitCode).toBe(0);
      expect(stdout).toContain('adminToken');
      expect(stdout).not.toContain('hush');
    }
  });
});

describe('config schema', () => {
  it('describes the whole file, including sections of plugins', async () => {
    const { exitCode, stdout } = await runCli(['config', 'schema']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: {
        port: { default: 8080 },
        plugins: { properties: { webhooks: { properties: { retry: { type: 'array' } } } } },
      },
    });
  });
});
