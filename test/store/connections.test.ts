import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiKeyId, TenantId } from '../../src/domain/kernel/ids.js';
import type { CountedFailure, KeyActivity } from '../../src/ports/connections.js';
import { newId } from '../../src/pipeline/submit.js';
import { mongoConnectionStore } from '../../src/store/connections.js';
import { PipelineInstance, useDatabase } from '../support/core.js';

const database = useDatabase();
let core: PipelineInstance;
let store: ReturnType<typeof mongoConnectionStore>;

beforeAll(async () => {
  core = new PipelineInstance(await database.open());
  store = mongoConnectionStore(core.collections);
});

const HOUR_MS = 3_600_000;
/** At the start of an hour. */
const START = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const at = (seconds: number): Date => new Date(START + seconds * 1_000);

const activity = (from: number, until: number, more: Partial<KeyActivity> = {}): KeyActivity => ({
  from: at(from),
  until: at(until),
  requests: 10,
  refused: 1,
  usersChanged: 2,
  ...more,
});

const addTo = (key: ApiKeyId, ...activities: readonly KeyActivity[]): Promise<unknown> =>
  activities.reduce<Promise<void>>(
    (before, one) => before.then(() => store.add(new Map([[key, one]]))),
    Promise.resolve(),
  );

const find = async (key: ApiKeyId, seconds: number) =>
  (await store.find([key], at(seconds))).get(key);

describe('the requests of a key', () => {
  it('of two gateways at once add up to one cycle', async () => {
    const key = newId<ApiKeyId>();
    await Promise.all(
      [activity(0, 20), activity(5, 30), activity(25, 50), activity(31, 60)].map((one) =>
        store.add(new Map([[key, one]])),
      ),
    );
    const cycle = { from: at(0), until: at(60), requests: 40, refused: 4, usersChanged: 8 };
    expect(await store.cycles(key)).toEqual([cycle]);
    expect(await find(key, 60)).toMatchObject({ requests: 40, refused: 4, cycles: [cycle] });
  });

  it('begin another cycle after two minutes, and after an hour without a pause', async () => {
    const key = newId<ApiKeyId>();
    await addTo(key, activity(0, 10), activity(130, 140), activity(261, 270));
    expect((await store.cycles(key)).map(({ from }) => from)).toEqual([at(261), at(0)]);

    const steady = newId<ApiKeyId>();
    for (let minute = 0; minute < 90; minute += 1)
      await addTo(steady, activity(minute * 60, minute * 60 + 30));
    expect((await store.cycles(steady)).map(({ requests }) => requests)).toEqual([300, 600]);
  });

  it('are counted for 24 hours', async () => {
    const key = newId<ApiKeyId>();
    for (let hour = 0; hour < 30; hour += 1)
      await addTo(key, activity(hour * 3_600, hour * 3_600 + 10));
    expect(await find(key, 29 * 3_600 + 60)).toMatchObject({ requests: 240, refused: 24 });
    expect(await find(key, 52 * 3_600)).toMatchObject({ requests: 10, refused: 1 });
    expect(await find(key, 60 * 3_600)).toMatchObject({ requests: 0, refused: 0 });
  });

  it('are kept for 200 cycles, of which a list reads the last', async () => {
    const key = newId<ApiKeyId>();
    for (let cycle = 0; cycle < 205; cycle += 1)
      await addTo(key, activity(cycle * 600, cycle * 600));
    const kept = await store.cycles(key);
    expect([kept.length, kept[0]?.from, kept.at(-1)?.from]).toEqual([
      200,
      at(204 * 600),
      at(3_000),
    ]);
    expect((await find(key, 204 * 600))?.cycles).toHaveLength(13);
  });

  it('keep the last refusal and success, whichever gateway stores first', async () => {
    const key = newId<ApiKeyId>();
    const refusal = (seconds: number, message: string) => ({
      lastSuccessAt: at(seconds - 1),
      lastRefusal: { at: at(seconds), code: 'X', message, requestId: 'request-1' },
    });
    // A text that would be an expression.
    await addTo(
      key,
      activity(0, 10, { ...refusal(10, '$hours'), userAgent: '$cycles' }),
      activity(0, 9, refusal(9, 'earlier')),
    );
    expect(await find(key, 10)).toMatchObject({
      userAgent: '$cycles',
      lastRequestAt: at(10),
      lastSuccessAt: at(9),
      lastRefusal: { at: at(10), message: '$hours' },
    });
  });
});

describe('failed authentications', () => {
  const failure = (slug: string, more: Partial<CountedFailure> = {}): CountedFailure => ({
    slug,
    address: '203.0.113.7',
    keyPrefix: 'rg_00000000',
    reason: 'unknown_key',
    scope: null,
    firstAt: at(0),
    lastAt: at(10),
    count: 1,
    ...more,
  });

  it('of gateways add up by the hour, for tenants that exist', async () => {
    const { id, slug } = await core.createTenant();
    await store.addFailures([failure(slug, { count: 3 }), failure('no-such-tenant')]);
    await store.addFailures([failure(slug, { firstAt: at(5), lastAt: at(20), count: 2 })]);
    await store.addFailures([failure(slug, { firstAt: at(4_000), lastAt: at(4_000) })]);
    expect(await store.failures(id)).toMatchObject([
      { firstAt: at(4_000), count: 1 },
      { firstAt: at(0), lastAt: at(20), count: 5, reason: 'unknown_key' },
    ]);
    expect(await store.failures(id, at(30))).toHaveLength(1);
    const stored = await core.collections.failedAuthentications.countDocuments();
    expect(stored).toBe(2);
  });

  it('are kept up to 100 per tenant', async () => {
    const { id, slug } = await core.createTenant();
    for (let round = 0; round < 3; round += 1)
      await store.addFailures(
        Array.from({ length: 80 }, (_, number) =>
          failure(slug, { address: `203.0.113.${number}`, lastAt: at(round * 3_600 + number) }),
        ),
      );
    const kept = await store.failures(id);
    expect([kept.length, kept[0]?.lastAt]).toEqual([100, at(7_279)]);
    expect(await core.collections.failedAuthentications.countDocuments({ tenant: id })).toBe(100);
  });

  it('name a key that was deleted', async () => {
    const { id, slug } = await core.createTenant();
    const other = await core.createTenant();
    const keyId = newId<ApiKeyId>();
    const hash = `hash of ${keyId}`;
    const create = { keyId, hash, prefix: 'rg_00000000', description: 'Okta', scopes: [] };
    await core.submit<'api-key.create'>(id, { type: 'api-key.create', ...create });
    await store.add(new Map([[keyId, activity(0, 1)]]));
    await core.submit<'api-key.delete'>(id, { type: 'api-key.delete', keyId });

    const reasonsOf = async (tenantId: TenantId, of: string, keyHash: string) => {
      await store.addFailures([failure(of, { keyHash })]);
      return (await store.failures(tenantId)).map(({ reason }) => reason);
    };
    expect(await reasonsOf(id, slug, hash)).toEqual(['deleted_key']);
    expect(await reasonsOf(other.id, other.slug, hash)).toEqual(['unknown_key']);
    expect(await find(keyId, 1)).toBeUndefined();
    expect(await core.collections.connections.findOne({ _id: keyId })).toEqual({
      _id: keyId,
      tenant: id,
      hash,
      expireAt: expect.any(Date) as Date,
    });
  });
});
