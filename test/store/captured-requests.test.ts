import { beforeAll, describe, expect, it } from 'vitest';
import type { CapturedRequest } from '../../src/ports/command-log.js';
import type { ApiKeyId, TenantId } from '../../src/domain/kernel/ids.js';
import { newId } from '../../src/pipeline/submit.js';
import { mongoCapturedRequests } from '../../src/store/captured-requests.js';
import { PipelineInstance, useDatabase } from '../support/core.js';

const database = useDatabase();
let core: PipelineInstance;

beforeAll(async () => {
  core = new PipelineInstance(await database.open());
});

const START = Date.now();
const NONE = { headers: {}, body: null, isCut: false };

const captured = (tenantId: TenantId, minute: number, body = ''): CapturedRequest => ({
  id: newId<ApiKeyId>(),
  tenantId,
  at: new Date(START + minute * 60_000),
  method: 'GET',
  path: `/${minute}`,
  status: 200,
  keyId: newId<ApiKeyId>(),
  userAgent: null,
  durationMs: 1,
  requestId: 'request-1',
  bytes: 0,
  request: { ...NONE, body },
  response: NONE,
  obstacle: null,
});

const open = (limits?: { readonly requests: number; readonly bytes: number }) => {
  const store = mongoCapturedRequests(core.collections, limits);
  const tenantId = newId<TenantId>();
  const paths = async () =>
    (await store.page(tenantId, { limit: 100 })).requests.map(({ path }) => path);
  return { store, tenantId, paths };
};

const MANY = 1_000_000;

describe('captured requests', () => {
  it('are returned as they were added', async () => {
    const { store, tenantId } = open();
    const one = captured(tenantId, 0, 'x');
    await store.add([one]);
    expect(await store.find(tenantId, one.id)).toEqual(one);
    expect(await store.find(newId<TenantId>(), one.id)).toBeUndefined();
  });

  it('leave when a tenant has too many, the oldest first', async () => {
    const { store, tenantId, paths } = open({ requests: 3, bytes: MANY });
    const other = open({ requests: 3, bytes: MANY });
    await other.store.add([captured(other.tenantId, 0)]);
    await store.add([2, 1, 4].map((minute) => captured(tenantId, minute)));
    await store.add([3, 5].map((minute) => captured(tenantId, minute)));
    expect(await paths()).toEqual(['/5', '/4', '/3']);
    expect(await other.paths()).toEqual(['/0']);
  });

  it('leave when they are too large together', async () => {
    const { store, tenantId, paths } = open({ requests: MANY, bytes: 3_000 });
    await store.add([1, 2, 3, 4].map((minute) => captured(tenantId, minute, 'x'.repeat(1_000))));
    expect(await paths()).toEqual(['/4', '/3']);
  });

  it('are not found after 24 hours, before the database has deleted them', async () => {
    const { store, tenantId, paths } = open();
    await store.add([-24 * 60, -24 * 60 + 5].map((minute) => captured(tenantId, minute)));
    expect(await paths()).toEqual(['/-1435']);
  });
});
