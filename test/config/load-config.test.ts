import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError, type ConfigProblem } from '../../config/config-error.js';
import { validateConfig, loadConfig, type LoadedConfig } from '../../config/load-config.js';
import { listSettings } from '../../config/list-settings.js';
import { describeConfig } from '../../config/describe-config.js';
import { durationField } from '../../src/plugin/api.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { secretField } from '../../src/plugin/contract/extension.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'rollgate-config-'));
  mkdirSync(join(cwd, 'config'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const given = (yaml: string, name = 'config/rollgate.yaml'): void =>
  writeFileSync(join(cwd, name), yaml);

const load = (env: NodeJS.ProcessEnv = {}): LoadedConfig =>
  loadConfig({ env, cwd }, BUILT_IN_PLUGINS);

const problemsOf = (action: () => unknown): readonly ConfigProblem[] => {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('the settings', () => {
  it('all have defaults', () => {
    expect(load().config).toEqual({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: null,
      trustedProxies: [],
      mongodb: { uri: null },
      dataDir: './.rollgate',
      adminToken: null,
      secretKey: null,
      operators: {
        sessions: { idleTimeout: 1_800_000, maxAge: 43_200_000 },
        oidc: {
          name: 'OpenID',
          issuer: null,
          clientId: null,
          clientSecret: null,
          scopes: ['openid', 'profile', 'email'],
          groupsClaim: 'groups',
          roles: [],
          stepUp: { maxAge: 300_000 },
        },
      },
      branding: { name: null, logo: null, accent: null },
      log: { level: 'info' },
      telemetry: { endpoint: null },
      rateLimit: { perMinute: 600, operatorsPerMinute: 3_000, failedAuthenticationsPerMinute: 300 },
      scim: { bulk: { maxOperations: 1000 } },
      retention: { events: 30 * 86_400_000, commandLog: 90 * 86_400_000 },
      sms: { removeEndedAfter: null },
      shutdown: { graceSeconds: 20 },
      connectors: {},
      plugins: {},
    });
  });

  it('are read from config/rollgate.yaml if it exists', () => {
    given('port: 9000\nretention:\n  events: 12h\n');
    const { config } = load();
    expect(config.port).toBe(9000);
    expect(config.retention).toEqual({ events: 12 * 3_600_000, commandLog: 90 * 86_400_000 });
  });

  it('are read from the file that ROLLGATE_CONFIG names instead', () => {
    given('port: 9000\n');
    given('host: 0.0.0.0\n', 'other.yaml');
    const { config } = load({ ROLLGATE_CONFIG: 'other.yaml' });
    expect([config.host, config.port]).toEqual(['0.0.0.0', 8080]);
  });

  it('have their defaults if the file is empty', () => {
    given('# nothing yet\n');
    expect(load().config.port).toBe(8080);
  });

  it('have a public URL without its trailing slash', () => {
    expect(load({ ROLLGATE_PUBLIC_URL: 'https://id.example.com/gate/' }).config.publicUrl).toBe(
      'https://id.example.com/gate',
    );
  });
});

describe('the environment', () => {
  it('takes precedence over the file', () => {
    given('port: 9000\nlog:\n  level: warn\nplugins:\n  webhooks:\n    allow: [10.0.0.0/8]\n');
    const { config } = load({ ROLLGATE_PORT: '9001', ROLLGATE_WEBHOOKS_RETRY: '1s, 2m' });
    expect(config.port).toBe(9001);
    expect(config.log.level).toBe('warn');
    expect(config.plugins).toEqual({ webhooks: { allow: ['10.0.0.0/8'], retry: ['1s', '2m'] } });
  });

  it('disables retries with an empty retry schedule', () => {
    given('plugins:\n  webhooks:\n    retry: [5s]\n');
    expect(load({ ROLLGATE_WEBHOOKS_RETRY: '' }).config.plugins).toEqual({
      webhooks: { retry: [] },
    });
  });

  it('does not change other settings with an empty variable', () => {
    expect(load({ ROLLGATE_PORT: '', ROLLGATE_ADMIN_TOKEN: '' }).config).toMatchObject({
      port: 8080,
      adminToken: null,
    });
  });

  it('is named in errors about its variables', () => {
    expect(problemsOf(() => load({ ROLLGATE_PORT: '80a' }))).toEqual([
      {
        place: 'environment variable ROLLGATE_PORT',
        key: 'port',
        message: 'expected a whole number from 0 to 65535',
      },
    ]);
  });
});

describe('an error about the file', () => {
  it('contains the line of an unknown setting, and a suggestion', () => {
    given('port: 9000\n\nrateLimit:\n  perMinut: 10\n');
    expect(problemsOf(() => load())).toEqual([
      {
        place: 'config/rollgate.yaml:4',
        key: 'rateLimit.perMinut',
        message: 'unknown setting; did you mean "perMinute"?',
      },
    ]);
  });

  it('lists the allowed settings if none is similar', () => {
    given('log:\n  colour: true\n');
    expect(problemsOf(() => load())[0]?.message).toBe('unknown setting; allowed: level');
  });

  it('lists all problems in the order of their lines', () => {
    given('port: 99999\nlog:\n  level: loud\nretention:\n  events: 3 weeks\nhots: x\n');
    const found = problemsOf(() => load()).map(({ place, key }) => `${place} ${key}`);
    expect(found).toEqual([
      'config/rollgate.yaml:1 port',
      'config/rollgate.yaml:3 log.level',
      'config/rollgate.yaml:5 retention.events',
      'config/rollgate.yaml:6 hots',
    ]);
  });

  it('has a message with the place and key of each problem', () => {
    given('port: high\n');
    expect(() => load()).toThrow(
      'Invalid configuration:\n' +
        '  config/rollgate.yaml:1: port: expected a whole number from 0 to 65535',
    );
  });

  it.each([
    [
      'a setting twice',
      'port: 1\nhost: a\nport: 2\n',
      'config/rollgate.yaml:3',
      /^port is set twice/,
    ],
    ['two documents', 'port: 1\n---\nhost: a\n', 'config/rollgate.yaml:2', /single YAML document/],
    ['text that is not YAML', 'port: [1\nhost: x\n', 'config/rollgate.yaml:2', /./],
    ['a list', '- port\n', 'config/rollgate.yaml:1', /expected settings such as/],
    ['an alias to nothing', 'port: *none\n', 'config/rollgate.yaml', /none/],
  ])('is reported for %s', (_what, yaml, place, message) => {
    given(yaml);
    const [problem] = problemsOf(() => load());
    expect(problem).toMatchObject({ place, key: '' });
    expect(problem?.message).toMatch(message);
  });

  it.each([
    ['a number as text', 'host: 5\n', 'expected text; put values that look like numbers in quotes'],
    ['a word as section', 'log: info\n', 'expected a section with indented settings'],
    ['nothing as section', 'plugins:\n', 'expected a section with indented settings'],
    ['a public URL with a query', 'publicUrl: http://x/?y=1\n', /without user name, query/],
    ['a proxy by name', 'trustedProxies: [proxy.local]\n', /an address or a range/],
    ['all addresses as a proxy', 'trustedProxies: [0.0.0.0/0]\n', /but not all addresses/],
    ['a public URL with a user name', 'publicUrl: http://a:b@x/\n', /without user name, query/],
  ])('describes the expected value for %s', (_what, yaml, message) => {
    given(yaml);
    const [problem] = problemsOf(() => load());
    expect(problem?.message).toMatch(message);
  });

  it('names a file that does not exist', () => {
    expect(problemsOf(() => load({ ROLLGATE_CONFIG: 'missing.yaml' }))).toEqual([
      { place: 'missing.yaml', key: '', message: 'the file does not exist (ENOENT)' },
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('is reported for the key %s', (key) => {
    given(`${key}:\n  polluted: true\n`);
    expect(problemsOf(() => load())[0]).toMatchObject({ place: 'config/rollgate.yaml:1', key });
    expect('polluted' in {}).toBe(false);
  });

  it('is reported for a number where a variable sets a key of a section', () => {
    given('plugins: 3\n');
    expect(problemsOf(() => load({ ROLLGATE_WEBHOOKS_CA: 'x' }))[0]).toMatchObject({
      place: 'config/rollgate.yaml:1',
      key: 'plugins',
    });
  });
});

describe('a secret', () => {
  it('is read from the environment variable that it refers to', () => {
    given('adminToken: { env: MY_TOKEN }\n');
    expect(load({ MY_TOKEN: 'hunter2' }).config.adminToken?.reveal()).toBe('hunter2');
  });

  it('is read from the file that it refers to, without the final line break', () => {
    given('mongodb:\n  uri: { file: uri.txt }\n');
    given('mongodb://db/rollgate\n', 'uri.txt');
    expect(load().config.mongodb.uri?.reveal()).toBe('mongodb://db/rollgate');
  });

  it.each([
    ['{ env: NOT_SET }', 'environment variable NOT_SET is not set'],
    ['" a-token-with-spaces"', 'begins or ends with white space; remove it'],
    ['{ file: none }', 'file none does not exist (ENOENT)'],
    ['{ file: empty }', 'file empty is empty'],
  ])(
    'is reported when it is used if it cannot be found or was pasted badly: %s',
    (reference, message) => {
      given(`port: 1\nadminToken: ${reference}\n`);
      given('\n', 'empty');
      const { adminToken } = load().config;
      expect(problemsOf(() => adminToken?.reveal())).toEqual([
        { place: 'config/rollgate.yaml:2', key: 'adminToken', message },
      ]);
    },
  );

  it('cannot have two references', () => {
    given('adminToken: { env: A, file: b }\n');
    expect(problemsOf(() => load())).toEqual([
      {
        place: 'config/rollgate.yaml:1',
        key: 'adminToken',
        message: 'expected {env: NAME}, {file: path} or the value itself',
      },
    ]);
  });

  it('does not appear in text, dumps or log lines', () => {
    const { config } = load({ ROLLGATE_ADMIN_TOKEN: 'hunter2' });
    const shown = [String(config.adminToken), JSON.stringify(config), inspect(config)].join();
    expect(shown).toContain('(hidden)');
    expect(shown).not.toContain('hunter2');
  });
});

describe("a plugin's section", () => {
  const schema = z.strictObject({
    allow: z.array(z.string()).default([]),
    retry: z.array(durationField('1s', '7d')).prefault(['5s']),
  });

  const examine = (env: NodeJS.ProcessEnv = {}) =>
    validateConfig({ env, cwd }, [{ name: 'webhooks', settings: schema }]);
  const check = () => examine().sections.get('webhooks');

  it('is validated by the schema of the plugin', () => {
    given('plugins:\n  webhooks:\n    allow: [10.0.0.0/8]\n');
    expect(check()).toEqual({
      allow: ['10.0.0.0/8'],
      retry: [5000],
    });
  });

  it('may be missing', () => {
    expect(check()).toEqual({ allow: [], retry: [5000] });
  });

  it('is reported with file and line if it is invalid', () => {
    given('plugins:\n  webhooks:\n    allow:\n      - 10.0.0.0/8\n      - 7\n    retyr: [1s]\n');
    expect(examine().problems).toEqual([
      {
        place: 'config/rollgate.yaml:5',
        key: 'plugins.webhooks.allow[1]',
        message: 'expected text; put values that look like numbers in quotes',
      },
      {
        place: 'config/rollgate.yaml:6',
        key: 'plugins.webhooks.retyr',
        message: 'unknown setting; did you mean "retry"?',
      },
    ]);
  });

  it('is reported with the variable that set the invalid value', () => {
    const env = { ROLLGATE_WEBHOOKS_RETRY: '5s,soon' };
    expect(examine(env).problems).toEqual([
      {
        place: 'environment variable ROLLGATE_WEBHOOKS_RETRY',
        key: 'plugins.webhooks.retry[1]',
        message: 'expected a duration from 1s to 7d, such as 30s, 10m or 6h',
      },
    ]);
  });

  it('says that a required setting is missing, and which variable sets it', () => {
    given('plugins:\n  audit:\n    use: ./audit.js\n');
    const settings = z.strictObject({
      file: z.string(),
      roll: z.strictObject({ maxBytes: z.int() }),
    });
    expect(validateConfig({ env: {}, cwd }, [{ name: 'audit', settings }]).problems).toEqual([
      {
        place: 'config/rollgate.yaml:2',
        key: 'plugins.audit.file',
        message: 'is required; set it here, or by ROLLGATE_AUDIT_FILE',
      },
      {
        place: 'config/rollgate.yaml:2',
        key: 'plugins.audit.roll',
        message: 'is required; set it here, or by ROLLGATE_AUDIT_ROLL',
      },
    ]);
  });

  describe('with a secret', () => {
    const settings = z.strictObject({
      token: secretField(),
      hosts: z.array(z.strictObject({ key: secretField() })).default([]),
    });
    const examineSecret = (env: NodeJS.ProcessEnv = {}) =>
      validateConfig({ env, cwd }, [{ name: 'bridge', settings }]);
    const tokenIn = (env: NodeJS.ProcessEnv = {}): string =>
      (examineSecret(env).sections.get('bridge') as z.output<typeof settings>).token.reveal();

    it.each([
      ['the file', 'token: hunter2', {}],
      ['a variable that the file names', 'token: { env: MY_TOKEN }', { MY_TOKEN: 'hunter2' }],
      ['a file that the file names', 'token: { file: token.txt }', {}],
      ['its variable', 'use: x', { ROLLGATE_BRIDGE_TOKEN: 'hunter2' }],
      ['a file that its variable names', 'use: x', { ROLLGATE_BRIDGE_TOKEN_FILE: 'token.txt' }],
    ])('reads it from %s', (_where, line, env) => {
      given(`plugins:\n  bridge:\n    ${line}\n`);
      given('hunter2\n', 'token.txt');
      expect(tokenIn(env)).toBe('hunter2');
    });

    it('names the line of one that cannot be read', () => {
      given('plugins:\n  bridge:\n    token: { env: NOT_SET }\n');
      expect(problemsOf(() => tokenIn())).toEqual([
        {
          place: 'config/rollgate.yaml:3',
          key: 'plugins.bridge.token',
          message: 'environment variable NOT_SET is not set',
        },
      ]);
    });

    it('shows none, wherever it is set and however deep', () => {
      given('plugins:\n  bridge:\n    token: hunter2\n    hosts: [{ key: hunter3 }]\n');
      const { loaded, sections } = examineSecret({ ROLLGATE_BRIDGE_TOKEN: 'hunter4' });
      const shown = [
        describeConfig(loaded!, [{ name: 'bridge', settings }]),
        [...sections.values()],
        inspect([...sections.values()], { depth: 9 }),
      ];
      expect(JSON.stringify(shown)).not.toMatch(/hunter\d/);
    });
  });
});

describe('the example file', () => {
  const example = readFileSync('config/rollgate.example.yaml', 'utf8');

  it('contains the defaults', () => {
    const { config } = loadConfig({
      env: {},
      cwd,
      path: join(process.cwd(), 'config/rollgate.example.yaml'),
    });
    expect({ ...config, plugins: {} }).toEqual(load().config);
  });

  it.each(listSettings(BUILT_IN_PLUGINS).map(({ key, variable }) => [key, variable] as const))(
    'contains %s and its variable %s',
    (key, variable) => {
      const name = key.split('.').at(-1) ?? '';
      const line = example
        .split('\n')
        .find((text) => new RegExp(`^[ #]*${name}:.*# .*\\b${variable}\\b`).test(text));
      expect(line, `a line "${name}: … # ${variable}"`).toBeDefined();
    },
  );
});
