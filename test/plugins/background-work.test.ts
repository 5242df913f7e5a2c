import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  definePlugin,
  LeaseLost,
  type PluginHost,
  type RunningPlugin,
} from '../../src/plugin/api.js';
import {
  createMemoryStorage,
  type MemoryStorage,
} from '../../src/plugin/testing/memory-storage.js';
import { startTestHost, type TestHost } from '../../src/plugin/testing.js';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.js';

const MINUTE = 60_000;

let clock: VirtualClock;
let storage: MemoryStorage;
let instances: TestHost[];
let ran: string[];

beforeEach(() => {
  clock = createVirtualClock();
  storage = createMemoryStorage(now);
  instances = [];
  ran = [];
});

afterEach(async () => {
  await Promise.all(instances.map((instance) => instance.stop()));
});

const now = (): Date => new Date(1_000_000 + clock.now());

const aPlugin = (start: (host: PluginHost) => RunningPlugin) =>
  definePlugin({
    apiVersion: 1,
    name: 'sample',
    title: 'Sample',
    description: 'Does what a test asks for.',
    collections: ['entries'],
    start,
  });

/** Starts an instance of the plugin over the shared storage. */
const startInstance = async (start: (host: PluginHost) => RunningPlugin): Promise<TestHost> => {
  const instance = await startTestHost(aPlugin(start), { parts: { ...storage, now, clock } });
  instances.push(instance);
  instance.startWork();
  await clock.settle();
  return instance;
};

const timer =
  (name: string, every: string, work?: (signal: AbortSignal) => Promise<void>) =>
  (): RunningPlugin => ({
    timers: [
      {
        name: 'tick',
        every,
        run: async ({ signal }) => {
          ran.push(`${name} ${clock.now() / 1_000}`);
          await work?.(signal);
        },
      },
    ],
  });

describe('a timer', () => {
  it('runs at the start and then at its interval, in one of two instances', async () => {
    await startInstance(timer('one', '1m'));
    await startInstance(timer('two', '1m'));
    await clock.advance(2 * MINUTE);
    expect(ran.map((line) => line.split(' ')[1])).toEqual(['0', '60', '120']);
  });

  it('continues on another instance when its own has stopped', async () => {
    const one = await startInstance(timer('one', '1m'));
    await startInstance(timer('two', '1m'));
    await clock.advance(MINUTE);
    await one.stop();
    await clock.advance(2 * MINUTE);
    expect(ran.at(-1)).toMatch(/^two/);
    expect(ran).toHaveLength(4);
  });

  it('continues on another instance when its own was killed in the middle of a run', async () => {
    // Given an instance whose run never ends and that renews its lease no more
    const dead = createVirtualClock();
    const killed = await startTestHost(
      aPlugin(timer('killed', '1h', () => new Promise(() => undefined))),
      { parts: { ...storage, now, clock: dead } },
    );
    killed.startWork();
    await clock.settle();
    // When another one waits for the end of the lease
    await startInstance(timer('other', '1h'));
    expect(ran).toEqual(['killed 0']);
    await clock.advance(16_000);
    // Then it repeats the run at once, not an hour later
    expect(ran).toEqual(['killed 0', 'other 15']);
  });

  it('does not overlap with itself, however long a run takes', async () => {
    let release = (): void => undefined;
    const long = () => new Promise<void>((resolve) => (release = resolve));
    await startInstance(timer('one', '1s', long));
    await startInstance(timer('two', '1s', long));
    await clock.advance(MINUTE);
    expect(ran).toEqual(['one 0']);
    release();
    await clock.advance(1_000);
    expect(ran).toHaveLength(2);
    release();
  });

  it('is on time again after a failure, which is logged', async () => {
    const host = await startInstance(
      timer('one', '1m', () => Promise.reject(new Error('no disk'))),
    );
    await clock.advance(MINUTE);
    expect(ran).toEqual(['one 0', 'one 60']);
    expect(host.log.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'a timer failed', fields: { timer: 'tick' } },
      { message: 'a timer failed' },
    ]);
  });

  it('is aborted when the gateway stops, and waited for', async () => {
    const host = await startInstance(
      timer(
        'one',
        '1m',
        (signal) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              ran.push('aborted');
              resolve();
            });
          }),
      ),
    );
    await host.stop();
    expect(ran).toEqual(['one 0', 'aborted']);
  });

  it.each(['0s', '500ms', '31d', 'hourly', ''])('cannot run every "%s"', async (every) => {
    await expect(startInstance(timer('one', every))).rejects.toThrow(
      `The plugin sample cannot run. The timer "tick" runs every "${every}"; use a duration from 1s`,
    );
  });
});

describe('a fenced write', () => {
  it('of an instance that was paused is refused after another one took over', async () => {
    const results: string[] = [];
    let resume = (): void => undefined;
    const paused = createVirtualClock();
    const writing =
      (name: string, wait: () => Promise<void>) =>
      ({ collection }: PluginHost): RunningPlugin => ({
        timers: [
          {
            name: 'tick',
            every: '1h',
            run: async ({ fence }) => {
              await wait();
              await collection('entries')
                .put(null, [{ key: 'last', value: { by: name } }], { fence })
                .then(
                  () => results.push(`${name} wrote`),
                  (error: unknown) => {
                    if (error instanceof LeaseLost) results.push(`${name} was refused`);
                  },
                );
            },
          },
        ],
      });
    const first = await startTestHost(
      aPlugin(writing('first', () => new Promise((resolve) => (resume = resolve)))),
      { parts: { ...storage, now, clock: paused } },
    );
    instances.push(first);
    first.startWork();
    await clock.settle();
    await startInstance(writing('second', () => Promise.resolve()));
    await clock.advance(20_000);
    resume();
    await clock.settle();
    expect(results).toEqual(['second wrote', 'first was refused']);
    const kept = await storage.collectionOf('sample', 'entries').get(null, 'last');
    expect(kept?.value).toEqual({ by: 'second' });
  });
});

describe('a lease', () => {
  it('lets one instance work at a time', async () => {
    let hosts: PluginHost[] = [];
    const start = (host: PluginHost): RunningPlugin => {
      hosts = [...hosts, host];
      return {};
    };
    await startInstance(start);
    await startInstance(start);
    const [one, two] = hosts;
    let release = (): void => undefined;
    const working = one!.leases.run('import', () => new Promise((resolve) => (release = resolve)));
    await clock.settle();
    expect(await two!.leases.run('import', () => Promise.resolve())).toBe(false);
    // It is renewed as long as the work takes.
    await clock.advance(5 * MINUTE);
    expect(await two!.leases.run('import', () => Promise.resolve())).toBe(false);
    release();
    expect(await working).toBe(true);
    expect(await two!.leases.run('import', () => Promise.resolve())).toBe(true);
  });

  it('is free again when the work throws, and the error is passed on', async () => {
    let host: PluginHost | undefined;
    await startInstance((given) => {
      host = given;
      return {};
    });
    const failing = host!.leases.run('import', () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await host!.leases.run('import', () => Promise.resolve())).toBe(true);
  });
});

describe('a plugin without background work', () => {
  it('does not query the database', async () => {
    const refuse = () => Promise.reject(new Error('It was not requested.'));
    const idle: MemoryStorage = {
      collectionOf: storage.collectionOf,
      leases: { take: refuse, renew: refuse, release: refuse },
    };
    const host = await startTestHost(
      aPlugin(() => ({})),
      { parts: { ...idle, now, clock } },
    );
    host.startWork();
    await clock.advance(10 * MINUTE);
    await host.stop();
    expect(host.log).toEqual([]);
  });
});
