import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Fence,
  LeaseLost,
  type LeaseStore,
  type PluginCollection,
  VersionConflict,
} from '../../src/ports/plugin-storage.js';
import { idOf, TENANT_ID } from '../support/builders.js';
import type { TenantId } from '../../src/domain/kernel/ids.js';

/** What plugins store, and a way to let time pass for it. */
export interface StorageBench {
  readonly leases: LeaseStore;
  readonly collectionOf: (plugin: string, collection: string) => PluginCollection;
  readonly pass: (ms: number) => Promise<void>;
}

const OTHER = idOf<TenantId>(0xbeef);
const TTL = 15_000;

let names = 0;
/** Every test has a plugin of its own: the database is the same. */
const freshName = (): string => `plugin-${(names += 1)}`;

/** The promises that the host relies on, whichever storage is behind them. */
export const pluginStorageContract = (open: () => Promise<StorageBench>): void => {
  let bench: StorageBench;
  let plugin: string;
  beforeEach(async () => {
    bench = await open();
    plugin = freshName();
  });

  const take = async (lease: string, owner = 'one'): Promise<Fence | undefined> => {
    const taken = await bench.leases.take({ lease, owner, ttlMs: TTL });
    return 'fence' in taken ? taken.fence : undefined;
  };
  const mustTake = async (lease: string): Promise<Fence> => {
    const fence = await take(lease);
    if (!fence) throw new Error(`${lease} is held.`);
    return fence;
  };

  describe('a lease', () => {
    it('is held by one of many who want it', async () => {
      const owners = Array.from({ length: 20 }, (_, number) => `owner-${number}`);
      const taken = await Promise.all(owners.map((owner) => take(`${plugin}:a`, owner)));
      expect(taken.filter((fence) => fence !== undefined)).toHaveLength(1);
    });

    it('says how long to wait for it', async () => {
      await mustTake(`${plugin}:a`);
      const again = await bench.leases.take({ lease: `${plugin}:a`, owner: 'two', ttlMs: TTL });
      const { waitMs } = again as { waitMs: number };
      expect(waitMs).toBeGreaterThan(TTL - 10_000);
      expect(waitMs).toBeLessThanOrEqual(TTL);
    });

    it('has a token that grows with each holder', async () => {
      const first = await mustTake(`${plugin}:a`);
      await bench.leases.release(first, 0);
      const second = await mustTake(`${plugin}:a`);
      await bench.pass(TTL + 1_000);
      const third = await mustTake(`${plugin}:a`);
      expect(second.token).toBeGreaterThan(first.token);
      expect(third.token).toBeGreaterThan(second.token);
    });

    it('is kept by renewal, and cannot be renewed or released once it is lost', async () => {
      const first = await mustTake(`${plugin}:a`);
      await bench.pass(TTL - 2_000);
      expect(await bench.leases.renew(first, TTL)).toBe(true);
      await bench.pass(TTL - 2_000);
      expect(await take(`${plugin}:a`, 'two')).toBeUndefined();
      await bench.pass(TTL);
      const second = await mustTake(`${plugin}:a`);
      expect(await bench.leases.renew(first, TTL)).toBe(false);
      await bench.leases.release(first, 0);
      expect(await bench.leases.renew(second, TTL)).toBe(true);
    });

    it('is free after the pause that its holder requested, counted from its start', async () => {
      const fence = await mustTake(`${plugin}:a`);
      await bench.leases.release(fence, 60_000);
      expect(await take(`${plugin}:a`)).toBeUndefined();
      await bench.pass(61_000);
      expect(await take(`${plugin}:a`)).toBeDefined();
    });
  });

  describe('a collection', () => {
    const entries = () => bench.collectionOf(plugin, 'entries');

    it('returns documents as they were written, with a version and a time', async () => {
      const value = { text: 'Zoë', $dollar: '$NOW', 'a.b': [1, { c: null }], n: 1.5, on: true };
      await entries().put(TENANT_ID, [{ key: 'one', value }]);
      const found = await entries().get(TENANT_ID, 'one');
      expect(found).toEqual({
        key: 'one',
        value,
        version: 1,
        updatedAt: expect.any(Date) as Date,
      });
      await entries().put(TENANT_ID, [{ key: 'one', value: { text: 'new' } }]);
      expect(await entries().get(TENANT_ID, 'one')).toMatchObject({
        value: { text: 'new' },
        version: 2,
      });
      expect(await entries().get(TENANT_ID, 'two')).toBeUndefined();
    });

    it('writes what is said to be new, whether it is or not', async () => {
      const fence = await mustTake(`${plugin}:new`);
      for (const options of [{}, { fence }])
        for (const n of [1, 2]) {
          const documents = ['one', `only in ${n}`].map((key) => ({ key, value: { n } }));
          await entries().put(
            TENANT_ID,
            documents.map((document) => ({ ...document, isNew: true as const })),
            options,
          );
          const found = await entries().getMany(TENANT_ID, ['one', `only in ${n}`]);
          expect([...found.values()].map(({ value }) => value)).toEqual([{ n }, { n }]);
        }
      const one = await entries().get(TENANT_ID, 'one');
      expect(one?.updatedAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
    });

    it('returns only the fields that are asked for', async () => {
      await entries().put(TENANT_ID, [{ key: 'one', value: { a: 1, b: { c: 2 }, d: 3 } }]);
      const fields = ['a', 'b'];
      const [listed] = await entries().list(TENANT_ID, { fields });
      expect(listed).toMatchObject({ key: 'one', value: { a: 1, b: { c: 2 } }, version: 1 });
      expect(listed?.value).not.toHaveProperty('d');
      const found = await entries().getMany(TENANT_ID, ['one'], { fields: [] });
      expect(found.get('one')?.value).toEqual({});
    });

    it('belongs to a plugin, a name and an owner', async () => {
      await entries().put(TENANT_ID, [{ key: 'one', value: {} }]);
      expect(await entries().get(OTHER, 'one')).toBeUndefined();
      expect(await entries().get(null, 'one')).toBeUndefined();
      expect(await bench.collectionOf(plugin, 'others').get(TENANT_ID, 'one')).toBeUndefined();
      const stranger = bench.collectionOf(freshName(), 'entries');
      expect(await stranger.get(TENANT_ID, 'one')).toBeUndefined();
      await entries().put(null, [{ key: 'one', value: { global: true } }]);
      expect(await entries().get(null, 'one')).toMatchObject({ value: { global: true } });
    });

    it('lists by prefix and place, in the order of keys', async () => {
      const keys = ['b:2', 'a:1', 'a:3', 'a:2', 'c'];
      await entries().put(
        null,
        keys.map((key) => ({ key, value: {} })),
      );
      const keysOf = async (query?: Parameters<PluginCollection['list']>[1]) =>
        (await entries().list(null, query)).map(({ key }) => key);
      expect(await keysOf()).toEqual(['a:1', 'a:2', 'a:3', 'b:2', 'c']);
      expect(await keysOf({ prefix: 'a:' })).toEqual(['a:1', 'a:2', 'a:3']);
      expect(await keysOf({ prefix: 'a:', after: 'a:1', limit: 1 })).toEqual(['a:2']);
      expect(await keysOf({ after: 'b:2' })).toEqual(['c']);
      const many = await entries().getMany(null, ['c', 'a:1', 'none']);
      expect([...many.keys()].sort()).toEqual(['a:1', 'c']);
    });

    it('deletes documents, and forgets those whose time is over', async () => {
      const soon = new Date(Date.now() + 30_000);
      await entries().put(null, [
        { key: 'stays', value: {} },
        { key: 'goes', value: {} },
        { key: 'ends', value: {}, expiresAt: soon },
      ]);
      await entries().delete(null, ['goes', 'unknown']);
      expect((await entries().list(null)).map(({ key }) => key)).toEqual(['ends', 'stays']);
      await bench.pass(60_000);
      expect((await entries().list(null)).map(({ key }) => key)).toEqual(['stays']);
      await entries().put(null, [{ key: 'ends', value: {}, ifVersion: 0 }]);
      expect(await entries().get(null, 'ends')).toMatchObject({ version: 1 });
    });

    it('deletes all documents whose key starts with a prefix', async () => {
      await entries().put(
        null,
        ['a:1', 'a:2', 'ab', 'b:1'].map((key) => ({ key, value: {} })),
      );
      const held = await mustTake(`${plugin}:clear`);
      await entries().clear(null, 'a:', { fence: held });
      expect((await entries().list(null)).map(({ key }) => key)).toEqual(['ab', 'b:1']);
      await bench.leases.release(held, 0);
      await expect(entries().clear(null, 'b:', { fence: held })).rejects.toThrow(LeaseLost);
      await expect(entries().clear(null, '')).rejects.toThrow(RangeError);
      expect((await entries().list(null)).map(({ key }) => key)).toEqual(['ab', 'b:1']);
    });

    it('deletes a range of keys', async () => {
      const keys = ['a:1', 'a:2', 'a:3', 'a:4', 'b:2'];
      await entries().put(
        null,
        keys.map((key) => ({ key, value: {} })),
      );
      await entries().clear(null, 'a:', { after: 'a:1', upTo: 'a:3' });
      expect((await entries().list(null)).map(({ key }) => key)).toEqual(['a:1', 'a:4', 'b:2']);
    });

    it('counts every one of many additions at once', async () => {
      const many = Array.from({ length: 50 }, () =>
        entries().add(TENANT_ID, 'sum', { one: 1, ten: 10 }),
      );
      const sums = (await Promise.all(many)).map(({ value }) => value['one']);
      expect(new Set(sums).size).toBe(50);
      expect(await entries().get(TENANT_ID, 'sum')).toMatchObject({
        value: { one: 50, ten: 500 },
        version: 50,
      });
      await entries().put(TENANT_ID, [{ key: 'other', value: { text: 'stays', one: 1 } }]);
      const { value } = await entries().add(TENANT_ID, 'other', { one: -3, two: 2 });
      expect(value).toEqual({ text: 'stays', one: -2, two: 2 });
    });

    it('stores one of many documents with a key at once, and refuses the others', async () => {
      const many = Array.from({ length: 20 }, (_, n) =>
        entries().put(TENANT_ID, [{ key: 'one', value: { n }, ifVersion: 0 }]),
      );
      const ended = await Promise.allSettled(many);
      const refused = ended.filter((one) => one.status === 'rejected');
      expect(refused).toHaveLength(19);
      expect(refused.every(({ reason }) => reason instanceof VersionConflict)).toBe(true);
      expect(await entries().get(TENANT_ID, 'one')).toMatchObject({ version: 1 });
    });

    it('writes nothing if one document has another version', async () => {
      await entries().put(null, [{ key: 'one', value: { n: 1 }, ifVersion: 0 }]);
      await entries().put(null, [{ key: 'one', value: { n: 2 }, ifVersion: 1 }]);
      const conflict = entries().put(null, [
        { key: 'two', value: {} },
        { key: 'one', value: { n: 3 }, ifVersion: 1 },
      ]);
      await expect(conflict).rejects.toThrow(VersionConflict);
      const exists = entries().put(null, [{ key: 'one', value: {}, ifVersion: 0 }]);
      await expect(exists).rejects.toThrow(VersionConflict);
      const missing = entries().put(null, [{ key: 'three', value: {}, ifVersion: 4 }]);
      await expect(missing).rejects.toThrow(VersionConflict);
      expect((await entries().list(null)).map(({ key }) => key)).toEqual(['one']);
      expect(await entries().get(null, 'one')).toMatchObject({ value: { n: 2 }, version: 2 });
    });

    it('refuses documents that are too large, too many, or without a key', async () => {
      const large = { key: 'large', value: { text: 'x'.repeat(1024 * 1024) } };
      await expect(entries().put(null, [large])).rejects.toThrow(
        /up to 1048576 bytes; "large" has/,
      );
      await expect(entries().put(null, [{ key: '', value: {} }])).rejects.toThrow('1 to 256');
      const many = Array.from({ length: 1_001 }, (_, n) => ({ key: `${n}`, value: {} }));
      await expect(entries().put(null, many)).rejects.toThrow('Up to 1000 documents');
    });

    it('is written with a fence only while the lease is held', async () => {
      const stale = await mustTake(`${plugin}:a`);
      await entries().put(null, [{ key: 'one', value: { by: 1 } }], { fence: stale });
      await bench.pass(TTL + 1_000);
      const late = entries().put(null, [{ key: 'one', value: { by: 0 } }], { fence: stale });
      await expect(late).rejects.toThrow(LeaseLost);
      const held = await mustTake(`${plugin}:a`);
      await entries().put(null, [{ key: 'one', value: { by: 2 } }], { fence: held });
      await expect(entries().delete(null, ['one'], { fence: stale })).rejects.toThrow(LeaseLost);
      expect(await entries().get(null, 'one')).toMatchObject({ value: { by: 2 } });
      await entries().delete(null, ['one'], { fence: held });
      expect(await entries().get(null, 'one')).toBeUndefined();
    });
  });
};
