import { Subject } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../src/routes/route.js';
import type { DomainEvent } from '../../src/domain/events.js';
import type { RecordId } from '../../src/domain/kernel/ids.js';
import { RefusalError, refuse } from '../../src/domain/kernel/refusals.js';
import type { Submission, Submit } from '../../src/pipeline/submit.js';
import {
  type DurableSubscriber,
  type Plugin,
  definePlugin,
} from '../../src/plugin/contract/contract.js';
import type { PluginHost } from '../../src/plugin/contract/host.js';
import type { OutboundPolicy } from '../../src/plugin/contract/http-sender.js';
import { logStreamFaults } from '../../src/plugin/host/event-stream.js';
import {
  type HostParts,
  PluginError,
  type PluginInstance,
  startPlugins,
} from '../../src/plugin/host/plugin-host.js';
import { createMemoryStorage } from '../../src/plugin/testing/memory-storage.js';
import { createSecretBox } from '../../src/plugin/host/secret-box.js';
import { sampleEvent } from '../../src/plugin/testing.js';
import { TENANT_ID } from '../support/builders.js';

const events = new Subject<DomainEvent>();
let lived: string[] = [];
let logged: { readonly plugin: string; readonly message: string; readonly fields: object }[] = [];
let submitted: Submission[] = [];
let outcome: Awaited<ReturnType<Submit>> = { ok: true, result: null as never, changed: true };
let policies: OutboundPolicy[] = [];
let shown: string[] = [];

beforeEach(() => {
  lived = [];
  logged = [];
  submitted = [];
  policies = [];
  shown = [];
  outcome = { ok: true, result: { id: 'made' } as never, changed: true };
  vi.useFakeTimers();
});

afterEach(() => vi.useRealTimers());

const logOf = (plugin: string) => {
  const write = (fields: object, message: string) => void logged.push({ plugin, message, fields });
  return { debug: write, info: write, warn: write, error: write };
};

const storage = createMemoryStorage(() => new Date(0));

const parts: HostParts = {
  submit: (async (submission: Submission) => {
    submitted.push(submission);
    return Promise.resolve(outcome);
  }) as Submit,
  runnerParts: () => ({ connectors: [], commandsOf: {} as never, users: {} as never }),
  recordsOf: (plugin) => ({
    list: () => Promise.resolve([{ plugin } as never]),
    find: () => Promise.resolve(undefined),
  }),
  notesOf: (plugin) => ({
    read: () => Promise.resolve(new Map([['plugin', { plugin }]])),
    write: () => Promise.resolve(),
    marked: () => Promise.resolve([]),
    unmark: () => Promise.resolve(),
  }),
  deliveriesOf: () => ({}) as never,
  actions: {
    begin: () => Promise.resolve({ state: 'new' }),
    end: () => Promise.resolve(),
    forget: () => Promise.resolve(),
  },
  secrets: createSecretBox(new Uint8Array(32)),
  metrics: {
    gauge: ({ name }) => void shown.push(name),
    counter: ({ name }) => {
      shown.push(name);
      return () => undefined;
    },
  },
  senderFor: (policy) => {
    policies.push(policy);
    return {
      post: () => Promise.reject(new Error('It sends nothing.')),
      get: () => Promise.reject(new Error('It sends nothing.')),
      close: () => {
        lived.push('sender closed');
        return Promise.resolve();
      },
    };
  },
  networkFor: () => ({ connect: () => Promise.reject(new Error('It dials nothing.')) }),
  attention: async function* () {},
  publicUrl: () => 'https://rollgate.example.com',
  events$: events,
  now: () => new Date(0),
  events: { page: () => Promise.reject(new Error('There is no event log here.')) },
  collectionOf: storage.collectionOf,
  leases: storage.leases,
  instanceId: 'instance-1',
  logOf,
};

type Given = Partial<Plugin<{ readonly colour: string }>>;

/** A plugin that records its starts and stops. */
const aPlugin = ({ name = 'sample', ...more }: Given = {}): PluginInstance => {
  const plugin = definePlugin({
    apiVersion: 1,
    name,
    title: 'Sample',
    description: 'Does nothing, for tests.',
    settings: z.strictObject({ colour: z.string().default('blue') }),
    start: () => {
      lived.push(`${name} starts`);
      return {
        stop: () => {
          lived.push(`${name} stops`);
        },
      };
    },
    ...more,
  });
  return { name, plugin, settings: { colour: 'blue' } };
};

const startHost = async (plugin: Given = {}) => {
  let host: PluginHost<{ readonly colour: string }> | undefined;
  const running = await startPlugins(
    [
      aPlugin({
        ...plugin,
        start: (given) => {
          host = given;
          return {};
        },
      }),
    ],
    parts,
  );
  return { host: host!, running };
};

