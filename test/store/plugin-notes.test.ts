import mongoose from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PluginRule } from '../../src/domain/kernel/decider.js';
import type { RecordId, TenantId } from '../../src/domain/kernel/ids.js';
import { newId } from '../../src/pipeline/submit.js';
import { mongoPluginNotes } from '../../src/store/plugin-records.js';
import { noteIdOf } from '../../src/store/tables/plugins.js';
import { idOf, TENANT_ID } from '../support/builders.js';
import { PipelineInstance, useDatabase } from '../support/core.js';

const database = useDatabase();
const PLUGIN = 'tests';
const HOUR = 3_600_000;
/** Notes are written to the primary only. */
const NEWEST = { readConcern: { level: 'local' } } as const;

const make: PluginRule = (_input, { newRecord }) => ({ put: [newRecord({})], result: null });
const removeAll: PluginRule = (_input, { records }) => ({ remove: records, result: null });
const RULES: Readonly<Record<string, PluginRule>> = { make, removeAll };

let core: PipelineInstance;
const notes = (plugin = PLUGIN) => mongoPluginNotes(core.collections, plugin);

beforeAll(async () => {
  core = new PipelineInstance(await database.open(), {
    rules: { pluginRule: (_plugin, name) => RULES[name] },
  });
});

describe('plugin notes', () => {
  it('are returned for the ids that have one', async () => {
    await notes().write(TENANT_ID, 'one', { outcome: 'success' });
    await notes().write(TENANT_ID, 'two', { outcome: 'failed' });
    expect(await notes().read(TENANT_ID, ['one', 'three'])).toEqual(
      new Map([['one', { outcome: 'success' }]]),
    );
  });

  it('are replaced as a whole, last write wins', async () => {
    await notes().write(TENANT_ID, 'one', { outcome: 'success', ms: 3 });
    await notes().write(TENANT_ID, 'one', { outcome: 'failed' });
    expect((await notes().read(TENANT_ID, ['one'])).get('one')).toEqual({ outcome: 'failed' });
  });

  it('can be written concurrently', async () => {
    const id = new mongoose.Types.ObjectId().toHexString();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(numbers.map((n) => notes().write(TENANT_ID, id, { n })));
    const note = (await notes().read(TENANT_ID, [id])).get(id);
    expect(numbers).toContain(note?.['n']);
  });

  it('are found by their mark in all tenants until it is removed', async () => {
    const ids = async () => (await notes().marked('odd')).map(({ id }) => id).toSorted();
    const other = idOf<TenantId>(0xbeef);
    await notes().write(TENANT_ID, 'a:b', { n: 1 }, 'odd');
    await notes().write(other, 'c', { n: 2 }, 'odd');
    await notes().write(TENANT_ID, 'd', { n: 3 }, 'even');
    await notes('others').write(TENANT_ID, 'e', {}, 'odd');
    expect(await ids()).toEqual(['a:b', 'c']);
    expect(await notes().marked('odd')).toContainEqual({
      tenantId: other,
      id: 'c',
      note: { n: 2 },
    });
    await notes().write(TENANT_ID, 'a:b', { n: 4 });
    await notes().unmark(other, 'c', 'even');
    expect(await ids()).toEqual(['c']);
    await notes().unmark(other, 'c', 'odd');
    expect(await ids()).toEqual([]);
    expect((await notes().read(other, ['c'])).get('c')).toEqual({ n: 2 });
  });

  it('with a mark are found by an index of marked notes only', async () => {
    await notes().write(TENANT_ID, 'x', { n: 1 }, 'rare');
    const plan = await core.collections.pluginNotes
      .find({ mark: 'tests:rare' })
      .explain('executionStats');
    expect(plan).toMatchObject({ executionStats: { totalDocsExamined: 1, totalKeysExamined: 1 } });
  });

  it('belong to one plugin and one tenant', async () => {
    await notes().write(TENANT_ID, 'own', { mine: true });
    expect(await notes('others').read(TENANT_ID, ['own'])).toEqual(new Map());
    expect(await notes().read(idOf<TenantId>(0xbeef), ['own'])).toEqual(new Map());
  });

  describe('of a deleted record', () => {
    const change = (tenantId: TenantId, name: string, recordId: RecordId) =>
      core.submit<'plugin.change'>(tenantId, {
        type: 'plugin.change',
        plugin: PLUGIN,
        change: name,
        recordId,
        input: {},
        scope: null,
      });

    const withRecord = async () => {
      const { id: tenant } = await core.createTenant();
      const record = newId<RecordId>();
      expect(await change(tenant, 'make', record)).toMatchObject({ ok: true });
      const _id = noteIdOf({ plugin: PLUGIN, tenant, record });
      const stored = () => core.collections.pluginNotes.findOne({ _id }, NEWEST);
      return { tenant, record, stored };
    };

    it('expire an hour later', async () => {
      const { tenant, record, stored } = await withRecord();
      await notes().write(tenant, record, { outcome: 'success' });
      expect(await stored()).not.toHaveProperty('expireAt');
      const before = Date.now();
      expect(await change(tenant, 'removeAll', newId())).toMatchObject({ ok: true });
      const marked = (await stored())?.expireAt?.getTime() ?? 0;
      expect(marked).toBeGreaterThanOrEqual(before + HOUR);
      expect(marked).toBeLessThanOrEqual(Date.now() + HOUR);
      const indexes = await core.collections.pluginNotes.indexes();
      expect(indexes).toContainEqual(
        expect.objectContaining({ key: { expireAt: 1 }, expireAfterSeconds: 0 }),
      );
    });

    it('expire even if a delivery in progress writes them afterwards', async () => {
      const { tenant, record, stored } = await withRecord();
      await change(tenant, 'removeAll', newId());
      const marked = (await stored())?.expireAt;
      expect(marked).toBeInstanceOf(Date);
      await notes().write(tenant, record, { outcome: 'failed' });
      expect(await stored()).toMatchObject({ note: { outcome: 'failed' }, expireAt: marked });
    });

    it('do not exist if none was written', async () => {
      const { tenant, record } = await withRecord();
      await change(tenant, 'removeAll', newId());
      expect(await notes().read(tenant, [record])).toEqual(new Map());
    });
  });
});
