import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../config/config-error.js';
import {
  type Connector,
  type RunningConnector,
  SourceError,
} from '../../../src/plugin/contract/connector-contract.js';
import { guardConnector } from '../../../src/plugin/connector-runtime/guard-connector.js';
import { createRedact } from '../../../src/plugin/connector-runtime/redact.js';
import { createWatchdog } from '../../../src/plugin/connector-runtime/watchdog.js';
import { z } from '../../../src/plugin/api.js';
import { createVirtualClock } from '../../support/virtual-clock.js';

const never = () => new Promise<never>(() => undefined);

const guard = (running: Partial<RunningConnector>) => {
  const clock = createVirtualClock();
  const watchdog = createWatchdog(clock);
  let hangs = 0;
  const open = guardConnector({
    connector: { record: z.object({ name: z.string() }) } as unknown as Connector,
    running: { check: never, read: () => hanging(), ...running },
    watchdog,
    clock,
    redact: createRedact(['hunter2']),
    onHang: () => {
      hangs += 1;
    },
  });
  return { open, clock, watchdog, hangs: () => hangs };
};

const hanging = (): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: never, return: never }),
});

const REQUEST = {
  mode: 'full',
  cursor: null,
  isResumed: false,
  pageSize: 100,
  signal: new AbortController().signal,
} as const;

/** What a read ended with, as far as it has. */
const endOf = (open: ReturnType<typeof guard>['open']) => {
  const end: { error?: SourceError; last?: string } = {};
  void (async () => {
    try {
      for await (const message of open.read(REQUEST)) end.last = message.type;
    } catch (error) {
      end.error = error as SourceError;
    }
  })();
  return end;
};

describe('a read without a sign of life', () => {
  it('ends after two minutes', async () => {
    const { open, clock, hangs } = guard({});
    const end = endOf(open);
    await clock.advance(119_000);
    expect(end.error).toBeUndefined();
    await clock.advance(2_000);
    expect(end.error).toMatchObject({ kind: 'network' });
    expect(hangs()).toBe(1);
  });

  it('continues while the connector waits as its source requests', async () => {
    const { open, clock, watchdog } = guard({});
    const end = endOf(open);
    const release = watchdog.hold();
    await clock.advance(900_000);
    expect(end.error).toBeUndefined();
    release();
    await clock.advance(119_000);
    expect(end.error).toBeUndefined();
    await clock.advance(2_000);
    expect(end.error).toBeDefined();
  });
});

describe('a check', () => {
  const check = async (run: RunningConnector['check'], ms = 0) => {
    const { open, clock, hangs } = guard({ check: run });
    const result = open.check(new AbortController().signal);
    await clock.advance(ms);
    return { result: await result, hangs: hangs() };
  };

  it('fails after 30 s', async () => {
    const { result, hangs } = await check(never, 30_000);
    expect(result).toEqual({
      ok: false,
      kind: 'network',
      message: 'The check took longer than 30 s.',
    });
    expect(hangs).toBe(1);
  });

  it.each([
    [new SourceError('auth', 'The password hunter2 is wrong.'), 'auth', 'The password [secret] is'],
    [new ConfigError([{ place: 'x', key: 'y', message: 'is not set' }]), 'config', 'is not set'],
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'network', 'refused'],
    [new TypeError('x is undefined'), 'schema', 'The connector failed: x is undefined'],
    [undefined, 'schema', 'The connector failed: undefined'],
  ])('that throws %s has failed', async (error, kind, message) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    const { result } = await check(() => Promise.reject(error));
    expect(result).toMatchObject({ ok: false, kind });
    expect(result.message).toContain(message);
  });
});
