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
  /** Brings it about that the plugin is owed events, where it is not from the start. */
  readonly subscribe?: (bench: PluginBench) => Promise<unknown>;
}

const SENTENCE = /^\p{Lu}.*[.]$/u;

const placeOf = ({ api, method, path }: Route): string => `${api} ${method} ${path}`;

const duplicatesIn = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, index) => texts.indexOf(text) !== index);

/** What every plugin promises, built in or not. */
export const pluginContract = ({ plugin, subscribe }: PluginUnderTest): void => {
  let bench: PluginBench;

  beforeEach(async () => {
    bench = await openBench(plugin);
  });
  afterEach(() => bench.stop());

  /** Of a plugin without a subscriber there is nothing to hold to account. */
  const subscribed = async (
    hold: (subscriber: DurableSubscriber) => Promise<void>,
  ): Promise<void> => {
    await subscribe?.(bench);
    const { subscriber } = bench.running;
    if (!subscriber) return;
    const tenant = bench.tenant();
    await subscriber.prepare(tenant, tenant.pluginVersions[plugin.name] ?? 0);
    await hold(subscriber);
  };

  const routes = (): readonly Route[] => bench.running.routes ?? [];

  it('has a name of lower-case words joined by hyphens, a title, and a sentence about itself', () => {
    expect(plugin.name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(plugin.title).toMatch(/^\p{Lu}/u);
    expect(plugin.description).toMatch(SENTENCE);
  });

  it('needs no settings', () => {
    expect(plugin.settings.safeParse({}).success).toBe(true);
  });

  it('refuses a setting that it does not know', () => {
    expect(plugin.settings.safeParse({ noSuchSetting: 1 }).success).toBe(false);
    expect(plugin.settings.safeParse([]).success).toBe(false);
    expect(plugin.settings.safeParse('settings').success).toBe(false);
  });

  it('starts and stops without a word of alarm, and starts again', async () => {
    await bench.stop();
    expect(bench.log.filter(({ level }) => level === 'error')).toEqual([]);
    bench = await openBench(plugin);
  });

  it('says in a sentence how it is', async () => {
    const health = await bench.running.health?.();
    if (health)
      expect(health).toMatchObject({
        ok: true,
        message: expect.stringMatching(SENTENCE) as string,
      });
  });

  it('names its rules as words', () => {
    for (const name of Object.keys(bench.running.rules ?? {})) {
      expect(name).toMatch(/^[a-z][A-Za-z-]*$/);
    }
  });

  it('has operations with an id and an address of their own each', () => {
    expect(duplicatesIn(routes().map(({ operationId }) => operationId))).toEqual([]);
    expect(duplicatesIn(routes().map(placeOf))).toEqual([]);
    for (const { operationId } of routes()) expect(operationId).toMatch(/^[a-z][A-Za-z]*$/);
  });

  it('says of each operation who may call it, what it is for, and how it answers', () => {
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

  it('takes every part of a path as a parameter', () => {
    for (const route of routes()) {
      const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(route.params?.shape ?? {}).sort()).toEqual(named.sort());
    }
  });

  describe('as a subscriber', () => {
    it('is prepared for a tenant that it never saw, and owes it nothing that it cannot serve', async () => {
      const { subscriber } = bench.running;
      if (!subscriber) return;
      await subscriber.prepare(bench.tenant(), 0);
      const keys = EVENT_NAMES.flatMap((name) => subscriber.route(sampleEvent(name)));
      const served = await subscriber.serving(SAMPLE_TENANT_ID, keys);
      expect(keys.filter((key) => !served.has(key))).toEqual([]);
    });

    it('routes an event the same way each time, to each key once', async () => {
      await subscribed(async (subscriber) => {
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

    it('serves the keys that it routes to, and says nothing of keys that it was not asked for', async () => {
      await subscribed(async (subscriber) => {
        const keys = subscriber.route(sampleEvent('user.created'));
        expect(keys).not.toEqual([]);
        const served = await subscriber.serving(SAMPLE_TENANT_ID, keys);
        expect([...served].sort()).toEqual([...keys].sort());
        expect([...(await subscriber.serving(SAMPLE_TENANT_ID, []))]).toEqual([]);
      });
    });

    it('makes an attempt for each key, and says how it ended', async () => {
      await subscribed(async () => {
        const outcomes = await bench.deliver(sampleEvent('user.created'));
        expect(outcomes.size).toBeGreaterThan(0);
        for (const { kind } of outcomes.values()) expect(kind).toMatch(/^(delivered|failed)$/);
      });
    });

    it('ends an attempt that is broken off', async () => {
      await subscribed(async (subscriber) => {
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

    it('has waits that are longer than nothing, and lets at least one attempt be made', async () => {
      await subscribed(async ({ retrySchedule, concurrencyPerKey }) => {
        for (const wait of retrySchedule) expect(wait).toBeGreaterThan(0);
        expect(Number.isInteger(concurrencyPerKey)).toBe(true);
        expect(concurrencyPerKey).toBeGreaterThanOrEqual(1);
        return Promise.resolve();
      });
    });
  });
};