describe('a list of plugins', () => {
  it('starts one after another in its order, and stops them all', async () => {
    const running = await startPlugins([aPlugin({ name: 'one' }), aPlugin({ name: 'two' })], parts);
    expect(lived).toEqual(['one starts', 'two starts']);
    await running.stop();
    expect(lived.filter((line) => line.endsWith('stops'))).toEqual(['one stops', 'two stops']);
    expect(lived.filter((line) => line === 'sender closed')).toHaveLength(2);
  });
});

describe('a plugin that does not start', () => {
  it('says which section to correct if its sender cannot be created', async () => {
    const senderFor = () => {
      throw new Error('ca.pem holds no certificate.');
    };
    await expect(startPlugins([aPlugin()], { ...parts, senderFor })).rejects.toThrow(
      /did not start: ca\.pem holds no certificate\. Correct plugins\.sample; "rollgate config show"/,
    );
  });

  it('prevents the start with a reason, and stops those before it', async () => {
    const broken = aPlugin({
      name: 'broken',
      start: () => Promise.reject(new Error('The file ca.pem is not there. Put it there.')),
    });
    const starting = startPlugins([aPlugin(), broken, aPlugin({ name: 'later' })], parts);
    await expect(starting).rejects.toThrow(
      new PluginError(
        'The plugin broken did not start: The file ca.pem is not there. Put it there.',
      ),
    );
    expect(lived).toEqual(['sample starts', 'sender closed', 'sample stops', 'sender closed']);
  });

  it('has 30 s for it', async () => {
    const endless = aPlugin({ start: () => new Promise(() => undefined) });
    const starting = startPlugins([endless], parts);
    const refused = expect(starting).rejects.toThrow(
      'The plugin sample did not start: It took longer than 30 s.',
    );
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
  });
});

describe('a plugin that does not stop', () => {
  it('has 5 s, is logged, and does not delay others', async () => {
    const stubborn = aPlugin({
      name: 'stubborn',
      start: () => ({ stop: () => new Promise<void>(() => undefined) }),
    });
    const faulty = aPlugin({
      name: 'faulty',
      start: () => ({ stop: () => Promise.reject(new Error('no')) }),
    });
    const running = await startPlugins([stubborn, faulty, aPlugin()], parts);
    const stopped = running.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(stopped).resolves.toBeUndefined();
    expect(lived).toContain('sample stops');
    expect(logged.map(({ plugin }) => plugin).sort()).toEqual(['faulty', 'stubborn']);
  });
});

describe('connections of a plugin that do not close', () => {
  const sender = (close: () => Promise<void>) => () => ({ ...parts.senderFor({}), close });
  const senders = {
    'in time': sender(() => new Promise<void>(() => undefined)),
    'without an error': sender(() => Promise.reject(new Error('no'))),
  };

  it.each(Object.entries(senders))('%s are logged, and the rest stops', async (_how, senderFor) => {
    const running = await startPlugins([aPlugin()], { ...parts, senderFor });
    const stopped = running.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(stopped).resolves.toBeUndefined();
    expect(logged).toMatchObject([{ plugin: 'sample' }]);
  });

  it.each(Object.entries(senders))(
    '%s do not hide why it did not start',
    async (_how, senderFor) => {
      const broken = aPlugin({ start: () => Promise.reject(new Error('no such file')) });
      const started = expect(startPlugins([broken], { ...parts, senderFor })).rejects.toThrow(
        'no such file',
      );
      await vi.advanceTimersByTimeAsync(5_000);
      await started;
    },
  );
});

