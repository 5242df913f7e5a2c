import { describe, expect, it } from 'vitest';
import type { TenantId } from '../../src/domain/kernel/ids.js';
import type { CommitStore } from '../../src/pipeline/commit-store.js';
import { resultOf } from '../../src/pipeline/submit.js';
import { createUserCommand } from '../support/builders.js';
import { PipelineInstance, useDatabase } from '../support/core.js';

/** Creates of the tenant that does not flood. */
const CREATES = 40;

/** Counts an instance's committed commands by tenant. */
const countCreates = () => {
  const counts = new Map<TenantId, number>();
  const wrap = (store: CommitStore): CommitStore => ({
    ...store,
    commit: async (plan) => {
      await store.commit(plan);
      counts.set(plan.tenantId, (counts.get(plan.tenantId) ?? 0) + plan.log.length);
    },
  });
  return { wrap, of: (tenantId: TenantId) => counts.get(tenantId) ?? 0 };
};

/** Keeps `width` creates of the tenant in flight until `isOver`. */
const flood = async (
  core: PipelineInstance,
  tenantId: TenantId,
  width: number,
  isOver: () => boolean,
) => {
  const client = async (): Promise<void> => {
    while (!isOver()) resultOf(await core.submit(tenantId, createUserCommand()));
  };
  await Promise.all(Array.from({ length: width }, client));
};

/**
 * Measures waiting in creates of the flooding tenants rather than in milliseconds, so that the
 * speed of the machine does not matter; for the same reason the clock of the lanes is stopped. `npm
 * run fairness` measures the time.
 */
describe('a tenant on a gateway that other tenants flood', () => {
  const database = useDatabase();

  /**
   * For each create of the calm tenant, the creates that each flooding tenant committed during it.
   */
  const createsWaited = async (tenants: number, width: number): Promise<readonly number[]> => {
    const creates = countCreates();
    const core = new PipelineInstance(await database.open(), {
      wrap: creates.wrap,
      elapsed: () => 0,
    });
    const calm = await core.createTenant();
    const others = await Promise.all(Array.from({ length: tenants }, () => core.createTenant()));
    const ofOthers = (): number =>
      others.reduce((sum, { id }) => sum + creates.of(id), 0) / tenants;
    let isOver = false;
    const floods = others.map(({ id }) => flood(core, id, width, () => isOver));
    const waited: number[] = [];
    while (waited.length < CREATES) {
      const before = ofOthers();
      resultOf(await core.submit(calm.id, createUserCommand()));
      waited.push(ofOthers() - before);
    }
    isOver = true;
    await Promise.all(floods);
    return waited;
  };

  it.each([
    ['one tenant with 500 creates in flight', 1, 500],
    ['12 tenants, more than may commit at once, with 50 creates each', 12, 50],
  ])('waits for at most 100 creates of each: %s', async (_floods, tenants, width) => {
    const waited = await createsWaited(tenants, width);
    // Otherwise there was no flood.
    expect(waited.reduce((sum, creates) => sum + creates, 0)).toBeGreaterThan(CREATES / 10);
    expect(Math.max(...waited)).toBeLessThanOrEqual(100);
  });
});
