import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAuthority } from '../../tools/shared/authority.js';
import { openHttpsReceiver } from '../../tools/shared/https-receiver.js';
import {
  type BuiltGateway,
  runBuilt,
  startBuilt,
  writeDeclarations,
} from '../support/built-gateway.js';
import { createTestDatabase } from '../support/database.js';
import { ADMIN_TOKEN, type Client, createClient } from '../support/gateway.js';
import { runCli } from '../support/run-cli.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILD_MS = 300_000;
/** Our declarations in a project that depends on rollgate. */
const RELEASED = /.*\/node_modules\/rollgate\/dist\//;

const run = promisify(execFile);

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

const createTenant = async (
  gateway: BuiltGateway,
  scopes: readonly string[],
): Promise<Client & { readonly key: string }> => {
  const operator = operatorOf(gateway);
  await operator('POST', '/tenants', { slug: 'acme', name: 'Acme' });
  const { body } = await operator<{ key: string }>('POST', '/tenants/acme/api-keys', {
    description: 'test',
    scopes,
  });
  return Object.assign(createClient(`${gateway.url}/v1/acme`, body.key), { key: body.key });
};

const provision = async (tenant: Client, email: string): Promise<string> => {
  const { body } = await tenant<{ id: string }>('POST', '/users', { email });
  return body.id;
};

const USERS = ['api:users:read', 'api:users:write'];

interface AuditLine {
  readonly id: string;
  readonly event: string;
  readonly seq: number;
}

/** Of a file and its rotated files, oldest first. */
const auditLines = (file: string): readonly AuditLine[] => {
  const name = basename(file);
  return readdirSync(dirname(file))
    .filter((other) => other === name || other.startsWith(`${name}.`))
    .sort((one, other) => Number(other.split('.')[2] ?? 0) - Number(one.split('.')[2] ?? 0))
    .flatMap((path) =>
      readFileSync(join(dirname(file), path), 'utf8')
        .trimEnd()
        .split('\n'),
    )
    .map((line) => JSON.parse(line) as AuditLine);
};

