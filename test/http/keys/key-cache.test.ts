import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ApiKeyId, TenantId } from '../../../src/domain/kernel/ids.js';
import { type FoundKey, createKeyCache } from '../../../src/http/access/authenticate-key.js';
import { aTenant, idOf, NOW } from '../../support/builders.js';

const found = (number: number): FoundKey => {
  const tenant = aTenant({ id: idOf<TenantId>(1000 + number) });
  const key = {
    id: idOf<ApiKeyId>(number),
    tenantId: tenant.id,
    hash: `h${number}`,
    prefix: 'rg_00000000',
    description: '',
    scopes: [],
    createdAt: NOW,
  };
  return { key, tenant };
};

/** A cache whose reads the test resolves. */
const createTestCache = (capacity?: number) => {
  const clock = { now: 0 };
  const reads: {
    hash: string;
    end: (value: FoundKey | undefined) => void;
    fail: (error: Error) => void;
  }[] = [];
  const cache = createKeyCache({
    now: () => clock.now,
    findByHash: (hash) =>
      new Promise((resolve, reject) => reads.push({ hash, end: resolve, fail: reject })),
    ...(capacity !== undefined && { capacity }),
  });
  const hold = async (number: number): Promise<void> => {
    const lookup = cache.find(`h${number}`);
    await nextTurn();
    reads.at(-1)!.end(found(number));
    await lookup;
  };
  return { cache, clock, reads, hold };
};

describe('the key cache', () => {
  it('reads a key once for concurrent requests', async () => {
    const { cache, reads } = createTestCache();
    const lookups = [cache.find('h1'), cache.find('h1'), cache.find('h1')];
    await nextTurn();
    reads[0]!.end(found(1));
    expect((await Promise.all(lookups)).map((one) => one?.key.id)).toEqual(
      Array.from({ length: 3 }, () => idOf(1)),
    );
    expect(reads).toHaveLength(1);
  });

  it('keeps an entry for 900 ms from the start of its read', async () => {
    const { cache, clock, reads } = createTestCache();
    const lookup = cache.find('h1');
    await nextTurn();
    clock.now = 400;
    reads[0]!.end(found(1));
    await lookup;
    clock.now = 449;
    await cache.find('h1');
    expect(reads).toHaveLength(1);
    clock.now = 901;
    const again = cache.find('h1');
    expect(reads).toHaveLength(2);
    reads[1]!.end(undefined);
    expect(await again).toBeUndefined();
  });

  it('refreshes a key in use in the background, so that no request waits', async () => {
    const { cache, clock, reads, hold } = createTestCache();
    await hold(1);
    clock.now = 500;
    expect((await cache.find('h1'))?.key.id).toBe(idOf(1));
    await cache.find('h1');
    expect(reads).toHaveLength(2);
    reads[1]!.end(found(1));
    await Promise.resolve();
    clock.now = 1_300;
    expect((await cache.find('h1'))?.key.id).toBe(idOf(1));
  });

  it('keeps the old expiry if the refresh fails', async () => {
    const { cache, clock, reads, hold } = createTestCache();
    await hold(1);
    clock.now = 500;
    await cache.find('h1');
    reads[1]!.fail(new Error('away'));
    await Promise.resolve();
    clock.now = 900;
    expect((await cache.find('h1'))?.key.id).toBe(idOf(1));
    clock.now = 901;
    void cache.find('h1');
    await nextTurn();
    expect(reads).toHaveLength(3);
  });

  it('drops a key when the refresh no longer finds it', async () => {
    const { cache, clock, reads, hold } = createTestCache();
    await hold(1);
    clock.now = 500;
    await cache.find('h1');
    reads[1]!.end(undefined);
    await Promise.resolve();
    void cache.find('h1');
    await nextTurn();
    expect(reads).toHaveLength(3);
  });

  it('caches neither unknown keys nor errors', async () => {
    const { cache, reads } = createTestCache();
    const missing = cache.find('h1');
    await nextTurn();
    reads[0]!.end(undefined);
    expect(await missing).toBeUndefined();
    const failing = cache.find('h1');
    await nextTurn();
    reads[1]!.fail(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    void cache.find('h1');
    await nextTurn();
    expect(reads).toHaveLength(3);
  });

  it('drops a deleted key immediately, and the result of a read in progress', async () => {
    const { cache, clock, reads, hold } = createTestCache();
    await hold(1);
    await hold(2);
    clock.now = 500;
    await cache.find('h1');
    cache.invalidateKey(idOf<ApiKeyId>(1));
    reads[2]!.end(found(1));
    await Promise.resolve();
    void cache.find('h1');
    await nextTurn();
    expect(reads.map(({ hash }) => hash)).toEqual(['h1', 'h2', 'h1', 'h1']);
    expect((await cache.find('h2'))?.key.id).toBe(idOf(2));
  });

  it('does not cache a first read that started before the deletion', async () => {
    const { cache, reads } = createTestCache();
    const lookup = cache.find('h1');
    await nextTurn();
    cache.invalidateKey(idOf<ApiKeyId>(1));
    reads[0]!.end(found(1));
    await lookup;
    void cache.find('h1');
    await nextTurn();
    expect(reads).toHaveLength(2);
  });

  it('drops all keys of a tenant', async () => {
    const { cache, reads, hold } = createTestCache();
    await hold(1);
    cache.invalidateTenant(idOf<TenantId>(1001));
    void cache.find('h1');
    await nextTurn();
    expect(reads).toHaveLength(2);
  });

  it('has no more entries than its capacity', async () => {
    const { cache, reads, hold } = createTestCache(2);
    for (const number of [1, 2, 3]) await hold(number);
    await cache.find('h3');
    void cache.find('h1');
    await nextTurn();
    expect(reads.map(({ hash }) => hash)).toEqual(['h1', 'h2', 'h3', 'h1']);
  });

  it('reads few unknown keys at once, and known ones next to them', async () => {
    // given a key that was found, and a flood of made-up ones
    const { cache, clock, reads, hold } = createTestCache();
    await hold(1);
    for (let madeUp = 0; madeUp < 100; madeUp += 1) void cache.find(`made up ${madeUp}`);
    await nextTurn();
    expect(reads).toHaveLength(5);

    // when the known key has to be read again
    clock.now = 2_000;
    void cache.find('h1');

    // then it does not wait; a made-up one is read when an earlier one was not found
    expect(reads.at(-1)?.hash).toBe('h1');
    reads[1]!.end(undefined);
    await nextTurn();
    expect(reads.at(-1)?.hash).toBe('made up 4');
  });
});
