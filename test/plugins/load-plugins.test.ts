import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inspectConfig } from '../../src/start/check-config.js';
import { loadPlugins, type Plugin } from '../../src/start/load-extensions.js';
import { definePlugin, z } from '../../src/plugin/api.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollgate-plugins-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const BUILT_IN = definePlugin({
  apiVersion: 1,
  name: 'bridge',
  title: 'Bridge',
  description: 'Is built in.',
  settings: z.strictObject({ port: z.int().default(1) }),
  start: () => ({}),
});

/** The source of a plugin; `more` are further lines of its definition. */
const source = (name: string, more = ''): string =>
  `export default { apiVersion: 1, name: '${name}', title: 'T', description: 'D.',
     ${more} start: () => ({}) };`;

const options = (env: NodeJS.ProcessEnv = {}) => ({ env, cwd: folder, path: 'etc/rollgate.yaml' });

const load = async (
  yaml: string,
  { env = {}, builtIns = [BUILT_IN] }: { env?: NodeJS.ProcessEnv; builtIns?: Plugin[] } = {},
) => {
  write('etc/rollgate.yaml', yaml);
  return loadPlugins(options(env), builtIns);
};

/** Everything that is wrong, as an operator reads it. */
const problemsOf = async (...given: Parameters<typeof load>): Promise<readonly string[]> => {
  const plugins = await load(...given);
  const { problems } = inspectConfig(options(given[1]?.env), plugins);
  return problems.map(({ place, key, message }) => `${place}: ${key}: ${message}`);
};

describe('a built-in plugin', () => {
  it('is enabled without a section', async () => {
    const { enabled, disabled } = await load('');
    expect(enabled).toEqual([{ name: 'bridge', plugin: BUILT_IN, source: 'bridge' }]);
    expect(disabled).toEqual([]);
  });

  it.each([
    ['the file', 'plugins: { bridge: { enabled: false, port: nonsense } }', {}],
    ['a variable', '', { ROLLGATE_BRIDGE_ENABLED: 'false' }],
    [
      'a variable over the file',
      'plugins: { bridge: { enabled: true } }',
      {
        ROLLGATE_PLUGINS_BRIDGE_ENABLED: 'false',
      },
    ],
  ])('is disabled by %s, and its settings are not checked then', async (_what, yaml, env) => {
    expect(await problemsOf(yaml, { env: { ...env, ROLLGATE_BRIDGE_COLOUR: 'red' } })).toEqual([]);
    const { enabled, disabled } = await load(yaml, { env });
    expect([enabled, disabled]).toEqual([[], [{ name: 'bridge' }]]);
  });
});

describe('a plugin of a file', () => {
  it('is found from the folder of the configuration file', async () => {
    write('etc/own/audit.mjs', source('audit-trail'));
    const { enabled, problems } = await load('plugins: { audit: { use: ./own/audit.mjs } }');
    expect(problems).toEqual([]);
    expect(enabled[1]).toMatchObject({
      name: 'audit',
      use: './own/audit.mjs',
      plugin: { name: 'audit-trail' },
    });
  });

  it('may be an absolute path, CommonJS, or a function that is given the contract', async () => {
    write('a.mjs', source('a'));
    write('etc/b.cjs', source('b').replace('export default', 'module.exports ='));
    write(
      'etc/c.mjs',
      `export default ({ definePlugin, z, declareScope }) => definePlugin({ apiVersion: 1, name: 'c',
         title: 'C', description: 'D.', settings: z.strictObject({ n: z.int().default(2) }),
         scopes: [{ scope: declareScope('c:read'), allows: 'read' }], start: () => ({}) });`,
    );
    const { enabled, problems } = await load(
      `plugins: { a: { use: ${join(folder, 'a.mjs')} }, b: { use: ./b.cjs }, c: { use: ./c.mjs } }`,
    );
    expect(problems).toEqual([]);
    expect(enabled.map(({ plugin }) => plugin.name)).toEqual(['bridge', 'a', 'b', 'c']);
  });

  it('is not imported while it is disabled', async () => {
    write('etc/a.mjs', 'throw new Error("It was imported.");');
    const plugins = await load('plugins: { a: { use: ./a.mjs, enabled: false, any: setting } }');
    expect(plugins).toMatchObject({
      problems: [],
      disabled: [{ name: 'a', use: './a.mjs' }],
    });
  });
});

describe('a plugin of a package', () => {
  const PACKAGE = JSON.stringify({
    name: 'rollgate-audit',
    type: 'module',
    exports: { '.': { import: './index.js' } },
  });

  it('is found as Node finds it from the folder of the configuration file', async () => {
    write('node_modules/rollgate-audit/package.json', PACKAGE);
    write('node_modules/rollgate-audit/index.js', source('audit'));
    const { enabled, problems } = await load('plugins: { audit: { use: rollgate-audit } }');
    expect(problems).toEqual([]);
    expect(enabled[1]).toMatchObject({ name: 'audit', use: 'rollgate-audit' });
  });
});

