import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Fence } from '../../ports/plugin-storage.js';
import { EVENT_NAMES } from '../../domain/events.js';
import type { DurableSubscriber, Plugin } from '../contract/contract.js';
import type { DoctorCheck } from '../contract/doctor-check.js';
import type { CliResource } from '../contract/cli-resource.js';
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

/** A plugin that is started for one case, and what the suite knows about it. */
interface Tried extends TestHost {
  readonly plugin: Plugin;
  readonly options: ContractOptions;
}

interface Requirement {
  readonly title: string;
  readonly hold: (tried: Tried) => Promise<void> | void;
}

const SENTENCE = /^\p{Lu}.*[.]$/su;
const CAPITALISED = /^\p{Lu}/u;

const FENCE: Fence = { lease: 'test', token: 1 };

/**
 * The requirements on every plugin, as cases for a test runner. What the plugin does not declare or
 * provide meets them. That names are unique, scopes declared and settings strict is checked by the
 * host, which refuses to start another plugin.
 *
 * @example
 * for (const { title, run } of pluginContract(audit)) it(title, run);
 */
export const pluginContract = (
  plugin: Plugin,
  options: ContractOptions = {},
): readonly ContractCase[] => {
  const start = () => startTestHost(plugin, { settings: options.settings });
  const requirements = [
    ...DECLARATIONS,
    ...WORK,
    ...ROUTES,
    ...SITES,
    ...SUBSCRIPTIONS,
    ...(plugin.commands ?? []).flatMap(requirementsOfCommand),
    ...(plugin.doctor ?? []).map(requirementOfCheck),
  ];
  return [
    {
      title: 'starts and stops without logging an error, and starts again',
      run: async () => {
        for (let round = 0; round < 2; round += 1) {
          const host = await start();
          await host.stop();
          const errors = host.log.filter(({ level }) => level === 'error');
          assert.deepEqual(errors, []);
        }
      },
    },
    ...requirements.map(({ title, hold }) => ({
      title,
      run: async () => {
        const host = await start();
        try {
          await hold({ ...host, plugin, options });
        } finally {
          await host.stop();
        }
      },
    })),
  ];
};

const DECLARATIONS: readonly Requirement[] = [
  {
    title: 'has a title, and describes itself in a sentence',
    hold: ({ plugin }) => {
      assert.match(plugin.title, CAPITALISED);
      assert.match(plugin.description, SENTENCE);
    },
  },
  {
    title: 'says what each scope allows, and shows an example of each error',
    hold: ({ plugin: { scopes = [], refusals = [] } }) => {
      for (const { allows } of scopes) assert.match(allows, /^\p{Ll}.*[^.]$/u);
      for (const { example } of refusals) assert.match(example, SENTENCE);
    },
  },
];

const WORK: readonly Requirement[] = [
  {
    title: 'reports its health in a sentence',
    hold: async ({ running }) => {
      const health = await running.health?.();
      if (!health) return;
      assert.equal(health.ok, true);
      assert.match(health.message, SENTENCE);
    },
  },
  {
    title: 'names its rules with words',
    hold: ({ running: { rules = {} } }) => {
      for (const name of Object.keys(rules)) assert.match(name, /^[a-z][A-Za-z-]*$/);
    },
  },
  {
    title: 'runs every timer, again, and ends a run that is aborted',
    hold: async ({ running: { timers = [] } }) => {
      for (const { run } of timers) {
        await run({ signal: new AbortController().signal, fence: FENCE });
        await run({ signal: new AbortController().signal, fence: FENCE });
        await run({ signal: AbortSignal.abort(), fence: FENCE }).catch(() => undefined);
      }
    },
  },
];

const ROUTES: readonly Requirement[] = [
  {
    title: 'says of each route what it is for and how it responds',
    hold: ({ running: { routes = [] } }) => {
      for (const route of routes) {
        assert.match(route.operationId, /^[a-z][A-Za-z]*$/);
        // Clients of Microsoft's upload endpoint expect `bulkUpload`.
        const path = route.path.replace(/\/bulkUpload$/, '');
        assert.match(path, /^(\/([a-z][a-z-]*|\{[a-zA-Z]+\}))+$/);
        assert.match(route.summary, CAPITALISED);
        assert.notEqual(route.tag, '');
        assert.notDeepEqual(Object.keys(route.responses), []);
      }
    },
  },
  {
    title: 'reads each parameter of a path',
    hold: ({ running: { routes = [] } }) => {
      for (const route of routes) {
        const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
        assert.deepEqual(Object.keys(route.params?.shape ?? {}).sort(), named.sort());
      }
    },
  },
  {
    title: 'ends every stream when the client is gone',
    hold: async ({ running: { routes = [] }, options: { streams = {} }, call }) => {
      const streaming = routes.filter(({ responses }) =>
        Object.values(responses).some(({ isStream }) => isStream),
      );
      for (const { operationId } of streaming) {
        const request = streams[operationId];
        assert.ok(request, `options.streams has a request for ${operationId}`);
        const client = new AbortController();
        const { stream } = await call(operationId, { ...request, signal: client.signal });
        assert.ok(stream, `${operationId} responds with a stream`);
        const events = stream[Symbol.asyncIterator]();
        const next = events.next();
        client.abort();
        for (let result = await next; !result.done; result = await events.next());
      }
    },
  },
];

