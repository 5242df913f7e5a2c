import { beforeEach, describe, expect, it } from 'vitest';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import { createSecretBox } from '../../src/plugin/host/secret-box.js';
import { mongoActionResults } from '../../src/store/action-results.js';
import { collectionsOf } from '../../src/store/tables/collections.js';
import { idOf } from '../support/builders.js';
import { useDatabase } from '../support/core.js';

const database = useDatabase();
const MINUTE_MS = 60_000;
let memory: ReturnType<typeof mongoActionResults>;
let now: number;
let keys = 0;

/** A new key, with this body. */
const aKey = (fingerprint = 'body') => ({
  id: `key-${(keys += 1)}`,
  fingerprint,
  tenantId: idOf<TenantId>(1),
});

beforeEach(async () => {
  now = Date.now();
  const collections = collectionsOf(await database.open());
  const box = createSecretBox(new Uint8Array(32));
  memory = mongoActionResults(collections, box, () => new Date(now));
});

const documentOf = async (id: string) =>
  collectionsOf(await database.open()).rememberedAnswers.findOne({ _id: id });

describe('an action with an Idempotency-Key', () => {
  it('is new, then running, then done with its result', async () => {
    const key = aKey();
    expect(await memory.begin(key)).toEqual({ state: 'new' });
    expect(await memory.begin(key)).toEqual({ state: 'running' });
    await memory.end(key, { delivered: true, body: 'ok' });
    const result = { delivered: true, body: 'ok' };
    expect(await memory.begin(key)).toEqual({ state: 'done', result });
  });

  it('is started by one of many concurrent requests', async () => {
    const key = aKey();
    const known = await Promise.all(Array.from({ length: 20 }, () => memory.begin(key)));
    expect(known.filter(({ state }) => state === 'new')).toHaveLength(1);
    expect(known.filter(({ state }) => state === 'running')).toHaveLength(19);
  });

  it('conflicts with another body, whether done or not', async () => {
    const key = aKey();
    const other = { ...key, fingerprint: 'other' };
    await memory.begin(key);
    expect(await memory.begin(other)).toEqual({ state: 'of another body' });
    await memory.end(key, null);
    expect(await memory.begin(other)).toEqual({ state: 'of another body' });
  });

  it('can be started again once it is forgotten, which a finished one cannot be', async () => {
    const key = aKey();
    await memory.begin(key);
    await memory.forget(key);
    expect(await memory.begin(key)).toEqual({ state: 'new' });
    await memory.end(key, 1);
    await memory.forget(key);
    expect(await memory.begin(key)).toEqual({ state: 'done', result: 1 });
  });

  it('is started again by one request a minute after its instance crashed', async () => {
    const key = aKey();
    await memory.begin(key);
    now += MINUTE_MS - 1;
    expect(await memory.begin(key)).toEqual({ state: 'running' });
    now += 1;
    const known = await Promise.all(Array.from({ length: 10 }, () => memory.begin(key)));
    expect(known.filter(({ state }) => state === 'new')).toHaveLength(1);
  });

  it('is stored encrypted for a day', async () => {
    const key = aKey();
    await memory.begin(key);
    await memory.end(key, { body: 'response-of-the-endpoint' });
    const stored = await documentOf(key.id);
    expect(JSON.stringify(stored)).not.toContain('response-of-the-endpoint');
    expect(stored?.expireAt).toEqual(new Date(now + 24 * 60 * MINUTE_MS));
  });
});
