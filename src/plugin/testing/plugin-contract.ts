import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Route } from '../../routes/route.js';
import type { Fence } from '../../ports/plugin-storage.js';
import { EVENT_NAMES } from '../../domain/events.js';
import type { DurableSubscriber, Plugin } from '../contract/contract.js';
import { wants } from '../stream/lane.js';
import { SAMPLE_TENANT_ID, sampleEvent } from './samples.js';
import { startTestHost, type TestCall, type TestHost } from './test-host.js';
import { tryCheck, type CommandTry, tryCommand } from './try-parts.js';

/** What the suite has to know about a plugin. */
export interface ContractOptions {
  /** Valid settings, if the plugin requires any. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Makes the plugin subscribe to events, if it does not from the start. */
  readonly subscribe?: (host: TestHost) => Promise<unknown>;
  /** A request for each route that responds with a stream, by its operation. */
  readonly streams?: Readonly<Record<string, TestCall>>;
  /** An item of each resource of the command line, as the API returns it, by the resource's name. */
  readonly items?: Readonly<Record<string, unknown>>;
  /** A call of each action: `webhook test`. */
  readonly actions?: Readonly<Record<string, CommandTry>>;
}

/** One requirement of the contract; for any test runner: `it(title, run)`. */
export interface ContractCase {
  readonly title: string;
  readonly run: () => Promise<void>;
}

const SENTENCE = /^\p{Lu}.*[.]$/su;
const CAPITALISED = /^\p{Lu}/u;

const FENCE: Fence = { lease: 'test', token: 1 };

const duplicatesIn = (texts: readonly string[]): readonly string[] =>
  texts.filter((text, index) => texts.indexOf(text) !== index);

const placeOf = ({ api, method, path }: Route): string => `${api} ${method} ${path}`;

/**
 * The requirements on every plugin, as cases for a test runner. Parts that a plugin does not declare or
 * provide have no cases.
 *
 * @example
 * for (const { title, run } of pluginContract(audit)) it(title, run);
 */
export const pluginContract = (
  plugin: Plugin,
  options: ContractOptions = {},
): readonly ContractCase[] => {
  const { settings = {} } = options;
  const start = (): Promise<TestHost> => startTestHost(plugin, { settings });
  const withHost =
    (work: (host: TestHost) => Promise<void> | void): (() => Promise<void>) =>
    async () => {
      const host = await start();
      try {
        await work(host);
      } finally {
        await host.stop();
      }
    };

  const subscribed = (
    hold: (subscriber: DurableSubscriber, host: TestHost) => Promise<void> | void,
  ): (() => Promise<void>) =>
    withHost(async (host) => {
      await options.subscribe?.(host);
      const { subscriber } = host;
      // A plugin without a subscriber has no such cases.
      if (!subscriber) return;
      await hold(subscriber, host);
    });

  return [
    ...declarations(plugin, settings),
    {
      title: 'starts and stops without logging an error, and starts again',
      run: async () => {
        for (let round = 0; round < 2; round += 1) {
          const host = await start();
          await host.stop();
          assert.deepEqual(
            host.log.filter(({ level }) => level === 'error'),
            [],
          );
        }
      },
    },
    {
      title: 'reports its health in a sentence',
      run: withHost(async ({ running }) => {
        const health = await running.health?.();
        if (!health) return;
        assert.equal(health.ok, true);
        assert.match(health.message, SENTENCE);
      }),
    },
    {
      title: 'names its rules with words',
      run: withHost(({ running }) => {
        for (const name of Object.keys(running.rules ?? {}))
          assert.match(name, /^[a-z][A-Za-z-]*$/);
      }),
    },
    ...routes(withHost),
    ...sites(withHost),
    ...streams(options, withHost),
    ...subscriptions(subscribed),
    ...timers(withHost),
    ...commands(plugin, options),
    ...checks(plugin, settings),
  ];
};

