import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Route } from '../../src/api/route.js';
import { EVENT_NAMES } from '../../src/domain/events.js';
import { REFUSALS } from '../../src/domain/refusals.js';
import { SCOPES } from '../../src/domain/scopes.js';
import type { DurableSubscriber, Plugin } from '../../src/plugin/contract.js';
import {
  openBench,
  type PluginBench,
  SAMPLE_TENANT_ID,
  sampleEvent,
} from '../../src/plugin/testing.js';

export interface PluginUnderTest {
  readonly plugin: Plugin;
  /** Makes the plugin subscribe to events, if it does not from the start. */
  readonly subscribe?: (bench: PluginBench) => Promise<unknown>;
}

const SENTENCE = /^\p{Lu}.*[.]$/u;

const titleOf = ({ api, method, path }: Route): string => `${api} ${method} ${path}`;

const duplicatesIn = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, index) => texts.indexOf(text) !== index);

/** The contract of every plugin. */
export const pluginContract = ({ plugin, subscribe }: PluginUnderTest): void => {
  let bench: PluginBench;

  beforeEach(async () => {
    bench = await openBench(plugin);
  });
  afterEach(() => bench.stop());

  /** Runs a check on the plugin's subscriber, if it has one. */
  const withSubscriber = async (
    check: (subscriber: DurableSubscriber) => Promise<void>,
  ): Promise<void> => {
    await subscribe?.(bench);
    const { subscriber } = bench.running;
    if (!subscriber) return;
    const tenant = bench.tenant();
    await subscriber.prepare(tenant, tenant.pluginVersions[plugin.name] ?? 0);
    await check(subscriber);
  };

  const routes = (): readonly Route[] => bench.running.routes ?? [];

  it('has a kebab-case name, a title and a description of one sentence', () => {
    expect(plugin.name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(plugin.title).toMatch(/^\p{Lu}/u);
    expect(plugin.description).toMatch(SENTENCE);
  });

  it('has no required settings', () => {
    expect(plugin.settings.safeParse({}).success).toBe(true);
  });

  it('refuses unknown settings', () => {
    expect(plugin.settings.safeParse({ noSuchSetting: 1 }).success).toBe(false);
    expect(plugin.settings.safeParse([]).success).toBe(false);
    expect(plugin.settings.safeParse('settings').success).toBe(false);
  });

  it('starts, stops and starts again without logging errors', async () => {
    await bench.stop();
    expect(bench.log.filter(({ level }) => level === 'error')).toEqual([]);
    bench = await openBench(plugin);
  });

  it('reports its health in a sentence', async () => {
    const health = await bench.running.health?.();
    if (health)
      expect(health).toMatchObject({
        ok: true,
        message: expect.stringMatching(SENTENCE) as string,
      });
  });

  it('has valid names of rules', () => {
    for (const name of Object.keys(bench.running.rules ?? {})) {
      expect(name).toMatch(/^[a-z][A-Za-z-]*$/);
    }
  });

  it('has unique operation ids and routes', () => {
    expect(duplicatesIn(routes().map(({ operationId }) => operationId))).toEqual([]);
    expect(duplicatesIn(routes().map(titleOf))).toEqual([]);
    for (const { operationId } of routes()) expect(operationId).toMatch(/^[a-z][A-Za-z]*$/);
  });

  it('documents scope, summary, responses and refusals of each route', () => {
    for (const route of routes()) {
      const scopes = route.api === 'operators' ? ['operator'] : ['any key', ...SCOPES];
      expect(scopes).toContain(route.scope);
      expect(route.path).toMatch(/^(\/([a-z][a-z-]*|\{[a-zA-Z]+\}))+$/);
      expect(route.summary).toMatch(/^\p{Lu}/u);
      expect(route.tag).not.toBe('');
      expect(Object.keys(route.answers).length).toBeGreaterThan(0);
      for (const code of route.refusals ?? []) expect(REFUSALS).toHaveProperty(code);
    }
  });

  it('declares every path parameter', () => {
    for (const route of routes()) {
      const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(route.params?.shape ?? {}).sort()).toEqual(named.sort());
    }
  });

  describe('as a subscriber', () => {
    it('can prepare an unknown tenant, and routes its events only to keys that it serves', async () => {
      const { subscriber } = bench.running;
      if (!subscriber) return;
      await subscriber.prepare(bench.tenant(), 0);
      const keys = EVENT_NAMES.flatMap((name) => subscriber.route(sampleEvent(name)));
      const served = await subscriber.serving(SAMPLE_TENANT_ID, keys);
      expect(keys.filter((key) => !served.has(key))).toEqual([]);
    });

    it('routes an event deterministically, to each key once', async () => {
      await withSubscriber(async (subscriber) => {
        for (const name of EVENT_NAMES) {
          const event = sampleEvent(name);
          const keys = subscriber.route(event);
          expect(subscriber.route(event)).toEqual(keys);
          expect(duplicatesIn(keys)).toEqual([]);
          for (const key of keys) expect(key).not.toBe('');
        }
        return Promise.resolve();
      });
    });

    it('serves the keys that it routes to, and returns only requested keys', async () => {
      await withSubscriber(async (subscriber) => {
        const keys = subscriber.route(sampleEvent('user.created'));
        expect(keys).not.toEqual([]);
        const served = await subscriber.serving(SAMPLE_TENANT_ID, keys);
        expect([...served].sort()).toEqual([...keys].sort());
        expect([...(await subscriber.serving(SAMPLE_TENANT_ID, []))]).toEqual([]);
      });
    });

    it('makes an attempt for each key and returns the outcome', async () => {
      await withSubscriber(async () => {
        const outcomes = await bench.deliver(sampleEvent('user.created'));
        expect(outcomes.size).toBeGreaterThan(0);
        for (const { kind } of outcomes.values()) expect(kind).toMatch(/^(delivered|failed)$/);
      });
    });

    it('ends an aborted attempt', async () => {
      await withSubscriber(async (subscriber) => {
        const event = sampleEvent('user.created');
        const key = subscriber.route(event)[0]!;
        const id = event.id as string as Parameters<typeof subscriber.deliver>[0]['id'];
        const delivery = { id, key, event, attempt: 1 };
        const outcome = subscriber.deliver(delivery, AbortSignal.abort()).then(
          ({ kind }) => kind,
          () => 'failed',
        );
        expect(await outcome).toMatch(/^(delivered|failed)$/);
      });
    });

    it('has positive retry delays and a concurrency of at least one', async () => {
      await withSubscriber(async ({ retrySchedule, concurrencyPerKey }) => {
        for (const wait of retrySchedule) expect(wait).toBeGreaterThan(0);
        expect(Number.isInteger(concurrencyPerKey)).toBe(true);
        expect(concurrencyPerKey).toBeGreaterThanOrEqual(1);
        return Promise.resolve();
      });
    });
  });
};
