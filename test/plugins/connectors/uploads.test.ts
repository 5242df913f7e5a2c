import { describe, expect, it } from 'vitest';
import type { JsonValue, PluginCollection } from '../../../src/plugin/api.js';
import { createMemoryStorage } from '../../../src/plugin/testing/memory-storage.js';
import { appliedIn } from '../../../plugins/connectors/uploads/upload-cursor.js';
import { readUploads } from '../../../plugins/connectors/uploads/read-uploads.js';
import {
  type SnapshotStep,
  UPLOAD_LIMITS,
  type UploadLimits,
  UploadStore,
} from '../../../plugins/connectors/uploads/upload-store.js';
import { createConnectorStore } from '../../../plugins/connectors/run/connector-store.js';
import { TENANT_ID } from '../../support/builders.js';

const person = (externalId: string, more: object = {}) => ({ externalId, ...more });

/** The uploads of one connector, in memory, and how often documents are written. */
const openUploads = (limits: Partial<UploadLimits> = {}) => {
  const now = (): Date => new Date('2026-03-01T08:00:00Z');
  const storage = createMemoryStorage(now);
  const real = storage.collectionOf('connectors', 'uploads');
  const count = { writes: 0 };
  /** Runs before a write; others come in between, as between two requests to a database. */
  let before = (_key: string | undefined): Promise<void> =>
    new Promise((resolve) => setImmediate(resolve));
  const uploads: PluginCollection = {
    ...real,
    put: async (owner, documents, options) => {
      count.writes += 1;
      await before(documents[0]?.key);
      await real.put(owner, documents, options);
    },
    add: async (...given) => {
      count.writes += 1;
      return real.add(...given);
    },
  };
  const parts = {
    collection: (name: string) =>
      name === 'uploads' ? uploads : storage.collectionOf('connectors', name),
    tenantId: TENANT_ID,
    connector: 'payroll',
    now,
  };
  const store = new UploadStore(parts, { ...UPLOAD_LIMITS, ...limits });
  let cursor: JsonValue = null;

  const upload = (ids: readonly (string | object)[], step?: SnapshotStep) =>
    store.add(
      ids.map((one) => (typeof one === 'string' ? person(one) : one)) as never,
      step,
      appliedIn(cursor),
    );
  /** What a run reads; it is applied, unless it is only looked at. */
  const read = async (mode: 'delta' | 'full', { isApplied = true } = {}) => {
    const reading = readUploads({
      store: { ...createConnectorStore(parts), uploads: store },
      run: { id: 'run', mode, from: cursor, checkpoint: null },
      signal: new AbortController().signal,
    });
    const records: Record<string, unknown>[] = [];
    for await (const message of reading) {
      if (message.type === 'record') records.push(message.data);
      if (message.type === 'complete' && isApplied) cursor = message.cursor ?? null;
    }
    if (isApplied) await store.drop(appliedIn(cursor));
    return records;
  };
  const idsOf = async (mode: 'delta' | 'full') =>
    (await read(mode)).map(({ externalId }) => externalId);
  const keys = async (prefix: string) =>
    (await real.list(TENANT_ID, { prefix, limit: 1_000 })).map(({ key }) => key);

  return {
    store,
    upload,
    read,
    idsOf,
    count,
    keys,
    applied: () => appliedIn(cursor),
    beforeWrite: (pause: typeof before) => (before = pause),
  };
};

const large = (bytes: number) => ({ externalId: 'large', text: 'x'.repeat(bytes) });

