import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority } from '../../tooling/authority.js';
import { openHttpsReceiver } from '../../tooling/https-receiver.js';
import { type BuiltGateway, runBuilt, startBuilt } from '../support/built-gateway.js';
import { createTestDatabase } from '../support/database.js';
import { ADMIN_TOKEN, type Client, createClient } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILD_MS = 300_000;

let folder: string;
/** Outside of the repository: nothing there helps a plugin to find our packages. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollgate-installed-'));
  // The compiler takes its time on a busy machine.
  await runBuilt(['--version'], { cwd: folder });
}, BUILD_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
};

const env = (uri: string) => ({
  ROLLGATE_CONFIG: 'etc/rollgate.yaml',
  ROLLGATE_MONGODB_URI: uri,
  ROLLGATE_DATA_DIR: join(folder, 'data'),
  ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
  ROLLGATE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
});

const operatorOf = ({ url }: BuiltGateway): Client => createClient(`${url}/admin/v1`, ADMIN_TOKEN);

const makeTenant = async (gateway: BuiltGateway, scopes: readonly string[]): Promise<Client> => {
  const operator = operatorOf(gateway);
  await operator('POST', '/tenants', { slug: 'acme', name: 'Acme' });
  const { body } = await operator<{ key: string }>('POST', '/tenants/acme/api-keys', {
    description: 'test',
    scopes,
  });
  return createClient(`${gateway.url}/v1/acme`, body.key);
};

const provision = async (tenant: Client, email: string): Promise<string> => {
  const { body } = await tenant<{ id: string }>('POST', '/users', { email });
  return body.id;
};

const USERS = ['api:users:read', 'api:users:write'];

describe('the example plugins, each copied as one file', () => {
  it('write an audit trail and post to a chat, next to webhooks', async () => {
    // Given a receiver in place of the chat, and both plugins in the configuration
    const authority = await createAuthority();
    const receiver = await openHttpsReceiver(await authority.issue(['localhost', '127.0.0.1']));
    onTestFinished(receiver.close);
    for (const name of ['audit-trail', 'chat-message'])
      cpSync(join(ROOT, 'examples', name, `${name}.js`), join(folder, 'etc', `${name}.js`));
    write('etc/ca.pem', authority.certificate);
    write('etc/chat-url.txt', `${receiver.url}\n`);
    const audit = join(folder, 'audit.ndjson');
    write(
      'etc/rollgate.yaml',
      `plugins:
  audit: { use: ./audit-trail.js, enabled: true, file: ${audit}, maxBytes: 1000, keep: 2 }
  chat:
    use: ./chat-message.js
    url: { file: etc/chat-url.txt }
    allow: [127.0.0.0/8]
    ca: etc/ca.pem
`,
    );
    const { uri } = createTestDatabase();

    // When the configuration is checked and a gateway started
    const check = await runBuilt(['plugin', 'check'], { cwd: folder, env: env(uri) });
    expect(check).toMatchObject({ exitCode: 0, notes: '' });
    expect(check.out).toMatch(/audit +enabled +\.\/audit-trail\.js\n/);
    const shown = await runBuilt(['config', 'show'], { cwd: folder, env: env(uri) });
    expect(shown.out).toMatch(/plugins\.chat\.url +\(from etc\/chat-url\.txt\)/);
    expect(shown.out).not.toContain(receiver.url);
    const gateway = await startBuilt(folder, env(uri));
    onTestFinished(() => void gateway.stop());
    const tenant = await makeTenant(gateway, USERS);
    const ids = [];
    for (const name of ['ada', 'zoe<&>', 'kim', 'lee', 'mia'])
      ids.push(await provision(tenant, `${name.replace(/\W/g, '')}@example.com`));
    await tenant('PATCH', `/users/${ids[1]}`, { display_name: 'Zoë <&>' });
    await tenant('DELETE', `/users/${ids[1]}`);

    // Then the chat gets one message, and the trail every event, oldest file first
    await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 20_000);
    const [message] = receiver.requests;
    expect(JSON.parse(String(message?.body))).toEqual({
      text: 'Zoë &lt;&amp;&gt; was deactivated in acme.',
    });
    const lines = (): readonly { event: string; seq: number }[] =>
      [`${audit}.2`, `${audit}.1`, audit]
        .filter((path) => existsSync(path))
        .flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'))
        .map((line) => JSON.parse(line) as { event: string; seq: number });
    await vi.waitFor(() => expect(lines().at(-1)?.event).toBe('user.deactivated'), 20_000);
    expect(existsSync(`${audit}.1`)).toBe(true);
    expect(existsSync(`${audit}.3`)).toBe(false);
    for (const path of [audit, `${audit}.1`])
      expect(statSync(path).size).toBeLessThanOrEqual(1_000);
    const seqs = lines().map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_seq, index) => seqs[0]! + index));

    // And operators see both
    const { body } = await operatorOf(gateway)<{ plugins: object[] }>('GET', '/plugins');
    expect(body.plugins).toMatchObject([
      { name: 'webhooks', use: null, state: 'running', lag: { pending: 0 } },
      { name: 'audit', use: './audit-trail.js', title: 'Audit trail', version: '1.0.0' },
      { name: 'chat', state: 'running', health: { ok: true }, lag: { overdue_seconds: 0 } },
    ]);
    expect(await gateway.stop()).toBe(0);
    expect(gateway.lines.join('\n')).not.toContain(receiver.url);
  });

  it('stop a start that cannot import them, with a sentence', async () => {
    write('etc/broken.js', 'export default {\n  name: "broken"\n};\n}\n');
    write('etc/rollgate.yaml', 'plugins:\n  broken: { use: ./broken.js }\n');
    const { exitCode, notes } = await runBuilt(['plugin', 'check'], { cwd: folder, env: env('x') });
    expect(exitCode).toBe(1);
    expect(notes).toContain(
      'etc/rollgate.yaml:2: plugins.broken.use: importing ./broken.js failed: SyntaxError: ' +
        `Unexpected token '}'; "node --check" shows the line`,
    );
    const started = await runBuilt(['serve'], { cwd: folder, env: env('x') });
    expect(started.exitCode).toBe(2);
    expect(started.notes).toContain('plugins.broken.use: importing ./broken.js failed');
  });
});

describe('with webhooks disabled', () => {
  const MENTION = /webhook/i;

  it('the gateway serves, and no route, scope, document or help mentions webhooks', async () => {
    // Given a gateway without the plugin
    write('etc/rollgate.yaml', 'plugins: { webhooks: { enabled: false } }\n');
    const { uri } = createTestDatabase();
    const gateway = await startBuilt(folder, env(uri));
    onTestFinished(() => void gateway.stop());
    const tenant = await makeTenant(gateway, USERS);
    const operator = operatorOf(gateway);

    // Then it serves, and records events
    await provision(tenant, 'ada@example.com');
    const { body: log } = await operator<{ events: object[] }>('GET', '/tenants/acme/events');
    expect(log.events).toMatchObject([{ event: 'user.created' }]);

    // And its routes and scopes are unknown
    for (const path of ['/webhooks', '/events'])
      expect((await tenant('GET', path)).status).toBe(404);
    expect((await operator('GET', '/tenants/acme/webhooks')).status).toBe(404);
    const key = { description: 'test', scopes: ['webhooks'] };
    const refused = await operator('POST', '/tenants/acme/api-keys', key);
    expect(refused.status).toBe(400);

    // And nothing mentions them
    for (const path of ['/openapi.json', '/docs/', '/metrics']) {
      const text = await (await fetch(gateway.url + path)).text();
      expect(text.length).toBeGreaterThan(1_000);
      expect(MENTION.exec(text)?.input.slice(0, 0), path).toBeUndefined();
    }
    const { body } = await operator<{ plugins: object[] }>('GET', '/plugins');
    expect(body.plugins).toEqual([
      { name: 'webhooks', use: null, title: null, state: 'disabled', health: null, lag: null },
    ]);
    const help = async (...words: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await runCli([...words, '--help'], { cwd: folder, env: env(uri) });
      const isGroup = words.length === 0 || stdout.includes('\nCommands:\n');
      const [commands = ''] = isGroup ? stdout.split('\nExamples:\n') : [];
      const names = [...commands.matchAll(/^ {2}([a-z-]+) /gm)].flatMap(([, name]) =>
        name === undefined || name.startsWith('-') || name === 'help' ? [] : [name],
      );
      const pages = await Promise.all(names.map((name) => help(...words, name)));
      return [stdout, ...pages.flat()];
    };
    const pages = await help();
    expect(pages.length).toBeGreaterThan(40);
    for (const page of pages) expect(page).not.toMatch(MENTION);
    const unknown = await runCli(['webhook', 'list', 'acme'], { cwd: folder, env: env(uri) });
    expect(unknown.exitCode).toBe(2);
    const checks = await runCli(['doctor', '--json'], { cwd: folder, env: env(uri) });
    expect(checks.stdout).not.toMatch(MENTION);
    expect(await gateway.stop()).toBe(0);
  });
});

describe('the installed package', () => {
  /** A project of somebody else, with rollgate among its packages. */
  const install = (): string => {
    const project = join(folder, 'project');
    mkdirSync(join(project, 'node_modules'), { recursive: true });
    if (!existsSync(join(project, 'node_modules', 'rollgate')))
      symlinkSync(ROOT, join(project, 'node_modules', 'rollgate'));
    return project;
  };

  const PLUGIN = `
    import { definePlugin, durationField, raise, declareRefusal, z } from 'rollgate/plugin';
    const NOT_FOUND = declareRefusal('PACKAGED_NOT_FOUND', 'missing', 'It is not there.');
    export default definePlugin({
      apiVersion: 1,
      name: 'packaged',
      title: 'Packaged',
      description: 'Comes as a package.',
      settings: z.strictObject({ wait: durationField('1s', '1d').prefault('5s') }),
      refusals: [NOT_FOUND],
      start: ({ settings, log }) => ({
        subscriber: {
          route: () => ['all'],
          deliver: async ({ event, attempt }) => {
            log.info({ attempt, wait: settings.wait.toFixed() }, event.name);
            return attempt > 3 ? raise(NOT_FOUND, 'It is not there.') : { kind: 'delivered' };
          },
        },
      }),
    });`;

  it('has types for plugins and their tests, strict ones', () => {
    const project = install();
    write('project/plugin.mts', PLUGIN);
    write(
      'project/test.mts',
      `import { pluginContract, sampleEvent, startTestHost } from 'rollgate/plugin/testing';
       import packaged from './plugin.mjs';
       export const titles: readonly string[] = pluginContract(packaged).map(({ title }) => title);
       const host = await startTestHost(packaged, { settings: { wait: '10s' } });
       const outcomes = await host.deliver(sampleEvent('user.created'));
       export const kinds: string[] = [...outcomes.values()].map(({ kind }) => kind);
       // @ts-expect-error there is no such event
       sampleEvent('user.flew');
       await host.stop();`,
    );
    const program = ts.createProgram([join(project, 'plugin.mts'), join(project, 'test.mts')], {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    });
    const faults = ts
      .getPreEmitDiagnostics(program)
      // Only what of ours is wrong: declarations of others are theirs.
      .filter(({ file }) => !file?.fileName.includes('node_modules/'))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\\n'));
    expect(faults).toEqual([]);
  });

  it('runs a plugin of a package and its contract suite, and exports nothing else', async () => {
    const project = install();
    write('project/node_modules/rollgate-packaged/index.js', PLUGIN);
    write(
      'project/node_modules/rollgate-packaged/package.json',
      '{ "name": "rollgate-packaged", "type": "module", "exports": "./index.js" }',
    );
    write(
      'project/run.mjs',
      `import { pluginContract } from 'rollgate/plugin/testing';
       import packaged from 'rollgate-packaged';
       for (const { title, run } of pluginContract(packaged)) {
         await run().catch((error) => { throw new Error(title, { cause: error }); });
       }
       const inside = await import('rollgate/dist/src/domain/ids.js').catch(({ code }) => code);
       console.log('ended', inside);`,
    );
    const { promisify } = await import('node:util');
    const { execFile } = await import('node:child_process');
    const { stdout } = await promisify(execFile)(process.execPath, [join(project, 'run.mjs')]);
    expect(stdout).toBe('ended ERR_PACKAGE_PATH_NOT_EXPORTED\n');
    write('project/rollgate.yaml', 'plugins: { packaged: { use: rollgate-packaged, wait: 3s } }\n');
    const check = await runBuilt(['plugin', 'check', 'rollgate.yaml'], { cwd: project });
    expect(check).toMatchObject({ exitCode: 0, notes: '' });
  });
});