describe('the example plugins, each copied as one file', () => {
  it('write an audit trail and post to chats, next to webhooks', async () => {
    // Given two receivers in place of chats, and two instances of each plugin in the configuration
    const authority = await createAuthority();
    const certificate = await authority.issue(['localhost', '127.0.0.1']);
    const chats = [await openHttpsReceiver(certificate), await openHttpsReceiver(certificate)];
    for (const { close } of chats) onTestFinished(close);
    for (const name of ['audit-trail', 'chat-message'])
      cpSync(join(ROOT, 'examples', name, `${name}.js`), join(folder, 'etc', `${name}.js`));
    write('etc/ca.pem', authority.certificate);
    write('etc/chat-url.txt', `${chats[0]!.url}\n`);
    const recent = join(folder, 'recent.ndjson');
    const all = join(folder, 'all.ndjson');
    const trust = 'allow: [127.0.0.0/8], ca: etc/ca.pem';
    write(
      'etc/rollgate.yaml',
      `plugins:
  recent: { use: ./audit-trail.js, enabled: true, file: ${recent}, maxBytes: 1000, keep: 2 }
  audit: { use: ./audit-trail.js, file: ${all}, maxBytes: 1000, keep: 1000 }
  chat: { use: ./chat-message.js, url: { file: etc/chat-url.txt }, ${trust} }
  chat-2: { use: ./chat-message.js, url: { env: SECOND_CHAT_URL }, ${trust} }
`,
    );
    const variables = { ...env(createTestDatabase().uri), SECOND_CHAT_URL: chats[1]!.url };

    // When the configuration is checked and a gateway started
    const check = await runBuilt(['plugin', 'check'], { cwd: folder, env: variables });
    expect(check).toMatchObject({ exitCode: 0, notes: '' });
    expect(check.out).toMatch(/audit +enabled +\.\/audit-trail\.js\n/);
    expect(check.out).toMatch(/chat-2 +enabled +\.\/chat-message\.js\n/);
    const shown = await runBuilt(['config', 'show'], { cwd: folder, env: variables });
    expect(shown.out).toMatch(/plugins\.chat\.url +\(from etc\/chat-url\.txt\)/);
    const first = await startBuilt(folder, variables);
    onTestFinished(() => void first.stop());
    const tenant = await createTenant(first, USERS);
    const ids = [];
    for (const name of ['ada', 'zoe', 'kim', 'lee', 'mia'])
      ids.push(await provision(tenant, `${name}@example.com`));
    await tenant('PATCH', `/users/${ids[1]}`, { display_name: 'Zoë <&>' });
    await tenant('DELETE', `/users/${ids[1]}`);

    // Then each chat receives one message
    for (const { requests } of chats) {
      await vi.waitFor(() => expect(requests).toHaveLength(1), 20_000);
      expect(JSON.parse(String(requests[0]?.body))).toEqual({
        text: 'Zoë &lt;&amp;&gt; was deactivated in acme.',
      });
    }

    // And the files are rotated
    await vi.waitFor(
      () => expect(auditLines(recent).at(-1)?.event).toBe('user.deactivated'),
      20_000,
    );
    expect(existsSync(`${recent}.1`)).toBe(true);
    expect(existsSync(`${recent}.3`)).toBe(false);
    for (const path of [recent, `${recent}.1`, `${recent}.2`])
      expect(statSync(path).size).toBeLessThanOrEqual(1_000);

    // And operators see all of them
    const pluginsOf = async () =>
      (
        await operatorOf(first)<{ plugins: { lag: { pending: number } | null }[] }>(
          'GET',
          '/plugins',
        )
      ).body.plugins;
    // A receiver has a delivery before its acknowledgement is written.
    await vi.waitFor(
      async () =>
        expect((await pluginsOf()).map(({ lag }) => lag?.pending ?? 0)).toEqual(Array(8).fill(0)),
      20_000,
    );
    expect(await pluginsOf()).toMatchObject([
      { name: 'webhooks', use: null, state: 'running', lag: { pending: 0 } },
      { name: 'connectors', use: null, state: 'running', lag: null },
      { name: 'notifications', use: null, state: 'running', lag: null },
      { name: 'dashboard', use: null, state: 'running', lag: null },
      { name: 'recent', use: './audit-trail.js', title: 'Audit trail', version: '1.0.0' },
      { name: 'audit', state: 'running' },
      { name: 'chat', state: 'running', health: { ok: true }, lag: { overdue_seconds: 0 } },
      { name: 'chat-2', use: './chat-message.js', state: 'running' },
    ]);
    const list = await runBuilt(['plugin', 'list', '--url', first.url], {
      cwd: folder,
      env: variables,
    });
    expect(list.out).toMatch(/\naudit +running +\.\/audit-trail\.js +1\.0\.0 +0 /);
    expect(list.out).toMatch(/\nchat-2 +running +\.\/chat-message\.js +1\.0\.0 +0 /);

    // When the gateway is restarted right after further events
    for (const name of ['ben', 'eva', 'tom']) await provision(tenant, `${name}@example.com`);
    expect(await first.stop()).toBe(0);
    const second = await startBuilt(folder, variables);
    onTestFinished(() => void second.stop());
    const { status } = await createClient(`${second.url}/v1/acme`, tenant.key)(
      'DELETE',
      `/users/${ids[0]}`,
    );
    expect(status).toBe(204);

    // Then no event is missing from the audit trail, and none is repeated
    await vi.waitFor(() => {
      const seqs = auditLines(all).map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.map((_seq, index) => index + 1));
      expect(seqs).toHaveLength(11);
    }, 20_000);
    await vi.waitFor(() => expect(chats[0]!.requests).toHaveLength(2), 20_000);
    expect(await second.stop()).toBe(0);
    for (const { url } of chats)
      expect([...first.lines, ...second.lines, shown.out].join('\n')).not.toContain(url);
  });
});

