import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import auditTrail from '../../examples/audit-trail/audit-trail.js';
import chatMessage from '../../examples/chat-message/chat-message.js';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { WebhookRecovery, FullWebhookDelivery } from '../../plugins/webhooks/delivery-view.js';
import {
  ConnectorView,
  ItemView,
  QuarantineView,
  RunView,
} from '../../plugins/connectors/operate/views.js';
import { MappingPreview } from '../../plugins/connectors/operate/preview-mapping.js';
import { TargetView } from '../../plugins/notifications/routes.js';
import { Webhook } from '../../plugins/webhooks/bodies.js';
import * as api from '../../src/plugin/api.js';
import { definePlugin, z } from '../../src/plugin/api.js';
import {
  type ContractOptions,
  pluginContract,
  sampleEvent,
  startTestHost,
} from '../../src/plugin/testing.js';
import { apiExample } from '../support/api-example.js';
import { everything, TRY_EVERYTHING } from './everything-plugin.js';

const WEBHOOK = apiExample(Webhook);
const RECOVERY = apiExample(WebhookRecovery);
const DELIVERY = apiExample(FullWebhookDelivery);

const RUN = apiExample(RunView);
const respondToConnector = (_method: string, path: string): unknown =>
  path.endsWith('/plan') ? { items: [apiExample(ItemView)], next: null } : RUN;

/** What the suite has to know of each built-in plugin. */
const BUILT_IN: Readonly<Record<string, ContractOptions>> = {
  webhooks: {
    subscribe: (host) =>
      host.call('createWebhook', { body: { url: 'https://hook.example/in', events: ['*'] } }),
    items: { webhook: WEBHOOK, delivery: DELIVERY },
    actions: {
      'webhook test': {
        respond: () => ({ delivered: true, status: 200, body: '', duration_ms: 1, error: null }),
      },
      'webhook rotate-secret': { respond: () => ({ secret: 'whsec_x' }) },
      'webhook recover': { fields: { since: '2026-01-31T12:00:00Z' }, respond: () => RECOVERY },
      'webhook recovery': { args: ['r1'], respond: () => RECOVERY },
      'delivery redeliver': { respond: () => DELIVERY },
    },
  },
  notifications: {
    items: { notification: apiExample(TargetView) },
    actions: {
      'notification test': { respond: () => ({ sent: true, duration_ms: 1, error: null }) },
    },
  },
  connectors: {
    items: { connector: apiExample(ConnectorView) },
    actions: {
      'connector check': { respond: () => ({ ok: true, kind: null, message: 'Signed in.' }) },
      'connector discover': {
        respond: () => ({ fields: [{ path: 'mail', title: null, type: null }] }),
      },
      'connector preview': { respond: () => apiExample(MappingPreview) },
      'connector plan': { fields: { run: RUN.id }, respond: respondToConnector },
      'connector run': { respond: respondToConnector },
      'connector report': { args: [RUN.id], respond: respondToConnector },
      'connector runs': { respond: () => ({ runs: [RUN], next: null }) },
      'connector approve': { args: [RUN.id], fields: { plan: 'x' }, respond: respondToConnector },
      'connector reject': { args: [RUN.id], respond: respondToConnector },
      'connector cancel': { args: [RUN.id], respond: respondToConnector },
      'connector quarantine': {
        respond: () => ({ records: [apiExample(QuarantineView)], next: null }),
      },
      'connector retry': { args: ['4711'] },
      'connector ignore': { args: ['4711'] },
      'connector pause': { respond: () => ({ ...apiExample(ConnectorView), open_run: null }) },
      'connector resume': {},
    },
  },
};

/** The smallest durable subscriber: it posts every event to one address. */
const forwarder = definePlugin({
  apiVersion: 1,
  name: 'forwarder',
  title: 'Forwarder',
  description: 'Posts every event to one address.',
  settings: z.strictObject({ url: z.url().default('https://collector.example/') }),
  start: ({ settings: { url }, http, log }) => ({
    subscriber: {
      deliver: async ({ event }, signal) => {
        const body = JSON.stringify(event.data);
        const request = { url, headers: {}, body, timeoutMs: 1_000, bodyLimit: 0 };
        const answer = await http.post(request, signal);
        log.debug({ kind: answer.kind }, 'It was posted.');
        return answer.kind === 'responded'
          ? { kind: 'delivered' }
          : { kind: 'failed', retry: true, reason: answer.fault };
      },
      retry: [1_000],
    },
    health: () => ({ ok: true, message: 'It posts.' }),
  }),
});

for (const plugin of BUILT_IN_PLUGINS)
  describe(`the built-in plugin ${plugin.name}`, () => {
    for (const { title, run } of pluginContract(plugin, BUILT_IN[plugin.name])) it(title, run);
  });

describe('a plugin with a subscriber alone', () => {
  for (const { title, run } of pluginContract(forwarder)) it(title, run);
});