const declarations = (
  plugin: Plugin,
  settings: Readonly<Record<string, unknown>>,
): readonly ContractCase[] => [
  {
    title: 'has a title, and describes itself in a sentence',
    run: async () => {
      assert.match(plugin.title, CAPITALISED);
      assert.match(plugin.description, SENTENCE);
      return Promise.resolve();
    },
  },
  {
    title: 'accepts its settings and refuses unknown ones',
    run: async () => {
      if (!plugin.settings) return Promise.resolve();
      const accepts = (given: unknown): boolean =>
        plugin.settings?.safeParse(given).success === true;
      assert.equal(accepts(settings), true);
      assert.equal(accepts({ ...settings, noSuchSetting: 1 }), false);
      assert.equal(accepts([]), false);
      assert.equal(accepts('settings'), false);
      return Promise.resolve();
    },
  },
  {
    title: 'says what each scope allows, and shows an example of each error',
    run: async () => {
      for (const { allows } of plugin.scopes ?? []) assert.match(allows, /^\p{Ll}.*[^.]$/u);
      for (const { example } of plugin.refusals ?? []) assert.match(example, SENTENCE);
      return Promise.resolve();
    },
  },
];

type WithHost = (work: (host: TestHost) => Promise<void> | void) => () => Promise<void>;

const routesOf = ({ running }: TestHost): readonly Route[] => running.routes ?? [];

const routes = (withHost: WithHost): readonly ContractCase[] => [
  {
    title: 'has routes with an operation and an address of their own each',
    run: withHost((host) => {
      assert.deepEqual(duplicatesIn(routesOf(host).map(({ operationId }) => operationId)), []);
      assert.deepEqual(duplicatesIn(routesOf(host).map(placeOf)), []);
      for (const { operationId } of routesOf(host)) assert.match(operationId, /^[a-z][A-Za-z]*$/);
    }),
  },
  {
    title: 'says of each route what it is for and how it responds',
    run: withHost((host) => {
      for (const route of routesOf(host)) {
        // Clients of Microsoft's upload endpoint expect `bulkUpload`.
        const path = route.path.replace(/\/bulkUpload$/, '');
        assert.match(path, /^(\/([a-z][a-z-]*|\{[a-zA-Z]+\}))+$/);
        assert.match(route.summary, CAPITALISED);
        assert.notEqual(route.tag, '');
        assert.notDeepEqual(Object.keys(route.responses), []);
      }
    }),
  },
  {
    title: 'reads each parameter of a path',
    run: withHost((host) => {
      for (const route of routesOf(host)) {
        const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
        assert.deepEqual(Object.keys(route.params?.shape ?? {}).sort(), named.sort());
      }
    }),
  },
];