const SITES: readonly Requirement[] = [
  {
    title: 'serves folders and fallbacks that exist',
    hold: ({ running: { sites = [] } }) => {
      for (const { at, folder, fallback } of sites) {
        if (folder === undefined) continue;
        const path = folder instanceof URL ? fileURLToPath(folder) : folder;
        assert.ok(existsSync(path), `the folder of ${at} exists`);
        if (fallback !== undefined)
          assert.ok(existsSync(join(path, fallback)), `the fallback of ${at} exists`);
      }
    },
  },
  {
    title: 'makes every page',
    hold: async ({ running: { sites = [] } }) => {
      for (const { at, pages = {} } of sites)
        for (const [path, page] of Object.entries(pages)) {
          assert.match(path, /^\//);
          const { body } = await page({ query: {}, requestId: 'test-request-1' });
          assert.ok(body.length > 0, `${at}${path} has a body`);
        }
    },
  },
];

/** A requirement on a plugin that subscribes to events. */
const ofSubscriber = (
  title: string,
  hold: (subscriber: DurableSubscriber, tried: Tried) => Promise<void> | void,
): Requirement => ({
  title,
  hold: async (tried) => {
    await tried.options.subscribe?.(tried);
    if (tried.subscriber) await hold(tried.subscriber, tried);
  },
});

/** An event that a subscription wants, and its key. */
const firstWanted = async (subscriber: DurableSubscriber) => {
  const listed = await subscriber.subscriptions(SAMPLE_TENANT_ID);
  const [wanted] = EVENT_NAMES.map((name) => sampleEvent(name)).flatMap((event) => {
    const subscription = listed.find((one) => wants(one, event));
    return subscription ? [{ key: subscription.key, event }] : [];
  });
  assert.ok(wanted, 'some event is wanted');
  return wanted;
};

const SUBSCRIPTIONS: readonly Requirement[] = [
  ofSubscriber('lists each subscription once, and wants events', async (subscriber) => {
    const keys = (await subscriber.subscriptions(SAMPLE_TENANT_ID)).map(({ key }) => key);
    assert.deepEqual(keys, [...new Set(keys)]);
    assert.equal(keys.includes(''), false);
    await firstWanted(subscriber);
  }),
  ofSubscriber(
    'makes an attempt for each key and reports how it ended',
    async (subscriber, { deliver }) => {
      const outcomes = await deliver((await firstWanted(subscriber)).event);
      for (const { kind } of outcomes.values()) assert.match(kind, /^(delivered|failed)$/);
    },
  ),
  ofSubscriber('ends an attempt that is aborted', async (subscriber) => {
    const { key, event } = await firstWanted(subscriber);
    const id = event.id as string as Parameters<typeof subscriber.deliver>[0]['id'];
    await subscriber
      .deliver({ id, key, event, attempt: 1 }, AbortSignal.abort())
      .catch(() => undefined);
  }),
  ofSubscriber('waits between attempts and allows at least one at a time', (subscriber) => {
    for (const wait of subscriber.retry) assert.ok(wait > 0);
    assert.ok(Number.isInteger(subscriber.concurrency) && subscriber.concurrency >= 1);
  }),
];

const requirementsOfCommand = (resource: CliResource): readonly Requirement[] => [
  {
    title: `prints items of "rollgate ${resource.name}"`,
    hold: async ({ options: { items = {} } }) => {
      assert.ok(resource.name in items, `options.items has an item of "${resource.name}"`);
      const view = await resource.view.parseAsync(items[resource.name]);
      for (const field of resource.fields) {
        const text: unknown = 'text' in field ? field.text(view) : field.time(view);
        assert.ok(typeof text === 'string' || text === null || text === undefined);
      }
      assert.notEqual(resource.id(view), '');
      assert.notEqual(resource.label(view), '');
      resource.details?.(view);
      const { create, list, show, update, delete: remove, actions = [] } = resource;
      for (const verb of [create, list, show, update, remove, ...actions])
        for (const [line] of verb?.examples ?? [])
          assert.ok(line.startsWith(`rollgate ${resource.name} `), line);
    },
  },
  ...(resource.actions ?? []).map((action): Requirement => {
    const line = `${resource.name} ${action.name}`;
    return {
      title: `runs "rollgate ${line}"`,
      hold: async ({ plugin, options: { actions = {} } }) => {
        const call = actions[line];
        assert.ok(call, `options.actions has a call of "${line}"`);
        const { requests } = await tryCommand(plugin, line, call);
        assert.notEqual(requests.length, 0);
      },
    };
  }),
];

const requirementOfCheck = (check: DoctorCheck): Requirement => ({
  title: `checks "${check.name}", and says what to do about a warning`,
  hold: async ({ plugin, options: { settings = {} } }) => {
    const given = plugin.settings?.parse(settings) ?? {};
    const { status, message, remedy } = await tryCheck(check, plugin.name, given);
    assert.match(message, /[.]$/);
    if (status === 'WARN' || status === 'FAIL') assert.match(remedy ?? '', SENTENCE);
  },
});
