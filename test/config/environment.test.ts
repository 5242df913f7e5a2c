import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../../config/config-error.js';
import { describeConfig } from '../../config/describe-config.js';
import { listSettings } from '../../config/list-settings.js';
import { validateConfig, loadConfig } from '../../config/load-config.js';
import { OTHER_VARIABLES } from '../../config/other-variables.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'rollgate-environment-'));
  mkdirSync(join(cwd, 'config'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const given = (yaml: string): void => writeFileSync(join(cwd, 'config/rollgate.yaml'), yaml);

const problemsOf = (env: NodeJS.ProcessEnv): readonly ConfigProblem[] =>
  validateConfig({ env, cwd }, BUILT_IN_PLUGINS).problems;

/** A value other than the default for each setting, as text of a variable. */
const NON_DEFAULT_VALUES: Readonly<Record<string, string>> = {
  host: '127.0.0.9',
  port: '9999',
  publicUrl: 'https://id.example',
  'telemetry.endpoint': 'http://127.0.0.1:4318',
  trustedProxies: '10.0.0.0/8,fd00::1',
  'mongodb.uri': 'mongodb://db/x',
  dataDir: '/elsewhere',
  adminToken: 'a-token-of-this-test',
  secretKey: Buffer.alloc(32, 1).toString('base64'),
  'operators.sessions.idleTimeout': '20m',
  'operators.sessions.maxAge': '8h',
  'operators.oidc.name': 'Acme login',
  'operators.oidc.issuer': 'https://login.example.com',
  'operators.oidc.clientId': 'rollgate',
  'operators.oidc.clientSecret': 'a secret of this test',
  'operators.oidc.scopes': 'openid,groups',
  'operators.oidc.groupsClaim': 'realm_access.roles',
  'operators.oidc.roles': '[{"group":"ops","role":"admin","tenants":null}]',
  'operators.oidc.stepUp.maxAge': '1m',
  'branding.name': 'Acme Voice',
  'branding.logo': 'logo.svg',
  'branding.accent': '#1a5fb4',
  'log.level': 'error',
  'rateLimit.perMinute': '77',
  'rateLimit.operatorsPerMinute': '78',
  'rateLimit.failedAuthenticationsPerMinute': '7',
  'scim.bulk.maxOperations': '50',
  'retention.events': '3d',
  'retention.commandLog': '5d',
  'sms.removeEndedAfter': '2d',
  'shutdown.graceSeconds': '3',
  'plugins.connectors.enabled': 'false',
  'plugins.dashboard.enabled': 'false',
  'plugins.notifications.enabled': 'false',
  'plugins.notifications.targets': '{"chat":{"kind":"slack","url":"https://chat.example/x"}}',
  'plugins.notifications.rules': '{}',
  'plugins.notifications.checkEvery': '2m',
  'plugins.notifications.allow': '10.0.0.0/8',
  'plugins.notifications.ca': 'ca.pem',
  'plugins.webhooks.enabled': 'false',
  'plugins.webhooks.allow': '10.0.0.0/8,fd00::/8',
  'plugins.webhooks.ca': 'ca.pem',
  'plugins.webhooks.retry': '1s,2s',
  'plugins.webhooks.timeout': '5s',
  'plugins.webhooks.disableAfter': '2d',
  'plugins.webhooks.concurrencyPerRegistration': '3',
};

/** As in a variable: lists with commas, objects and lists of objects as JSON. */
const textOf = (value: unknown): string => {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value);
  return value.some((one) => typeof one === 'object') ? JSON.stringify(value) : value.join();
};

describe('every setting', () => {
  const settings = listSettings(BUILT_IN_PLUGINS);

  it.each(
    settings.flatMap(({ key, variable, aliases }) =>
      [variable, ...aliases].map((name) => [key, name] as const),
    ),
  )('%s can be set by %s', (key, name) => {
    const value = NON_DEFAULT_VALUES[key];
    expect(value, `a value for ${key} in this test`).toBeDefined();
    const env = { [name]: value };
    const { problems, loaded } = validateConfig({ env, cwd }, BUILT_IN_PLUGINS);
    expect(problems).toEqual([]);
    const shown = describeConfig(loaded!, BUILT_IN_PLUGINS).find((one) => one.key === key);
    expect(shown?.origin).toBe(`environment variable ${name}`);
    const secret = settings.some((one) => one.key === key && one.holdsSecret);
    const text = textOf(shown?.value);
    expect(text).toBe(secret ? '(hidden)' : value);
  });

  it('has a variable derived from its path, and for plugins also a shorter one', () => {
    const names = new Map(
      settings.map(({ key, variable, aliases }) => [key, [variable, ...aliases]]),
    );
    expect(names.get('scim.bulk.maxOperations')).toEqual(['ROLLGATE_SCIM_BULK_MAX_OPERATIONS']);
    expect(names.get('plugins.webhooks.timeout')).toEqual([
      'ROLLGATE_WEBHOOKS_TIMEOUT',
      'ROLLGATE_PLUGINS_WEBHOOKS_TIMEOUT',
    ]);
    expect(names.get('rateLimit.perMinute')).toEqual([
      'ROLLGATE_RATE_LIMIT',
      'ROLLGATE_RATE_LIMIT_PER_MINUTE',
    ]);
  });

  it('has a unique variable', () => {
    const names = settings.flatMap(({ variable, aliases }) => [variable, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    const others = OTHER_VARIABLES.map(({ name }) => name);
    expect(names.filter((name) => others.includes(name))).toEqual([]);
  });
});

describe('the value of a variable', () => {
  const schema = z.strictObject({
    on: z.boolean().default(false),
    ratio: z.number().default(0.5),
    sizes: z.array(z.int()).default([]),
    limit: z.int().nullable().default(5),
    tags: z.record(z.string(), z.string()).default({}),
    mode: z.enum(['a', 'b']).default('a'),
  });
  const read = (env: NodeJS.ProcessEnv) => {
    const { sections, problems } = validateConfig({ env, cwd }, [
      { name: 'fancy', settings: schema },
    ]);
    if (problems.length > 0) throw new ConfigError(problems);
    return sections.get('fancy');
  };

  it.each([
    ['ROLLGATE_FANCY_ON', 'true', { on: true }],
    ['ROLLGATE_FANCY_ON', 'False', { on: false }],
    ['ROLLGATE_FANCY_RATIO', '0.25', { ratio: 0.25 }],
    ['ROLLGATE_FANCY_SIZES', '1, 2,3', { sizes: [1, 2, 3] }],
    ['ROLLGATE_FANCY_SIZES', '', { sizes: [] }],
    ['ROLLGATE_FANCY_LIMIT', 'null', { limit: null }],
    ['ROLLGATE_FANCY_LIMIT', '', { limit: 5 }],
    ['ROLLGATE_FANCY_TAGS', '{"a":"b"}', { tags: { a: 'b' } }],
    ['ROLLGATE_PLUGINS_FANCY_MODE', 'b', { mode: 'b' }],
  ])('is parsed: %s=%s', (name, value, expected) => {
    expect(read({ [name]: value })).toMatchObject(expected);
  });

  it('is rejected with the expected format if it is invalid', () => {
    expect(() => read({ ROLLGATE_FANCY_ON: 'yes' })).toThrow(
      'environment variable ROLLGATE_FANCY_ON: plugins.fancy.on: expected true or false',
    );
  });

  it('is the path of a secret file if the name ends with _FILE', () => {
    writeFileSync(join(cwd, 'token.txt'), 'a-token-from-a-file\n');
    const { config } = loadConfig({ env: { ROLLGATE_ADMIN_TOKEN_FILE: 'token.txt' }, cwd });
    expect(config.adminToken?.reveal()).toBe('a-token-from-a-file');
  });
});

describe('a variable that matches no setting', () => {
  const messagesOf = (env: NodeJS.ProcessEnv): readonly string[] =>
    problemsOf(env).map(({ place, message }) => `${place}: ${message}`);

  it.each([
    ['ROLLGATE_MONGO_URI', 'ROLLGATE_MONGODB_URI'],
    ['ROLLGATE_MONGO_URL', 'ROLLGATE_MONGODB_URI'],
    ['ROLLGATE_PROT', 'ROLLGATE_PORT'],
    ['ROLLGATE_WEBHOOK_RETRY', 'ROLLGATE_WEBHOOKS_RETRY'],
    ['ROLLGATE_ADMINTOKEN', 'ROLLGATE_ADMIN_TOKEN'],
    ['ROLLGATE_ADMIN_TOKEN_FIEL', 'ROLLGATE_ADMIN_TOKEN_FILE'],
  ])('%s is an error that suggests %s', (name, meant) => {
    expect(messagesOf({ [name]: 'hunter2' })).toEqual([
      `environment variable ${name}: matches no setting; did you mean ${meant}?`,
    ]);
  });

  it('is an error without a similar name, and even if it is empty', () => {
    expect(messagesOf({ ROLLGATE_XYZ: '' })).toEqual([
      'environment variable ROLLGATE_XYZ: matches no setting; unset it, or list all variables ' +
        'with "rollgate config show"',
    ]);
  });

  it('is reported together with all other errors', () => {
    given('port: nine\nplugins:\n  webhooks:\n    timeout: soon\n');
    expect(
      problemsOf({ ROLLGATE_MONGO_URI: 'x' })
        .map(({ place }) => place)
        .sort(),
    ).toEqual([
      'config/rollgate.yaml:1',
      'config/rollgate.yaml:4',
      'environment variable ROLLGATE_MONGO_URI',
    ]);
  });

  it('is not an error if a secret in the file refers to it', () => {
    given('mongodb: { uri: { env: ROLLGATE_MONGO_URI } }\n');
    expect(problemsOf({ ROLLGATE_MONGO_URI: 'mongodb://db/x' })).toEqual([]);
  });

  it.each(OTHER_VARIABLES.map(({ name }) => name).filter((name) => name !== 'ROLLGATE_CONFIG'))(
    'is not an error if other programs read it: %s',
    (name) => {
      expect(problemsOf({ [name]: 'x' })).toEqual([]);
    },
  );

  it('is not an error if Kubernetes sets it for a Service called rollgate or rollgate-mongodb', () => {
    const env = {
      ROLLGATE_PORT: 'tcp://10.0.0.1:8080',
      ROLLGATE_SERVICE_HOST: '10.0.0.1',
      ROLLGATE_SERVICE_PORT: '8080',
      ROLLGATE_SERVICE_PORT_HTTP: '8080',
      ROLLGATE_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      ROLLGATE_PORT_8080_TCP_PROTO: 'tcp',
      ROLLGATE_PORT_8080_TCP_PORT: '8080',
      ROLLGATE_PORT_8080_TCP_ADDR: '10.0.0.1',
      ROLLGATE_MONGODB_SERVICE_HOST: '10.0.0.2',
      ROLLGATE_MONGODB_PORT: 'tcp://10.0.0.2:27017',
      ROLLGATE_MONGODB_PORT_27017_TCP_ADDR: '10.0.0.2',
    };
    const { problems, loaded } = validateConfig({ env, cwd }, BUILT_IN_PLUGINS);
    expect(problems).toEqual([]);
    expect(loaded?.config.port).toBe(8080);
  });
});

describe('two variables for one setting', () => {
  it.each([
    [{ ROLLGATE_RATE_LIMIT: '1', ROLLGATE_RATE_LIMIT_PER_MINUTE: '2' }, 'rateLimit.perMinute'],
    [{ ROLLGATE_ADMIN_TOKEN: 'x', ROLLGATE_ADMIN_TOKEN_FILE: 'y' }, 'adminToken'],
    [{ ROLLGATE_WEBHOOKS_CA: 'x', ROLLGATE_PLUGINS_WEBHOOKS_CA: 'y' }, 'plugins.webhooks.ca'],
  ])('are an error: %o', (env, key) => {
    const [one = '', other = ''] = Object.keys(env);
    expect(() => loadConfig({ env, cwd }, BUILT_IN_PLUGINS)).toThrow(ConfigError);
    expect(problemsOf(env)).toContainEqual({
      place: `environment variable ${other}`,
      key,
      message: `${one} sets the same setting; unset one of them`,
    });
  });
});