const sites = (withHost: WithHost): readonly ContractCase[] => [
  {
    title: 'serves folders and fallbacks that exist',
    run: withHost(({ running }) => {
      for (const { at, folder, fallback } of running.sites ?? []) {
        if (folder === undefined) continue;
        const path = folder instanceof URL ? fileURLToPath(folder) : folder;
        assert.ok(existsSync(path), `the folder of ${at} exists`);
        if (fallback !== undefined)
          assert.ok(existsSync(join(path, fallback)), `the fallback of ${at} exists`);
      }
    }),
  },
  {
    title: 'makes every page',
    run: withHost(async ({ running }) => {
      for (const { at, pages = {} } of running.sites ?? [])
        for (const [path, page] of Object.entries(pages)) {
          assert.match(path, /^\//);
          const { body } = await page({ query: {}, requestId: 'test-request-1' });
          assert.ok(body.length > 0, `${at}${path} has a body`);
        }
    }),
  },
];

const streams = (
  { streams: calls = {} }: ContractOptions,
  withHost: WithHost,
): readonly ContractCase[] => [
  {
    title: 'ends every stream when the client is gone',
    run: withHost(async (host) => {
      const streaming = routesOf(host).filter(({ responses }) =>
        Object.values(responses).some(({ isStream }) => isStream),
      );
      for (const { operationId } of streaming) {
        const call = calls[operationId];
        assert.ok(call, `options.streams has a request for ${operationId}`);
        const client = new AbortController();
        const stream = await host.stream(operationId, { ...call, signal: client.signal });
        const events = stream[Symbol.asyncIterator]();
        const next = events.next();
        client.abort();
        for (let result = await next; !result.done; result = await events.next());
      }
    }),
  },
];

type Subscribed = (
  hold: (subscriber: DurableSubscriber, host: TestHost) => Promise<void> | void,
) => () => Promise<void>;

/** An event that a subscription wants, and its key. */
const firstWanted = async (subscriber: DurableSubscriber) => {
  const listed = await subscriber.subscriptions(SAMPLE_TENANT_ID);
  return EVENT_NAMES.map((name) => sampleEvent(name)).flatMap((event) => {
    const subscription = listed.find((one) => wants(one, event));
    return subscription ? [{ key: subscription.key, event }] : [];
  })[0];
};

const subscriptions = (subscribed: Subscribed): readonly ContractCase[] => [
  {
    title: 'lists each subscription once, and wants events',
    run: subscribed(async (subscriber) => {
      const listed = await subscriber.subscriptions(SAMPLE_TENANT_ID);
      const keys = listed.map(({ key }) => key);
      assert.notDeepEqual(keys, []);
      assert.deepEqual(duplicatesIn(keys), []);
      assert.equal(keys.includes(''), false);
      assert.notEqual(await firstWanted(subscriber), undefined, 'some event is wanted');
    }),
  },
  {
    title: 'makes an attempt for each key and reports how it ended',
    run: subscribed(async (subscriber, host) => {
      const wanted = await firstWanted(subscriber);
      assert.ok(wanted, 'some event is wanted');
      const outcomes = await host.deliver(wanted.event);
      for (const { kind } of outcomes.values()) assert.match(kind, /^(delivered|failed)$/);
    }),
  },
  {
    title: 'ends an attempt that is aborted',
    run: subscribed(async (subscriber) => {
      const wanted = await firstWanted(subscriber);
      assert.ok(wanted, 'some event is wanted');
      const { key, event } = wanted;
      const id = event.id as string as Parameters<typeof subscriber.deliver>[0]['id'];
      await subscriber
        .deliver({ id, key, event, attempt: 1 }, AbortSignal.abort())
        .catch(() => undefined);
    }),
  },
  {
    title: 'waits between attempts and allows at least one at a time',
    run: subscribed(({ retry, concurrency }) => {
      for (const wait of retry) assert.ok(wait > 0);
      assert.ok(Number.isInteger(concurrency) && concurrency >= 1);
    }),
  },
];

const timers = (withHost: WithHost): readonly ContractCase[] => [
  {
    title: 'runs every timer, again, and ends a run that is aborted',
    run: withHost(async ({ running }) => {
      for (const { run } of running.timers ?? []) {
        await run({ signal: new AbortController().signal, fence: FENCE });
        await run({ signal: new AbortController().signal, fence: FENCE });
        await run({ signal: AbortSignal.abort(), fence: FENCE }).catch(() => undefined);
      }
    }),
  },
];

const commands = (
  plugin: Plugin,
  { items = {}, actions: calls = {} }: ContractOptions,
): readonly ContractCase[] =>
  (plugin.commands ?? []).flatMap((resource) => [
    {
      title: `prints items of "rollgate ${resource.name}"`,
      run: async () => {
        assert.ok(resource.name in items, `options.items has an item of "${resource.name}"`);
        const view = await resource.view.parseAsync(items[resource.name]);
        for (const field of resource.fields)
          assertPrintable('text' in field ? field.text(view) : field.time(view));
        assert.notEqual(resource.id(view), '');
        assert.notEqual(resource.label(view), '');
        resource.details?.(view);
        const { create, list, show, update, delete: remove, actions = [] } = resource;
        for (const verb of [create, list, show, update, remove, ...actions])
          for (const [line] of verb?.examples ?? [])
            assert.ok(line.startsWith(`rollgate ${resource.name} `), line);
      },
    },
    ...(resource.actions ?? []).map(({ name }) => {
      const line = `${resource.name} ${name}`;
      return {
        title: `runs "rollgate ${line}"`,
        run: async () => {
          const call = calls[line];
          assert.ok(call, `options.actions has a call of "${line}"`);
          const { requests } = await tryCommand(plugin, line, call);
          assert.notEqual(requests.length, 0);
        },
      };
    }),
  ]);

const assertPrintable = (text: unknown): void =>
  assert.ok(typeof text === 'string' || text === null || text === undefined);

const checks = (
  plugin: Plugin,
  settings: Readonly<Record<string, unknown>>,
): readonly ContractCase[] =>
  (plugin.doctor ?? []).map(({ name }) => ({
    title: `checks "${name}", and says what to do about a warning`,
    run: async () => {
      const { status, message, remedy } = await tryCheck(plugin, name, { settings });
      assert.match(message, /[.]$/);
      if (status === 'WARN' || status === 'FAIL') assert.match(remedy ?? '', SENTENCE);
    },
  }));
