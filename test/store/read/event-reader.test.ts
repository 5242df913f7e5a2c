import { beforeAll, describe, expect, it } from 'vitest';
import type { EventReader } from '../../../src/ports/tenants.js';
import type { TenantId, UserId } from '../../../src/domain/kernel/ids.js';
import { newId } from '../../../src/pipeline/submit.js';
import { mongoEventReader } from '../../../src/store/read/tenant-readers.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const database = useDatabase();

describe('reading the event log', () => {
  let core: PipelineInstance;
  let reader: EventReader;
  beforeAll(async () => {
    core = new PipelineInstance(await database.open());
    reader = mongoEventReader(core.collections);
  });

  /** A tenant with this many users, created one by one. */
  const aTenantWith = async (users: number): Promise<TenantId> => {
    const { id } = await core.createTenant();
    for (let number = 0; number < users; number += 1)
      await core.submit<'user.create'>(id, {
        type: 'user.create',
        userId: newId<UserId>(),
        profile: { userName: `user${number}@example.com`, active: true },
      });
    return id;
  };

  const read = async (
    tenantId: TenantId,
    after: number,
    limit: number,
    names?: ['user.deleted'],
  ) => {
    const page = await reader.page(tenantId, { after, limit, ...(names && { names }) });
    return { ...page, events: page.events.map(({ seq }) => seq) };
  };

  it('continues after the given position, page by page', async () => {
    const tenant = await aTenantWith(5);
    expect(await read(tenant, 0, 2)).toEqual({
      events: [1, 2],
      upTo: 2,
      hasMore: true,
      hasGap: false,
    });
    expect(await read(tenant, 2, 3)).toEqual({
      events: [3, 4, 5],
      upTo: 5,
      hasMore: false,
      hasGap: false,
    });
    expect(await read(tenant, 5, 2)).toEqual({
      events: [],
      upTo: 5,
      hasMore: false,
      hasGap: false,
    });
  });

  it('keeps a position that is not assigned yet', async () => {
    const tenant = await aTenantWith(1);
    expect(await read(tenant, 7, 2)).toEqual({
      events: [],
      upTo: 7,
      hasMore: false,
      hasGap: false,
    });
  });

  it('skips events of other names, also for the next page', async () => {
    const tenant = await aTenantWith(4);
    expect(await read(tenant, 0, 2, ['user.deleted'])).toEqual({
      events: [],
      upTo: 4,
      hasMore: false,
      hasGap: false,
    });
  });

  it('reports a gap if the next events have expired', async () => {
    const tenant = await aTenantWith(4);
    const log = core.collections.database.collection('events');
    await log.deleteMany({ tenant, seq: { $lte: 2 } });
    expect(await read(tenant, 0, 9)).toMatchObject({ events: [3, 4], hasGap: true });
    expect(await read(tenant, 1, 9)).toMatchObject({ events: [3, 4], hasGap: true });
    expect(await read(tenant, 2, 9)).toMatchObject({ events: [3, 4], hasGap: false });
    await log.deleteMany({ tenant });
    expect(await read(tenant, 3, 9)).toEqual({ events: [], upTo: 4, hasMore: false, hasGap: true });
    expect(await read(tenant, 4, 9)).toEqual({
      events: [],
      upTo: 4,
      hasMore: false,
      hasGap: false,
    });
  });

  it('returns only the tenant’s own events', async () => {
    const [mine, other] = [await aTenantWith(1), await aTenantWith(3)];
    expect((await read(mine, 0, 9)).events).toEqual([1]);
    expect((await read(other, 0, 9)).events).toEqual([1, 2, 3]);
  });
});