describe('the example audit-trail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollgate-audit-'));
  const settings = { file: join(folder, 'audit.ndjson') };
  for (const { title, run } of pluginContract(auditTrail(api), { settings })) it(title, run);
  afterAll(() => rmSync(folder, { recursive: true }));
});

describe('the example chat-message', () => {
  const settings = { url: 'https://chat.example/hooks/1' };
  for (const { title, run } of pluginContract(chatMessage(api), { settings })) it(title, run);

  it('does not retry once the channel is gone', async () => {
    const answered = { kind: 'responded', headers: {}, body: '', durationMs: 1 } as const;
    for (const [status, retry] of [
      [404, false],
      [410, false],
      [500, true],
    ] as const) {
      const respond = () => ({ ...answered, status });
      const host = await startTestHost(chatMessage(api), { settings, respond });
      const outcomes = await host.deliver(sampleEvent('user.deactivated'));
      expect([...outcomes.values()]).toMatchObject([{ kind: 'failed', retry }]);
      await host.stop();
    }
  });
});

describe('a plugin that uses every feature', () => {
  for (const { title, run } of pluginContract(everything, TRY_EVERYTHING)) it(title, run);
});

describe('the contract suite', () => {
  const failures = async (
    plugin: Parameters<typeof pluginContract>[0],
    options?: ContractOptions,
  ): Promise<readonly string[]> => {
    const failed: string[] = [];
    for (const { title, run } of pluginContract(plugin, options))
      await run().catch(() => failed.push(title));
    return failed;
  };

  it('finds an error in the log, a stream without end and a folder that does not exist', async () => {
    const plugin = definePlugin({
      ...everything,
      start: async (host) => {
        host.log.error({}, 'Something is wrong.');
        const running = await everything.start(host);
        return { ...running, sites: [{ at: '/nowhere', folder: '/does/not/exist' }] };
      },
    });
    expect(await failures(plugin, TRY_EVERYTHING)).toEqual([
      'starts and stops without logging an error, and starts again',
      'serves folders and fallbacks that exist',
    ]);
  });
});

describe('the test host', () => {
  it('shows what a plugin sends, logs and answers', async () => {
    const host = await startTestHost(forwarder, {
      settings: { url: 'https://elsewhere.example/' },
      respond: () => ({
        kind: 'unreachable',
        fault: 'dns',
        message: 'No such name.',
        durationMs: 1,
      }),
    });
    const outcomes = await host.deliver(sampleEvent('group.created'));
    expect([...outcomes]).toEqual([['all', { kind: 'failed', retry: true, reason: 'dns' }]]);
    expect(host.sent).toMatchObject([{ url: 'https://elsewhere.example/' }]);
    expect(host.log).toMatchObject([{ level: 'debug', message: 'It was posted.' }]);
    await host.stop();
  });

  it('changes records as the pipeline does, and shows the new version to the plugin', async () => {
    const host = await startTestHost(BUILT_IN_PLUGINS.find(({ name }) => name === 'webhooks')!);
    const body = { url: 'https://hook.example/in', events: ['user.created'] };
    expect((await host.call('createWebhook', { body })).status).toBe(201);
    expect(host.records()).toHaveLength(1);
    expect(host.tenant().pluginVersions).toEqual({ webhooks: 1 });
    expect((await host.deliver(sampleEvent('user.created'))).size).toBe(1);
    expect((await host.deliver(sampleEvent('user.deleted'))).size).toBe(0);
    expect(host.sent).toHaveLength(1);
    await host.stop();
  });

  it('gives a plugin the live stream, and no way to write to it', async () => {
    const heard: string[] = [];
    const listener = definePlugin({
      ...forwarder,
      start: ({ events$ }) => {
        expect(events$).not.toHaveProperty('next');
        const heard$ = events$.subscribe({
          next: ({ name }) => void heard.push(name),
          error: () => void heard.push('error'),
        });
        return { stop: () => heard$.unsubscribe() };
      },
    });
    const host = await startTestHost(listener);
    host.emit(sampleEvent('user.created'));
    await host.stop();
    host.emit(sampleEvent('user.deleted'));
    expect(heard).toEqual(['user.created']);
  });

  it('names the operation or subscriber that a plugin does not have', async () => {
    const host = await startTestHost(definePlugin({ ...forwarder, start: () => ({}) }));
    await expect(host.call('listThings')).rejects.toThrow(
      'The plugin forwarder has no operation listThings.',
    );
    await expect(host.deliver(sampleEvent('user.created'))).rejects.toThrow(
      'The plugin forwarder subscribes to nothing.',
    );
    await host.stop();
  });

  it('refuses what the gateway would refuse', async () => {
    await expect(startTestHost({ ...forwarder, name: 'For Warder' })).rejects.toThrow(
      'plugins.For Warder: the plugin is named "For Warder"; a name is made of lower-case words',
    );
  });
});
