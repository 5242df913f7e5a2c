import { beforeAll, describe, expect, it } from 'vitest';
import type { mongo } from 'mongoose';
import type { ApiKeyId, TenantId } from '../../src/domain/kernel/ids.js';
import { newId } from '../../src/pipeline/submit.js';
import { mongoApiKeyReader, mongoTenantReader } from '../../src/store/read/tenant-readers.js';
import { mongoPluginNotes } from '../../src/store/plugin-records.js';
import { noteIdOf } from '../../src/store/tables/plugins.js';
import { purgeTenants } from '../../src/store/upkeep.js';
import { ALL_COLLECTIONS } from '../../src/store/tables/collections.js';
import { PipelineInstance, useDatabase } from '../support/core.js';

const database = useDatabase();
/** Notes are written to the primary only. */
const NEWEST = { readConcern: { level: 'local' } } as const;
const A_DATE: unknown = expect.any(Date);

interface Owned {
  readonly _id?: string;
  readonly tenant: string;
}

let core: PipelineInstance;
let owned: readonly mongo.Collection<Owned>[];

beforeAll(async () => {
  core = new PipelineInstance(await database.open());
  owned = ALL_COLLECTIONS.filter(
    ({ fields, purge }) => 'tenant' in fields && purge !== 'expires' && purge !== 'never',
  ).map(({ name }) => core.collections.database.collection(name));
});

/** What a document must have besides its tenant. */
const KEYS: Readonly<Record<string, () => object>> = {
  api_keys: () => ({ _id: newId(), hash: newId() }),
  // The driver generates their ids.
  plugin_documents: () => ({}),
};

/** A tenant with something in every collection. */
const populate = async (): Promise<TenantId> => {
  const { id } = await core.createTenant();
  for (const collection of owned) {
    const keys = KEYS[collection.collectionName] ?? (() => ({ _id: newId() }));
    await collection.insertOne({ ...keys(), tenant: id });
  }
  return id;
};

const remove = (tenantId: TenantId) =>
  core.submit<'tenant.delete'>(tenantId, { type: 'tenant.delete' });

/** Names of the collections with documents of the tenant. */
const holding = async (tenant: TenantId): Promise<readonly string[]> => {
  const counts = owned.map(async (collection) => ({
    name: collection.collectionName,
    exists: (await collection.countDocuments({ tenant })) > 0,
  }));
  return (await Promise.all(counts)).flatMap(({ name, exists }) => (exists ? [name] : []));
};

const purge = () => purgeTenants(core.collections);

describe('the purge', () => {
  it('deletes the documents of deleted tenants only', async () => {
    const [one, other, living] = [await populate(), await populate(), await populate()];
    for (const tenant of [one, other]) await remove(tenant);
    expect(await holding(one)).toHaveLength(owned.length);
    expect([...(await purge())].sort()).toEqual([one, other].sort());
    expect([await holding(one), await holding(other)]).toEqual([[], []]);
    expect(await holding(living)).toHaveLength(owned.length);
    const { tenants, tenantState } = core.collections;
    for (const collection of [tenants, tenantState])
      expect(await collection.countDocuments({ _id: { $in: [one, other, living] } })).toBe(1);
    expect(await purge()).toEqual([]);
  });

  it('examines tombstones only', async () => {
    await core.createTenant();
    const tombstones = core.collections.tenants.find({ deletedAt: { $exists: true } });
    const { executionStats } = (await tombstones.explain('executionStats')) as {
      readonly executionStats: { readonly totalDocsExamined: number };
    };
    expect(executionStats.totalDocsExamined).toBe(0);
  });

  it('expires notes on keys and records, even if written afterwards', async () => {
    const tenant = await populate();
    const { collections } = core;
    const { apiKeys, apiKeyUses, pluginRecords, pluginNotes } = collections;
    const key = (await apiKeys.findOne({ tenant }))!._id as ApiKeyId;
    await pluginRecords.updateOne({ tenant }, { $set: { plugin: 'tests' } });
    const { _id: record } = (await pluginRecords.findOne({ tenant }))!;
    await remove(tenant);
    await purge();

    const keys = mongoApiKeyReader(collections, mongoTenantReader(collections));
    await keys.recordUse(new Map([[key, { at: new Date() }]]));
    await mongoPluginNotes(collections, 'tests').write(tenant, record, { outcome: 'failed' });
    const noted = [
      await apiKeyUses.findOne({ _id: key }, NEWEST),
      await pluginNotes.findOne({ _id: noteIdOf({ plugin: 'tests', tenant, record }) }, NEWEST),
    ];
    expect(noted).toEqual([
      expect.objectContaining({ lastUsedAt: A_DATE, expireAt: A_DATE }),
      expect.objectContaining({ note: { outcome: 'failed' }, expireAt: A_DATE }),
    ]);
  });
});

describe('the last use of a key', () => {
  it('expires with the key', async () => {
    const { id: tenant } = await core.createTenant();
    const keyId = newId<ApiKeyId>();
    const made = await core.submit<'api-key.create'>(tenant, {
      type: 'api-key.create',
      keyId,
      hash: `hash of ${keyId}`,
      prefix: keyId.slice(0, 8),
      description: 'one',
      scopes: [],
    });
    expect(made).toMatchObject({ ok: true });
    await core.submit<'api-key.delete'>(tenant, { type: 'api-key.delete', keyId });
    expect(await core.collections.apiKeyUses.findOne({ _id: keyId })).toMatchObject({
      expireAt: A_DATE,
    });
  });
});