describe('what cannot be used is reported in one sentence with its place', () => {
  const AT = 'etc/rollgate.yaml:1: plugins.audit.use: ';

  it.each<[string, string, string]>([
    ['a path that does not exist', './none.mjs', 'the file <folder>/etc/none.mjs does not exist'],
    ['a folder', '.', '<folder>/etc is a folder; name the file of the plugin in it'],
    [
      'a package that is not installed',
      'none-such',
      'the package "none-such" is not installed in <folder>/etc or a folder above it; install it ' +
        'there, or begin the path of a file with "./"',
    ],
    ['an error on import', './throws.mjs', 'importing ./throws.mjs failed: Error: no licence'],
    [
      'an import that is missing',
      './imports.mjs',
      "importing ./imports.mjs failed: Error: Cannot find package 'nowhere-to-be-found' imported " +
        'from <folder>/etc/imports.mjs',
    ],
    [
      'no default export',
      './empty.mjs',
      './empty.mjs is not a plugin: its default export must be what definePlugin returns, or a ' +
        'function that returns it',
    ],
    [
      'another object',
      './object.mjs',
      './object.mjs is not a plugin: it does not state its apiVersion',
    ],
    [
      'no start',
      './no-start.mjs',
      './no-start.mjs is not a plugin: its start is missing or malformed',
    ],
    [
      'another version of the contract',
      './later.mjs',
      './later.mjs is written for version 2 of the plugin API, and this gateway has version 1; ' +
        'install a release of it for version 1',
    ],
    [
      'a malformed name',
      './name.mjs',
      'the plugin is named "Audit Trail"; a name is made of lower-case words joined by hyphens',
    ],
    [
      'a reserved setting',
      './reserved.mjs',
      'the plugin "audit" declares a setting "enabled", which belongs to Rollgate',
    ],
    [
      'settings that are not strict',
      './loose.mjs',
      'the settings of the plugin "audit" must be declared with z.strictObject',
    ],
    [
      'a scope of another name',
      './scope.mjs',
      'the plugin "audit" declares the scope "users:read"; its scopes must be "audit" or begin with ' +
        '"audit:"',
    ],
    [
      'a scope of the core',
      './core-scope.mjs',
      'importing ./core-scope.mjs failed: TypeError: "usage" is a scope of the core; an extension ' +
        'declares its own.',
    ],
    [
      'a code like those of the core',
      './code.mjs',
      'the plugin "audit" declares an error code that begins with USER_, like codes of the core; use ' +
        'another prefix',
    ],
    [
      'a changeScope that is none of its scopes',
      './change.mjs',
      'the plugin "audit" does not declare its changeScope "audit:write" as a scope',
    ],
    [
      'a malformed collection',
      './collection.mjs',
      'the plugin "audit" names a collection "My entries"; use lower-case words joined by hyphens',
    ],
  ])('%s', async (_what, use, message) => {
    const api = (body: string): string => `export default ({ z, declareScope, declareRefusal }) => {
      const plugin = { apiVersion: 1, name: 'audit', title: 'T', description: 'D.', start() {} };
      return { ...plugin, ${body} };
    };`;
    write('etc/throws.mjs', 'throw new Error("no licence");');
    write('etc/imports.mjs', 'import "nowhere-to-be-found";');
    write('etc/empty.mjs', 'export const plugin = 1;');
    write('etc/object.mjs', 'export default { name: "audit" };');
    write('etc/no-start.mjs', source('audit').replace('start:', 'begin:'));
    write('etc/later.mjs', source('audit').replace('apiVersion: 1', 'apiVersion: 2'));
    write('etc/name.mjs', source('Audit Trail'));
    write('etc/reserved.mjs', api('settings: z.strictObject({ enabled: z.boolean() })'));
    write('etc/loose.mjs', api('settings: z.object({ a: z.string().default("") })'));
    write('etc/scope.mjs', api('scopes: [{ scope: declareScope("users:read"), allows: "x" }]'));
    write('etc/core-scope.mjs', api('scopes: [{ scope: declareScope("usage"), allows: "x" }]'));
    write('etc/code.mjs', api('refusals: [declareRefusal("USER_LOST", "missing", "No.")]'));
    write('etc/change.mjs', api('changeScope: declareScope("audit:write")'));
    write('etc/collection.mjs', api('collections: ["My entries"]'));
    const problems = await problemsOf(`plugins: { audit: { use: ${use} } }`);
    expect(problems).toEqual([AT + message.replaceAll('<folder>', folder)]);
  });

  it.each<[string, string, string]>([
    [
      'a section without use',
      'plugins: { audit: { file: x } }',
      'plugins.audit: no built-in plugin has this name (built in: bridge); to load your own plugin, ' +
        'set "use" to its file or package',
    ],
    [
      'a section with a typo',
      'plugins: { brigde: { port: 2 } }',
      'plugins.brigde: no built-in plugin has this name; did you mean "bridge"? Otherwise, to load ' +
        'your own plugin, set "use" to its file or package',
    ],
    [
      'the name of a built-in plugin for another one',
      'plugins: { bridge: { use: ./audit.mjs } }',
      'plugins.bridge: the name "bridge" belongs to a built-in plugin; use another name for ' +
        './audit.mjs',
    ],
    [
      'a malformed key',
      'plugins: { My_audit: { use: ./audit.mjs } }',
      'plugins.My_audit: expected a name of lower-case words joined by hyphens',
    ],
    [
      'a malformed use',
      'plugins: { audit: { use: 7 } }',
      'plugins.audit.use: expected a path or the name of a package',
    ],
    [
      'a malformed enabled',
      'plugins: { audit: { use: ./audit.mjs, enabled: sometimes } }',
      'plugins.audit.enabled: expected true or false',
    ],
    [
      'an unknown setting',
      'plugins: { audit: { use: ./audit.mjs, flie: x } }',
      'plugins.audit.flie: unknown setting; did you mean "file"?',
    ],
    [
      'a setting of another form',
      'plugins: { audit: { use: ./audit.mjs, file: 7 } }',
      'plugins.audit.file: expected text; put values that look like numbers in quotes',
    ],
    [
      'a number out of bounds',
      'plugins: { audit: { use: ./audit.mjs, keep: 11 } }',
      'plugins.audit.keep: expected at most 10',
    ],
    [
      'an empty text',
      'plugins: { audit: { use: ./audit.mjs, file: "" } }',
      'plugins.audit.file: expected at least 1 character',
    ],
    [
      'a missing setting',
      'plugins: { audit: { use: ./required.mjs } }',
      'plugins.audit.token: is required; set it here, or by ROLLGATE_AUDIT_TOKEN',
    ],
    [
      'a secret that cannot be read',
      'plugins: { audit: { use: ./required.mjs, token: { env: NOT_SET } } }',
      'plugins.audit.token: environment variable NOT_SET is not set',
    ],
    [
      'two sections of a plugin that does not support it',
      'plugins: { audit: { use: ./audit.mjs }, other: { use: ./audit.mjs } }',
      'plugins.other.use: the plugin "audit" is configured as plugins.audit already and cannot be ' +
        'configured twice; remove one of the sections',
    ],
    [
      'two plugins of one name',
      'plugins: { audit: { use: ./audit.mjs }, other: { use: ./required.mjs } }',
      'plugins.other.use: the plugin is named "audit", like the one of plugins.audit; two plugins ' +
        'cannot share a name',
    ],
    [
      'a plugin named like a built-in one',
      'plugins: { audit: { use: ./bridge.mjs } }',
      'plugins.audit.use: the plugin is named "bridge", like the one of plugins.bridge; two plugins ' +
        'cannot share a name',
    ],
  ])('%s', async (_what, yaml, message) => {
    const settings = (fields: string): string =>
      `export default ({ z, secretField }) => ({ apiVersion: 1, name: 'audit', title: 'T',
         description: 'D.', settings: z.strictObject({ ${fields} }), start: () => ({}) });`;
    write(
      'etc/audit.mjs',
      settings('file: z.string().min(1).default("audit.log"), keep: z.int().max(10).default(1)'),
    );
    write('etc/required.mjs', settings('token: secretField()'));
    write('etc/bridge.mjs', source('bridge'));
    expect(await problemsOf(yaml)).toEqual([`etc/rollgate.yaml:1: ${message}`]);
  });

  it('and all of them are reported at once, in the order of the lines', async () => {
    write('etc/audit.mjs', source('audit', 'settings: undefined,'));
    const { enabled, problems, sections } = await load(
      'plugins:\n  a: { use: ./none.mjs }\n  b: { enabled: 7, use: x }\n  c: {}\n' +
        '  audit: { use: ./audit.mjs }\n  d: { use: none-such }\n',
    );
    expect(problems.map(({ key }) => key)).toEqual([
      'plugins.b.enabled',
      'plugins.c',
      'plugins.a.use',
      'plugins.d.use',
    ]);
    expect(enabled.map(({ name }) => name)).toEqual(['bridge', 'audit']);
    expect(sections.filter(({ isEnabled }) => isEnabled).map(({ name }) => name)).toEqual([
      'bridge',
      'audit',
    ]);
  });
});

describe('two sections with one plugin that supports it', () => {
  it('have settings and variables of their own', async () => {
    write(
      'etc/audit.mjs',
      `export default ({ z }) => ({ apiVersion: 1, name: 'audit', title: 'T', description: 'D.',
         multiple: true, settings: z.strictObject({ file: z.string() }), start: () => ({}) });`,
    );
    const plugins = await load(
      'plugins:\n  audit-eu: { use: ./audit.mjs, file: eu.log }\n  audit-us: { use: ./audit.mjs }\n',
    );
    const env = { ROLLGATE_AUDIT_US_FILE: 'us.log' };
    const { problems, plugins: configured } = inspectConfig(options(env), plugins);
    expect(problems).toEqual([]);
    expect(configured.enabled.map(({ name, settings }) => [name, settings])).toEqual([
      ['bridge', { port: 1 }],
      ['audit-eu', { file: 'eu.log' }],
      ['audit-us', { file: 'us.log' }],
    ]);
  });
});
