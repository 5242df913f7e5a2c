import type { mongo } from 'mongoose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  DriverTimeoutError,
  guardPort,
  openSessionPool,
} from '../../../src/store/commit/session-pool.js';

/** A client whose sessions are only counted. */
const countingClient = () => {
  let opened = 0;
  const ended: number[] = [];
  const startSession = () => {
    const number = (opened += 1);
    return { number, id: { id: number }, endSession: () => Promise.resolve(ended.push(number)) };
  };
  return { client: { startSession } as unknown as mongo.MongoClient, ended };
};

const sum = (one: number, other: number): Promise<number> => Promise.resolve(one + other);

const numberOf = (session: unknown): number => (session as { readonly number: number }).number;

describe('a session whose work never ends', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is replaced, and the caller gets an error', async () => {
    const { client, ended } = countingClient();
    const pool = openSessionPool(client, 1);
    const hung = pool.use(() => new Promise(() => undefined));
    const rejected = expect(hung).rejects.toBeInstanceOf(DriverTimeoutError);
    await vi.advanceTimersByTimeAsync(9_000);
    await rejected;
    expect(ended).toEqual([1]);
    expect(await pool.use((session) => Promise.resolve(numberOf(session)))).toBe(2);
    expect(pool.ids()).toHaveLength(1);
  });

  it('leaves the others in the pool if one more cannot be registered', async () => {
    const { client, ended } = countingClient();
    const register = () => Promise.reject(new Error('away'));
    const pool = openSessionPool(client, 1, { register });
    const busy = pool.use(() => new Promise(() => undefined));
    await expect(pool.use(() => Promise.resolve())).rejects.toThrow('away');
    expect(ended).toEqual([2]);
    expect(pool.ids()).toHaveLength(1);
    void busy.catch(() => undefined);
  });

  it('does not stop the operations of a port', async () => {
    const port = guardPort({ hang: () => new Promise(() => undefined), add: sum });
    const rejected = expect(port.hang()).rejects.toBeInstanceOf(DriverTimeoutError);
    await vi.advanceTimersByTimeAsync(9_000);
    await rejected;
    expect(await port.add(1, 2)).toBe(3);
  });

  it('is kept if the work fails', async () => {
    const { client, ended } = countingClient();
    const pool = openSessionPool(client, 1);
    await expect(pool.use(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await pool.use((session) => Promise.resolve(numberOf(session)))).toBe(1);
    expect(ended).toEqual([]);
  });
});
