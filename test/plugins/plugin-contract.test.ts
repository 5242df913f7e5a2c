import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BUILT_IN_PLUGINS } from '../../plugins/index.js';
import { definePlugin } from '../../src/plugin/define-plugin.js';
import { openBench, sampleEvent } from '../../src/plugin/testing.js';
import { pluginContract, type PluginUnderTest } from '../contract/plugin-contract.js';

/** How each built-in plugin comes to be owed events. */
const SUBSCRIBE: Readonly<Record<string, NonNullable<PluginUnderTest['subscribe']>>> = {
  webhooks: (bench) =>
    bench.call('createWebhook', { body: { url: 'https://hook.example/in', events: ['*'] } }),
};

/** The smallest durable subscriber: it posts every event to one address. */
const forwarder = definePlugin({
  name: 'forwarder',
  title: 'Forwarder',
  description: 'Posts every event to one address.',
  settings: z.strictObject({ url: z.url().default('https://collector.example/') }),
  start: ({ settings: { url }, http, log }) => ({
    subscriber: {
      prepare: () => undefined,
      route: () => [url],
      serving: (_tenantId, keys) => Promise.resolve(new Set(keys)),
      deliver: async ({ event }, signal) => {
        const body = JSON.stringify(event.data);
        const request = { url, headers: {}, body, timeoutMs: 1_000, bodyLimit: 0 };
        const answer = await http.post(request, signal);
        log.debug({ kind: answer.kind }, 'It was posted.');
        return answer.kind === 'answered'
          ? { kind: 'delivered' }
          : { kind: 'failed', retry: true, reason: answer.fault };
      },
      retrySchedule: [1_000],
      concurrencyPerKey: 1,
    },
    health: () => ({ ok: true, message: 'It posts.' }),
  }),
});

for (const plugin of BUILT_IN_PLUGINS) {
  const subscribe = SUBSCRIBE[plugin.name];
  describe(`the built-in plugin ${plugin.name}`, () =>
    pluginContract({ plugin, ...(subscribe && { subscribe }) }));
}

describe('a plugin of somebody else', () => pluginContract({ plugin: forwarder }));

describe('the built-in plugins together', () => {
  it('have operations with an id and an address of their own each', async () => {
    const benches = await Promise.all(BUILT_IN_PLUGINS.map((plugin) => openBench(plugin)));
    const routes = benches.flatMap(({ running }) => running.routes ?? []);
    const ids = new Set(routes.map(({ operationId }) => operationId));
    const places = new Set(routes.map(({ api, method, path }) => `${api} ${method} ${path}`));
    expect([ids.size, places.size]).toEqual([routes.length, routes.length]);
    await Promise.all(benches.map((bench) => bench.stop()));
  });
});

describe('the testing kit', () => {
  it('shows what a plugin sends, says and answers', async () => {
    const bench = await openBench(forwarder, {
      settings: { url: 'https://elsewhere.example/' },
      answer: () => ({
        kind: 'unreachable',
        fault: 'dns',
        message: 'No such name.',
        durationMs: 1,
      }),
    });
    const outcomes = await bench.deliver(sampleEvent('group.created'));
    expect([...outcomes]).toEqual([
      ['https://elsewhere.example/', { kind: 'failed', retry: true, reason: 'dns' }],
    ]);
    expect(bench.sent).toMatchObject([{ url: 'https://elsewhere.example/' }]);
    expect(bench.log).toMatchObject([{ level: 'debug', message: 'It was posted.' }]);
  });

  it('changes records as the lane does, and lets the plugin see the new version', async () => {
    const bench = await openBench(BUILT_IN_PLUGINS.find(({ name }) => name === 'webhooks')!);
    const body = { url: 'https://hook.example/in', events: ['user.created'] };
    expect((await bench.call('createWebhook', { body })).status).toBe(201);
    expect(bench.records()).toHaveLength(1);
    expect(bench.tenant().pluginVersions).toEqual({ webhooks: 1 });
    expect((await bench.deliver(sampleEvent('user.created'))).size).toBe(1);
    expect((await bench.deliver(sampleEvent('user.deleted'))).size).toBe(0);
    expect(bench.sent).toHaveLength(1);
    await bench.stop();
    expect(bench.notes.size).toBe(1);
  });

  it('hands a plugin the live stream, and no way to write to it', async () => {
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
    const bench = await openBench(listener);
    bench.emit(sampleEvent('user.created'));
    await bench.stop();
    bench.emit(sampleEvent('user.deleted'));
    expect(heard).toEqual(['user.created']);
  });

  it('says which operation or subscriber a plugin does not have', async () => {
    const bench = await openBench(definePlugin({ ...forwarder, start: () => ({}) }));
    await expect(bench.call('listThings')).rejects.toThrow(
      'The plugin forwarder has no operation listThings.',
    );
    await expect(bench.deliver(sampleEvent('user.created'))).rejects.toThrow(
      'The plugin forwarder subscribes to nothing.',
    );
  });
});