describe('uploads', () => {
  it('are an insert and a number each, however many come at once', async () => {
    const { upload, idsOf, count } = openUploads();
    const ids = Array.from({ length: 120 }, (_, at) => `p${at}`);

    const stored = await Promise.all(ids.map((id) => upload([id])));

    expect(count.writes).toBe(240);
    // They are read in the order of their numbers.
    const inOrder = [...stored].sort((one, other) => one.at.changes - other.at.changes);
    expect(await idsOf('delta')).toEqual(inOrder.map(({ people }) => people[0]?.['externalId']));
  });

  it('are found by their ids', async () => {
    const { upload, store } = openUploads();
    const [change, part] = [await upload(['ada']), await upload(['ada'], 'start')];
    expect(await store.find(change.id)).toEqual(change);
    expect(await store.find(part.id)).toEqual(part);
    expect(change.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    expect(await store.find('ada')).toBeUndefined();
    expect(await store.find(change.id.replace(/....$/, 'ffff'))).toBeUndefined();
  });

  it('are not held up by a number whose gateway ended', async () => {
    const { upload, idsOf, beforeWrite } = openUploads();
    await upload(['ada']);
    beforeWrite(() => Promise.reject(new Error('killed')));
    await expect(upload(['bob'])).rejects.toThrow('killed');
    beforeWrite(() => Promise.resolve());
    await upload(['cid']);

    expect(await idsOf('delta')).toEqual(['ada', 'cid']);
    expect(await idsOf('delta')).toEqual([]);
  });

  it('are never passed over if they are stored after a run has read past their number', async () => {
    const { upload, idsOf, beforeWrite } = openUploads();
    let store: () => void = () => undefined;
    beforeWrite(() => new Promise((resolve) => (store = resolve)));
    const slow = upload(['slow']);
    await new Promise((resolve) => setImmediate(resolve));
    beforeWrite(() => Promise.resolve());
    await upload(['fast']);
    expect(await idsOf('delta')).toEqual(['fast']);

    store();
    await slow;

    expect(await idsOf('delta')).toEqual(['slow']);
  });
});

describe('a complete list', () => {
  it('has all parts that were sent at once, also those after the last one', async () => {
    const { upload, idsOf } = openUploads();
    await upload(['first'], 'start');
    await upload(['last'], 'complete');
    await expect(upload(['late'], 'continue')).rejects.toMatchObject({
      refusal: { code: 'SNAPSHOT_NOT_OPEN' },
    });
    const ids = Array.from({ length: 30 }, (_, at) => `p${at}`);
    await upload(['next'], 'start');
    await Promise.all([
      ...ids.slice(0, 10).map((id) => upload([id], 'continue')),
      upload(['end'], 'complete'),
      ...ids.slice(10).map((id) => upload([id], 'continue')),
    ]);

    expect((await idsOf('full')).sort()).toEqual(['end', 'next', ...ids].sort());
  });

  it('is completed once', async () => {
    const { upload } = openUploads();
    await upload(['ada'], 'start');
    const ended = await Promise.allSettled([upload([], 'complete'), upload([], 'complete')]);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('has changes that were uploaded while it was, if they are later', async () => {
    const { upload, read, idsOf } = openUploads();
    await upload([person('eve', { title: 'Before' }), 'dan']);
    await upload([person('ada', { active: true })], 'start');
    await upload([person('ada', { active: false }), person('bob', { title: 'Early' })]);
    await upload(
      [person('bob', { title: 'Listed' }), person('eve', { title: 'Listed' })],
      'complete',
    );
    await upload([person('eve', { title: 'After' })]);
    // Changes before it are applied first.
    expect(await idsOf('delta')).toEqual(['eve', 'dan', 'ada', 'bob']);

    const people = await read('full');

    expect(people).toEqual([
      person('eve', { title: 'Listed' }),
      person('bob', { title: 'Listed' }),
      person('ada', { active: false }),
    ]);
    expect(await idsOf('delta')).toEqual(['eve']);
    // Everybody is read again, as they are by now.
    expect(await read('full')).toMatchObject([{ title: 'After' }, {}, { active: false }]);
  });

  it('is read with the changes that wait, if an operator starts a full run', async () => {
    const { upload, read, idsOf } = openUploads();
    await upload([person('ada', { active: false }), person('bob', { title: 'Old' })]);
    await upload([person('bob', { title: 'Listed' })], 'start');
    await upload([], 'complete');

    expect(await read('full')).toEqual([
      person('bob', { title: 'Listed' }),
      person('ada', { active: false }),
    ]);
    expect(await idsOf('delta')).toEqual([]);
  });

  it('that is deleted during a read fails the read: no one is missing', async () => {
    const { upload, read, store, applied } = openUploads();
    await upload(['ada'], 'start');
    await upload(['bob'], 'complete');
    const readParts = store.parts.bind(store);
    Object.assign(store, {
      parts: async function* (list: never) {
        await upload(['new'], 'start');
        await upload([], 'complete');
        await upload(['newer'], 'start');
        yield* readParts(list);
      },
    });

    await expect(read('full')).rejects.toThrow('no longer stored');
    expect(applied().lists).toBe(0);
  });
});

describe('what is stored of uploads', () => {
  it('is bounded while changes wait: 429 until a run has read them', async () => {
    const { upload, idsOf } = openUploads({ waiting: 3 });
    for (const id of ['a', 'b', 'c']) await upload([id]);
    await expect(upload(['d'])).rejects.toMatchObject({
      refusal: { code: 'RATE_LIMITED', retryAfter: 60 },
    });
    await idsOf('delta');
    await upload(['d']);
    expect(await idsOf('delta')).toEqual(['d']);
  });

  it('is bounded in bytes, also after a number was lost', async () => {
    const { upload, idsOf, beforeWrite } = openUploads({ waitingBytes: 5_000 });
    beforeWrite(() => Promise.reject(new Error('killed')));
    for (const _ of [1, 2]) await expect(upload([large(2_000)])).rejects.toThrow('killed');
    beforeWrite(() => Promise.resolve());
    await upload([large(2_000)]);
    await upload([large(2_000)]);
    await expect(upload([large(2_000)])).rejects.toMatchObject({
      refusal: { code: 'RATE_LIMITED' },
    });
    await idsOf('delta');
    await upload([large(2_000)]);
  });

  it('is bounded within a list, which another one replaces', async () => {
    const { upload, idsOf, keys } = openUploads({ listBytes: 3_000 });
    await upload(['ada'], 'start');
    await upload([large(2_000)], 'continue');
    await expect(upload([large(2_000)], 'continue')).rejects.toMatchObject({
      refusal: { code: 'PAYLOAD_TOO_LARGE' },
    });

    await upload(['bob'], 'start');
    expect(await keys('p:')).toHaveLength(1);
    await upload([], 'complete');

    expect(await idsOf('full')).toEqual(['bob']);
  });

  it('is deleted when a later list replaces it', async () => {
    const { upload, idsOf, keys } = openUploads();
    for (const name of ['one', 'two', 'three']) {
      await upload([`${name} changed`]);
      await idsOf('delta');
      await upload([name], 'start');
      await upload([], 'complete');
      expect(await idsOf('full')).toEqual([name]);
    }
    // The applied list and nothing else.
    expect(await keys('l:')).toHaveLength(1);
    expect(await keys('p:')).toHaveLength(2);
    expect(await keys('c:')).toEqual([]);
  });

  it('has at most three lists if no run is done', async () => {
    const { upload, keys } = openUploads();
    for (let at = 0; at < 10; at += 1) {
      await upload([`p${at}`], 'start');
      await upload([], 'complete');
    }
    await upload(['open'], 'start');
    expect(await keys('l:')).toHaveLength(2);
    expect(await keys('p:')).toHaveLength(3);
  });

  it('has the newest changes only, once they were applied', async () => {
    const { upload, idsOf, keys } = openUploads({ appliedBytes: 5_000 });
    for (let at = 0; at < 10; at += 1) {
      await upload([large(1_000)]);
      await idsOf('delta');
    }
    expect(await keys('c:')).toHaveLength(5);
  });

  it('has no list after which too much was changed', async () => {
    const { upload, read, idsOf, keys } = openUploads({ appliedBytes: 5_000 });
    await upload(['ada'], 'start');
    await upload([], 'complete');
    await idsOf('full');
    await upload([large(4_000)]);
    await idsOf('delta');
    expect(await idsOf('full')).toEqual(['ada', 'large']);

    await upload([large(4_000)]);
    await idsOf('delta');

    await expect(read('full')).rejects.toThrow('no longer stored');
    expect(await keys('p:')).toEqual([]);
  });
});
