import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  definePlugin,
  LeaseLost,
  type JobStepResult,
  type PluginHost,
  type RunningPlugin,
} from '../../src/plugin/api.js';
import {
  createMemoryStorage,
  type MemoryStorage,
  startTestHost,
  type TestHost,
} from '../../src/plugin/testing.js';
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
  const instance = await startTestHost(aPlugin(start), { storage, now, clock });
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
      { storage, now, clock: dead },
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
      { storage, now, clock: paused },
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

describe('a job', () => {
  type Step = (checkpoint: number, signal: AbortSignal) => Promise<JobStepResult>;
  let hosts: PluginHost[];
  beforeEach(() => {
    hosts = [];
  });

  const withStep =
    (name: string, step: Step) =>
    (host: PluginHost): RunningPlugin => {
      hosts.push(host);
      return {
        jobs: {
          copy: {
            step: ({ checkpoint, signal }) => {
              ran.push(`${name} ${Number(checkpoint)}`);
              return step(Number(checkpoint), signal);
            },
          },
        },
      };
    };
  const count: Step = (at) => Promise.resolve({ checkpoint: at + 1, isDone: at >= 2 });
  const start = async () =>
    hosts[0]!.jobs.start({ kind: 'copy', tenantId: null, input: {}, id: 'job-1' });
  const find = () => hosts[0]!.jobs.find('job-1');

  it('runs step by step to its end, in one of two instances', async () => {
    await startInstance(withStep('one', count));
    await startInstance(withStep('two', count));
    await start();
    await clock.advance(1_000);
    expect(ran.map((line) => line.split(' ')[1])).toEqual(['0', '1', '2']);
    expect(await find()).toMatchObject({ state: 'done', checkpoint: 3 });
  });

  it('continues from its checkpoint on another instance after a crash', async () => {
    const dead = createVirtualClock();
    const killed = await startTestHost(
      aPlugin(
        withStep('killed', (at) =>
          at < 2 ? count(at, AbortSignal.abort()) : new Promise(() => undefined),
        ),
      ),
      { storage, now, clock: dead },
    );
    killed.startWork();
    await start();
    await dead.advance(1_000);
    expect(ran).toEqual(['killed 0', 'killed 1', 'killed 2']);
    await startInstance(withStep('other', count));
    await clock.advance(20_000);
    expect(ran.slice(3)).toEqual(['other 2']);
    expect(await find()).toMatchObject({ state: 'done' });
  });

  it('continues on another instance when its own stops', async () => {
    const stopping = await startInstance(
      withStep('one', (at, signal) =>
        at < 1
          ? count(at, signal)
          : new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(new Error('stopped')));
            }),
      ),
    );
    await start();
    await clock.advance(1_000);
    await stopping.stop();
    expect(await find()).toMatchObject({ state: 'running', checkpoint: 1, failures: 0 });
    await startInstance(withStep('two', count));
    await clock.advance(1_000);
    expect(ran).toEqual(['one 0', 'one 1', 'two 1', 'two 2']);
  });

  it('is retried with growing pauses and fails after eight failures in a row', async () => {
    const host = await startInstance(withStep('one', () => Promise.reject(new Error('no answer'))));
    await start();
    await clock.advance(1_000);
    expect(await find()).toMatchObject({ state: 'running', failures: 1, error: 'no answer' });
    await clock.advance(10 * MINUTE);
    expect(await find()).toMatchObject({ state: 'failed', failures: 8 });
    expect(ran).toHaveLength(8);
    expect(host.log.filter(({ message }) => message === 'a step of a job failed')).toHaveLength(8);
  });

  it('ends after the running step when it is cancelled', async () => {
    let release = (): void => undefined;
    await startInstance(
      withStep('one', async (at) => {
        await new Promise<void>((resolve) => (release = resolve));
        return { checkpoint: at + 1, isDone: false };
      }),
    );
    await start();
    await clock.advance(1_000);
    expect(await hosts[0]!.jobs.cancel('job-1')).toBe(true);
    release();
    await clock.advance(5_000);
    expect(ran).toEqual(['one 0']);
    expect(await find()).toMatchObject({ state: 'cancelled', checkpoint: null });
  });

  it('of a kind that the plugin does not provide is refused', async () => {
    await startInstance(withStep('one', count));
    await expect(hosts[0]!.jobs.start({ kind: 'fly', tenantId: null, input: {} })).rejects.toThrow(
      'The plugin has no kind of job "fly".',
    );
  });
});

describe('a plugin without background work', () => {
  it('does not query the database', async () => {
    const refuse = () => Promise.reject(new Error('It was not requested.'));
    const idle: MemoryStorage = {
      collectionOf: storage.collectionOf,
      leases: { take: refuse, renew: refuse, release: refuse },
      jobs: { ...storage.jobs, due: refuse },
    };
    const host = await startTestHost(
      aPlugin(() => ({})),
      { storage: idle, now, clock },
    );
    host.startWork();
    await clock.advance(10 * MINUTE);
    await host.stop();
    expect(host.log).toEqual([]);
  });
});
