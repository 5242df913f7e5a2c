import { spawnSync } from 'node:child_process';
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
  return runCli(['config', 'check', '--config', 'mine.yaml', ...words], { cwd, env });
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

  it.each([
    ['secretKey: too-short\n', 'secretKey: expected 32 bytes in base64'],
    ['adminToken: several words of it\n', 'adminToken: cannot be sent as a bearer token'],
    ['adminToken: x\n', 'adminToken: has fewer than 16 characters'],
    ['mongodb: { uri: "https://db" }\n', 'mongodb.uri: expected a connection string'],
    ['mongodb: { uri: "mongodb://db:0/x" }\n', 'mongodb.uri: the port of host 1 is not a number'],
    ['mongodb: { uri: "mongodb://db/x " }\n', 'mongodb.uri: begins or ends with white space'],
    ['publicUrl: "https://x.test:0"\n', 'publicUrl: expected a port other than 0'],
    ['telemetry: { endpoint: "http://x:0" }\n', 'telemetry.endpoint: expected a port other than 0'],
  ])('refuses an invalid secret: %s', async (yaml, message) => {
    const { exitCode, stderr } = await check(yaml);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`mine.yaml:1: ${message}`);
  });

  it.each([
    ['png.svg', 'the file is not an SVG'],
    ['missing.svg', 'the file does not exist (ENOENT)'],
    ['large.svg', 'the file is larger than 64 KiB'],
    ['/dev/zero', 'this is not a regular file'],
    ['pipe.svg', 'this is not a regular file'],
  ])('refuses a logo that cannot be shown: %s', async (logo, message) => {
    await writeFile(join(cwd, 'png.svg'), '\u0089PNG');
    spawnSync('mkfifo', [join(cwd, 'pipe.svg')]);
    await writeFile(join(cwd, 'large.svg'), `<svg>${' '.repeat(70_000)}</svg>`);
    const { exitCode, stderr } = await check(`branding: { logo: ${logo} }\n`);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`mine.yaml:1: branding.logo: ${message}`);
  });

  it('accepts a logo in SVG', async () => {
    await writeFile(join(cwd, 'logo.svg'), '<?xml version="1.0"?>\n<!-- Acme -->\n<svg></svg>');
    expect((await check('branding: { logo: logo.svg }\n')).exitCode).toBe(0);
  });

  it('checks the variable of the proxy, without its password', async () => {
    const env = { HTTPS_PROXY: 'socks5://ada:hunter2@proxy.test' };
    const { exitCode, stderr } = await check('port: 9090\n', env);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('environment variable HTTPS_PROXY: expected the URL of an HTTP proxy');
    expect(stderr).not.toContain('hunter2');
  });

  it('checks the variable of OpenTelemetry that names a receiver of traces', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' };
    const { exitCode, stderr } = await check('port: 9090\n', env);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'environment variable OTEL_EXPORTER_OTLP_ENDPOINT: expected an http:// or https:// URL',
    );
  });

  const csv = (lines: string): string =>
    `connectors:\n  hr:\n    use: csv\n    tenant: acme\n    settings: { folder: . }\n    ${lines}\n`;

  it.each([
    [
      'map: { displayname: x }',
      'map.displayname: users have no attribute "displayname"; did you mean "displayName"?',
    ],
    ['map: { Department: x }', 'did you mean "enterprise.department"?'],
    [
      'map: { shoeSize: x }',
      'map.shoeSize: users have no attribute "shoeSize"; there are userName, ',
    ],
    ["map: { title: { jsonata: 'a +' } }", 'map.title: is no JSONata expression: '],
    [
      'map: { title: { path: x, transform: [{ date: xx }] } }',
      'map.title: "xx" is not a date format',
    ],
    ['map: { title: { pth: x } }', 'map.title.pth: unknown setting; did you mean "path"?'],
    [
      'map: { title: [x] }',
      'map.title: expected text, or {path: …}, or {template: …}, or {constant: …}, or {jsonata: …}',
    ],
    ['match: [username]', 'match[0]: "username" is not one of externalId, userName, email'],
    ['match: email', 'match: expected a list'],
    [
      'authoritativeFor: [Title]',
      'authoritativeFor[0]: users have no attribute "Title"; did you mean "title"?',
    ],
    [
      'groups: [{ group: A, when: { pth: x } }]',
      'groups[0].when: is not allowed next to the others, or is wrong itself; expected {path: …}, or {when, group: …}, or {group: …}',
    ],
    [
      'lifecycle: { status: { path: s, inactiv: [x] } }',
      'lifecycle.status.inactiv: unknown setting; did you mean "inactive"?',
    ],
    ['safety: { maxDeactivateCount: many }', 'safety.maxDeactivateCount: expected a number'],
    ['conflicts: never', 'conflicts: expected source-wins, fill-empty, report'],
  ])('explains a connector with %s', async (lines, message) => {
    const { exitCode, stderr } = await check(csv(lines));
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).toContain('mine.yaml:6: connectors.hr.');
  });

  it.each([
    ['use: cvs', 'did you mean "csv"?'],
    [
      'use: csv\n    settings: { folder: ., columns: { A: email, B: email } }',
      'A and B have "email"',
    ],
  ])('explains a connector with %j', async (lines, message) => {
    const { exitCode, stderr } = await check(
      `connectors:\n  hr:\n    tenant: acme\n    ${lines}\n`,
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  });

  it('warns about secrets in plain text, not about those in variables', async () => {
    const yaml =
      'adminToken: a-token-in-plain-text\nconnectors:\n  hr:\n    use: personio\n    tenant: acme\n' +
      '    settings: { clientId: x, clientSecret: hunter2hunter2 }\n';
    const { exitCode, stderr } = await check(yaml);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('warning: mine.yaml:1: adminToken: is a secret in plain text');
    expect(stderr).toMatch(/warning: mine\.yaml:6: connectors\.hr\.settings\.clientSecret: is a/);
    expect(stderr).not.toContain('hunter2');
    const json = await check(yaml, {}, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, warnings: [{}, {}] });
    const env = { ROLLGATE_ADMIN_TOKEN: 'a-token-in-plain-text' };
    expect((await check('port: 9090\n', env)).stderr).toBe('');
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
});

describe('config show', () => {
  it('shows each setting with its source, including those of plugins', async () => {
    await writeFile(join(cwd, 'mine.yaml'), 'retention:\n  events: 10d\n');
    const env = { ROLLGATE_PORT: '9090' };
    const { stdout } = await runCli(['config', 'show', '--config', 'mine.yaml'], { cwd, env });
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