describe('with webhooks disabled', () => {
  const MENTION = /webhook/i;

  it('the gateway serves, and no route, scope, document or help mentions webhooks', async () => {
    // Given a gateway without the plugin, and without notifications, which are sent to webhooks, too
    const off = '{ enabled: false }';
    write('etc/rollgate.yaml', `plugins: { webhooks: ${off}, notifications: ${off} }\n`);
    const { uri } = createTestDatabase();
    const gateway = await startBuilt(folder, env(uri));
    onTestFinished(() => void gateway.stop());
    const tenant = await createTenant(gateway, USERS);
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
    const refused = await operator<object>('POST', '/tenants/acme/api-keys', key);
    expect(refused.status).toBe(400);
    const allowed = { ...refused.body, ...(await tenant<object>('POST', '/nothing', {})).body };
    expect(JSON.stringify(allowed).replace('scopes.0', '')).not.toMatch(MENTION);

    // And nothing mentions them
    for (const path of ['/openapi.json', '/docs/', '/metrics']) {
      const text = await (await fetch(gateway.url + path)).text();
      expect(text.length).toBeGreaterThan(1_000);
      expect(MENTION.exec(text)?.input.slice(0, 0), path).toBeUndefined();
    }
    const { body } = await operator<{ plugins: object[] }>('GET', '/plugins');
    expect(body.plugins).toMatchObject([
      { name: 'connectors', state: 'running' },
      { name: 'dashboard', state: 'running' },
      { name: 'webhooks', use: null, title: null, state: 'disabled', health: null, lag: null },
      { name: 'notifications', state: 'disabled' },
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
    for (const words of [
      ['--help'],
      ['doctor'],
      ['doctor', '--json'],
      ['key', 'create', '--help'],
    ]) {
      const { out, notes } = await runBuilt(words, { cwd: folder, env: env(uri) });
      expect(out.length).toBeGreaterThan(100);
      expect(out + notes).not.toMatch(MENTION);
    }
    expect(await gateway.stop()).toBe(0);
    expect(gateway.lines.join('\n')).not.toMatch(MENTION);
  });
});

describe('the packed package', () => {
  let project: string;

  /** A project outside of the repository that depends on rollgate, as npm would install it. */
  beforeAll(async () => {
    project = join(folder, 'project');
    const installed = join(project, 'node_modules/rollgate');
    mkdirSync(installed, { recursive: true });
    const options = ['--ignore-scripts', '--silent', '--pack-destination', folder];
    await writeDeclarations();
    const { stdout } = await run('npm', ['pack', ...options], { cwd: ROOT });
    await run('tar', ['xzf', join(folder, stdout.trim()), '-C', installed, '--strip-components=1']);
    // Its dependencies, without a registry.
    symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  }, BUILD_MS);

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
      // Errors in declarations of other packages are theirs.
      .filter(({ file }) => !file?.fileName.replace(RELEASED, '').includes('node_modules/'))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\\n'));
    expect(faults).toEqual([]);
  });

  it('runs a plugin of a package and the contract suite, and exports nothing else', async () => {
    // Given a plugin that is a package, and an example
    write('project/node_modules/rollgate-packaged/index.js', PLUGIN);
    write(
      'project/node_modules/rollgate-packaged/package.json',
      '{ "name": "rollgate-packaged", "type": "module", "exports": "./index.js" }',
    );
    write(
      'project/run.mjs',
      `import { pluginContract } from 'rollgate/plugin/testing';
       import * as api from 'rollgate/plugin';
       import packaged from 'rollgate-packaged';
       import auditTrail from './audit-trail.js';
       const settings = { file: 'contract.ndjson' };
       for (const { title, run } of [
         ...pluginContract(packaged),
         ...pluginContract(auditTrail(api), { settings }),
       ])
         await run().catch((error) => { throw new Error(title, { cause: error }); });
       const inside = await import('rollgate/dist/src/domain/ids.js').catch(({ code }) => code);
       console.log('ended', inside);`,
    );
    cpSync(join(ROOT, 'examples/audit-trail/audit-trail.js'), join(project, 'audit-trail.js'));
    write('project/package.json', '{ "type": "module" }');

    // Then both pass the contract suite
    const { stdout } = await run(process.execPath, ['run.mjs'], { cwd: project });
    expect(stdout).toBe('ended ERR_PACKAGE_PATH_NOT_EXPORTED\n');
    expect(readFileSync(join(project, 'contract.ndjson'), 'utf8')).toContain('"user.created"');

    // And the installed command loads them
    write(
      'project/rollgate.yaml',
      'plugins:\n  packaged: { use: rollgate-packaged, wait: 3s }\n' +
        '  audit: { use: ./audit-trail.js, file: audit.ndjson }\n',
    );
    const command = join(project, 'node_modules/rollgate/bin/rollgate.js');
    const words = [command, 'plugin', 'check', '--config', 'rollgate.yaml'];
    const check = await run(process.execPath, words, { cwd: project });
    expect(check.stdout).toMatch(/\npackaged +enabled +rollgate-packaged\naudit +enabled /);
  });
});
