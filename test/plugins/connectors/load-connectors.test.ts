import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeConfig } from '../../../config/describe-config.js';
import { configJsonSchema } from '../../../config/config-json-schema.js';
import { inspectConfig } from '../../../src/start/check-config.js';
import { loadPlugins } from '../../../src/start/load-extensions.js';
import { defineConnector, secretField, z } from '../../../src/plugin/api.js';
import { defineConnectorRunner } from '../../../src/plugin/connectors-api.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollgate-connectors-'));
  mkdirSync(join(folder, 'etc'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const HOST = defineConnectorRunner({
  apiVersion: 1,
  name: 'host',
  title: 'Host',
  description: 'Runs connectors.',
  connectorOptions: z.strictObject({
    schedule: z.string().default('daily').describe('When it runs.'),
  }),
  checkConnectorOptions: () => [],
  mapRecords: () => Promise.reject(new Error('unused')),
  start: () => ({}),
});

const SOURCE = defineConnector({
  apiVersion: 1,
  name: 'directory',
  title: 'Directory',
  description: 'Reads a directory.',
  triedAgainst: 'server',
  settings: z.strictObject({
    url: z.string().describe('Where it is.'),
    password: secretField().describe('The password.'),
    pages: z.int().default(5).describe('How many.'),
  }),
  record: z.looseObject({}) as never,
  mapping: { userName: 'name' },
  start: () => ({ check: () => Promise.reject(new Error()), read: () => ({}) as never }),
});

const BUILT_IN = { directory: () => Promise.resolve({ default: SOURCE }) };

const load = async (yaml: string, env: NodeJS.ProcessEnv = {}, plugins = [HOST]) => {
  const path = join(folder, 'etc/rollgate.yaml');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, yaml);
  const options = { env, cwd: folder, path: 'etc/rollgate.yaml' };
  const loaded = await loadPlugins(options, plugins, BUILT_IN);
  return inspectConfig(options, loaded);
};

const problemsOf = async (...given: Parameters<typeof load>): Promise<readonly string[]> => {
  const { problems, connectorProblems } = await load(...given);
  expect(problems).toEqual([]);
  return connectorProblems.map(({ place, key, message }) => `${place}: ${key}: ${message}`);
};

const FINE = 'tenant: acme, settings: { url: ldap://x, password: hunter2 }';

describe('a section under connectors', () => {
  it('is parsed by Rollgate, the connector and the plugin that runs it', async () => {
    const { plugins, problems, connectorProblems } = await load(
      `connectors: { hr: { use: directory, ${FINE}, schedule: hourly, allow: [10.0.0.0/8] } }`,
    );
    expect([problems, connectorProblems]).toEqual([[], []]);
    expect(plugins.connectors).toMatchObject([
      {
        name: 'hr',
        use: 'directory',
        tenant: 'acme',
        isEnabled: true,
        connector: SOURCE,
        section: {
          tenant: 'acme',
          isolation: 'process',
          allow: ['10.0.0.0/8'],
          settings: { url: 'ldap://x', pages: 5 },
          schedule: 'hourly',
        },
      },
    ]);
  });

  it.each([
    ['worker', 'process'],
    ['none', 'none'],
  ])('may be set to isolation: %s', async (given, isolation) => {
    const { plugins, connectorProblems } = await load(
      `connectors: { hr: { use: directory, ${FINE}, isolation: ${given} } }`,
    );
    expect(connectorProblems).toEqual([]);
    expect(plugins.connectors[0]?.section).toMatchObject({ isolation });
  });

  it('needs no `use` if it has the name of a built-in connector', async () => {
    expect(await problemsOf(`connectors: { directory: { ${FINE} } }`)).toEqual([]);
  });

  it('may be set by variables', async () => {
    const { plugins, problems } = await load('connectors: { hr: { use: directory } }', {
      ROLLGATE_CONNECTORS_HR_TENANT: 'acme',
      ROLLGATE_CONNECTORS_HR_SCHEDULE: 'weekly',
      ROLLGATE_CONNECTORS_HR_SETTINGS_URL: 'ldap://y',
      ROLLGATE_CONNECTORS_HR_SETTINGS_PASSWORD: 'hunter2',
    });
    expect(problems).toEqual([]);
    expect(plugins.connectors[0]?.section).toMatchObject({
      tenant: 'acme',
      schedule: 'weekly',
      settings: { url: 'ldap://y' },
    });
  });

  it('is found from the folder of the file, also as the template that Rollgate writes', async () => {
    cpSync('connectors/template/__NAME__.mjs', join(folder, 'etc/own.mjs'));
    const { plugins, connectorProblems } = await load(
      'connectors: { hr: { use: ./own.mjs, tenant: acme, settings: { url: x, token: t123 } } }',
    );
    // Its name is a placeholder.
    expect(connectorProblems.map(({ message }) => message)).toEqual([
      'the connector is named "__NAME__"; a name is made of lower-case words joined by hyphens',
    ]);
    expect(plugins.connectors[0]).toMatchObject({ connector: null, section: null });
  });

  it('that is disabled is neither imported nor checked', async () => {
    const yaml = 'connectors: { hr: { use: ./none.mjs, enabled: false, any: setting } }';
    const { plugins, connectorProblems } = await load(yaml, {
      ROLLGATE_CONNECTORS_HR_ANY: 'thing',
    });
    expect(connectorProblems).toEqual([]);
    expect(plugins.connectors[0]).toMatchObject({ isEnabled: false, connector: null });
  });
});

describe('an error of a connector does not stop the gateway, and is one sentence with its place', () => {
  const AT = 'etc/rollgate.yaml:1: connectors.hr';

  it.each([
    [
      'no such connector',
      '{ tenant: acme }',
      `${AT}: set "use" to a built-in connector (directory), a package, or the path of a file`,
    ],
    [
      'a file that does not exist',
      '{ use: ./none.mjs, tenant: acme }',
      `${AT}.use: the file <folder>/etc/none.mjs does not exist`,
    ],
    [
      'an unknown option',
      `{ use: directory, ${FINE}, scheduel: daily }`,
      `${AT}.scheduel: unknown setting; did you mean "schedule"?`,
    ],
    [
      'an unknown setting',
      '{ use: directory, tenant: acme, settings: { url: x, password: hunter2, page: 1 } }',
      `${AT}.settings.page: unknown setting; did you mean "pages"?`,
    ],
    [
      'a required setting',
      '{ use: directory, tenant: acme, settings: { password: hunter2 } }',
      `${AT}.settings.url: is required; set it here, or by ROLLGATE_CONNECTORS_HR_SETTINGS_URL`,
    ],
    [
      'no tenant',
      '{ use: directory, settings: { url: x, password: hunter2 } }',
      `${AT}.tenant: is required; set it here, or by ROLLGATE_CONNECTORS_HR_TENANT`,
    ],
    [
      'an address range',
      `{ use: directory, ${FINE}, allow: [everything] }`,
      `${AT}.allow[0]: expected an address or a range such as 10.1.0.0/16`,
    ],
    [
      'a secret that is not there',
      '{ use: directory, tenant: acme, settings: { url: x, password: { env: NONE } } }',
      `${AT}.settings.password: environment variable NONE is not set`,
    ],
  ])('%s', async (_what, section, expected) => {
    const found = await problemsOf(`connectors: { hr: ${section} }`);
    expect(found).toEqual([expected.replace('<folder>', folder)]);
  });

  it('a section that is no map', async () => {
    expect(await problemsOf('connectors: { hr: 5 }')).toHaveLength(1);
  });

  it('no plugin runs connectors', async () => {
    const { connectorProblems, plugins } = await load(
      `connectors: { hr: { use: directory, ${FINE} } }`,
      {},
      [],
    );
    expect(connectorProblems.map(({ message }) => message)).toEqual([
      'no enabled plugin runs connectors; enable the plugin "connectors"',
    ]);
    expect(plugins.connectors[0]?.section).toBeNull();
  });

  it('a plugin in its place, and the other way round', async () => {
    writeFileSync(
      join(folder, 'etc/plugin.mjs'),
      `export default { apiVersion: 1, name: 'p', title: 'T', description: 'D.', start: () => ({}) };`,
    );
    expect(await problemsOf('connectors: { hr: { use: ./plugin.mjs, tenant: acme } }')).toEqual([
      `${AT}.use: ./plugin.mjs is not a connector: its record is missing or malformed`,
    ]);
    cpSync('connectors/template/__NAME__.mjs', join(folder, 'etc/own.mjs'));
    const { problems } = await load('plugins: { hr: { use: ./own.mjs } }');
    expect(problems.map(({ message }) => message)).toEqual([
      './own.mjs is a connector; configure it under "connectors"',
    ]);
  });
});

describe('the settings of a connector', () => {
  it('are shown without secrets, and described for editors', async () => {
    const path = join(folder, 'etc/rollgate.yaml');
    writeFileSync(path, `connectors: { hr: { use: directory, ${FINE} } }`);
    const options = { env: {}, cwd: folder, path: 'etc/rollgate.yaml' };
    const found = await loadPlugins(options, [HOST], BUILT_IN);
    const { loaded } = inspectConfig(options, found);
    const lines = describeConfig(loaded!, found.sections).filter(({ key }) =>
      key.startsWith('connectors.'),
    );
    expect(Object.fromEntries(lines.map(({ key, value }) => [key, value]))).toEqual({
      'connectors.hr.enabled': true,
      'connectors.hr.schedule': 'daily',
      'connectors.hr.tenant': 'acme',
      'connectors.hr.isolation': 'process',
      'connectors.hr.allow': [],
      'connectors.hr.ca': null,
      'connectors.hr.settings.url': 'ldap://x',
      'connectors.hr.settings.password': '(hidden)',
      'connectors.hr.settings.pages': 5,
    });
    expect(lines.map(({ variable }) => variable)).toContain(
      'ROLLGATE_CONNECTORS_HR_SETTINGS_PASSWORD',
    );
    const schema = configJsonSchema(found.sections);
    expect(schema).toMatchObject({
      properties: {
        connectors: {
          properties: {
            hr: { properties: { schedule: {}, settings: { properties: { url: {} } } } },
          },
        },
      },
    });
  });
});