describe('what plugins offer', () => {
  const subscriber = { retrySchedule: [], concurrencyPerKey: 2 } as unknown as DurableSubscriber;
  const rule = () => ({ result: null });
  const route = {
    api: 'native',
    method: 'GET',
    path: '/things',
    scope: 'any key',
    operationId: 'listThings',
  } as Route;

  it('is collected: subscribers by name, routes, and rules by plugin and name', async () => {
    const running = await startPlugins(
      [
        aPlugin({
          name: 'one',
          start: () => ({ subscriber, routes: [route], rules: { make: rule } }),
        }),
        aPlugin({ name: 'two' }),
      ],
      parts,
    );
    expect([...running.subscribers]).toEqual([['one', expect.objectContaining(subscriber)]]);
    expect(running.extensions.routes).toEqual([route]);
    expect(running.rule('one', 'make')).toBe(rule);
    expect(running.rule('one', 'unmake')).toBeUndefined();
    expect(running.rule('two', 'make')).toBeUndefined();
    expect(running.rule('three', 'make')).toBeUndefined();
  });

  it.each(['constructor', '__proto__', 'toString'])('has no rule named %s', async (change) => {
    const running = await startPlugins([aPlugin({ start: () => ({ rules: {} }) })], parts);
    expect(running.rule('sample', change)).toBeUndefined();
  });

  it('is healthy by default, as reported if reported, and unhealthy if they hang', async () => {
    const running = await startPlugins(
      [
        aPlugin(),
        aPlugin({ name: 'ill', start: () => ({ health: () => ({ ok: false, message: 'Ill.' }) }) }),
        aPlugin({
          name: 'faulty',
          start: () => ({
            health: () => {
              throw new Error('a cause that stays in the log');
            },
          }),
        }),
        aPlugin({ name: 'mute', start: () => ({ health: () => new Promise(() => undefined) }) }),
      ],
      parts,
    );
    const status = running.status();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await status).map(({ name, health }) => [name, health.ok, health.message])).toEqual([
      ['sample', true, 'Running.'],
      ['ill', false, 'Ill.'],
      ['faulty', false, 'The health check failed.'],
      ['mute', false, 'The health check failed.'],
    ]);
  });
});

describe('the host of a plugin', () => {
  const request = {
    tenantId: TENANT_ID,
    actor: { kind: 'operator', name: 'admin-token' },
    source: 'admin',
    requestId: 'request-1',
  } as const;

  it('has the settings of its section, and its name', async () => {
    const { host } = await startHost({ name: 'audit-eu' });
    expect([host.name, host.settings]).toEqual(['audit-eu', { colour: 'blue' }]);
  });

  it('reaches what the plugin’s settings allow, and nothing without them', async () => {
    await startHost();
    await startHost({ outbound: ({ colour }) => ({ allow: [colour] }) });
    expect(policies).toEqual([{}, { allow: ['blue'] }]);
  });

  it('reads the plugin’s own records and notes', async () => {
    const { host } = await startHost();
    expect(await host.records.list(TENANT_ID)).toEqual([{ plugin: 'sample' }]);
    expect(await host.notes.read(TENANT_ID, [])).toEqual(
      new Map([['plugin', { plugin: 'sample' }]]),
    );
  });

  it('changes records by a command of the plugin’s own, under an id of its own', async () => {
    const { host } = await startHost();
    await expect(host.records.change(request, 'make', { colour: 'red' })).resolves.toEqual({
      id: 'made',
    });
    await host.records.change(request, 'make', {});
    expect(submitted[0]).toMatchObject({
      ...request,
      command: {
        type: 'plugin.change',
        plugin: 'sample',
        change: 'make',
        input: { colour: 'red' },
      },
    });
    const ids = submitted.map(({ command }) => (command as { recordId: RecordId }).recordId);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('throws a refusal as an error that the HTTP edge maps', async () => {
    const refusal = refuse('NOT_FOUND', 'Nothing has this id.');
    outcome = { ok: false, refusal };
    const { host } = await startHost();
    await expect(host.records.change(request, 'make', {})).rejects.toThrow(
      new RefusalError(refusal),
    );
  });

  it('prefixes metrics with its name', async () => {
    const { host } = await startHost({ name: 'audit-log' });
    host.metrics.counter({ name: 'lines_total', help: 'Counts.' })();
    host.metrics.gauge({ name: 'bytes', help: 'Counts.' }, () => []);
    expect(shown).toEqual(['rollgate_audit_log_lines_total', 'rollgate_audit_log_bytes']);
  });

  it('creates ids and seals secrets', async () => {
    const { host } = await startHost();
    expect(host.newId()).not.toBe(host.newId());
    expect(host.secrets.unseal(host.secrets.seal('x'))).toBe('x');
  });

  it('emits events as they happen; a listener that throws affects no other', async () => {
    const faults: unknown[] = [];
    logStreamFaults({ ...logOf('house'), error: (fields) => void faults.push(fields) });
    const { host } = await startHost();
    const heard: number[] = [];
    const fail = () => void heard.push(-1);
    const faulty = host.events$.subscribe({
      next: () => {
        throw new Error('a fault of the plugin');
      },
      error: fail,
    });
    const sound = host.events$.subscribe({
      next: ({ seq }) => void heard.push(seq),
      error: fail,
    });
    events.next(sampleEvent('user.created', { seq: 1 }));
    events.next(sampleEvent('user.created', { seq: 2 }));
    await vi.advanceTimersByTimeAsync(1);
    expect(heard).toEqual([1, 2]);
    expect(faults).toHaveLength(2);
    faulty.unsubscribe();
    sound.unsubscribe();
  });
});
