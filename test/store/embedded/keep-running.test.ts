import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepRunning } from '../../../src/store/embedded/start-embedded-mongo.js';
import type { MongodProcess } from '../../../src/store/embedded/mongod-process.js';
import { eventually } from '../../support/eventually.js';

interface FakeProcess extends MongodProcess {
  readonly die: () => void;
  stopped: boolean;
}

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
}

const defer = <Value>(): Deferred<Value> => {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
};

const fakeProcess = (): FakeProcess => {
  const { promise: ended, resolve } = defer<undefined>();
  const die = (): void => resolve(undefined);
  const fake: FakeProcess = {
    ended,
    die,
    stopped: false,
    stop: () => {
      fake.stopped = true;
      die();
      return ended;
    },
  };
  return fake;
};

const errors: string[] = [];
const log = {
  info: () => {},
  warn: () => {},
  error: (_fields: object, message: string) => void errors.push(message),
};
afterEach(() => void errors.splice(0));

/** Starts these processes in turn; an Error is a start that fails. */
const startsOf = (...outcomes: readonly (FakeProcess | Error)[]) => {
  const left = [...outcomes];
  return vi.fn(() => {
    const next = left.shift();
    return next === undefined || next instanceof Error
      ? Promise.reject(next ?? new Error('no more processes'))
      : Promise.resolve(next);
  });
};

describe('a process that is kept running', () => {
  it('is started once and stopped at the end', async () => {
    const only = fakeProcess();
    const start = startsOf(only);
    const { stop } = await keepRunning(start, log);
    await stop();
    expect(start).toHaveBeenCalledTimes(1);
    expect(only.stopped).toBe(true);
    expect(errors).toEqual([]);
  });

  it('is restarted when it exits, also after a failed start', async () => {
    const [first, last] = [fakeProcess(), fakeProcess()];
    const start = startsOf(first, new Error('the disk is full'), last);
    const { stop } = await keepRunning(start, log);

    first.die();
    await eventually(() => expect(start).toHaveBeenCalledTimes(3));
    await stop();

    expect(last.stopped).toBe(true);
    expect(errors).toEqual([
      'the embedded mongod exited unexpectedly; restarting it (see mongod.log)',
      'cannot restart the embedded mongod',
    ]);
  });

  it('is stopped if it comes up during the stop', async () => {
    const [first, late] = [fakeProcess(), fakeProcess()];
    const { promise, resolve } = defer<FakeProcess>();
    const start = vi.fn<() => Promise<MongodProcess>>(() => promise);
    start.mockResolvedValueOnce(first);
    const { stop } = await keepRunning(start, log);

    first.die();
    await eventually(() => expect(start).toHaveBeenCalledTimes(2));
    const stopping = stop();
    resolve(late);
    await stopping;

    expect(late.stopped).toBe(true);
  });

  it('is not retried if the first start fails', async () => {
    await expect(keepRunning(startsOf(new Error('no mongod')), log)).rejects.toThrow('no mongod');
  });
});
