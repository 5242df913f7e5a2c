import { describe, expect, it } from 'vitest';
import type { CommandOf } from '../../src/domain/commands.js';
import type { TenantId, UserId } from '../../src/domain/ids.js';
import type { CommitStore } from '../../src/pipeline/commit-store.js';
import { newId } from '../../src/pipeline/new-id.js';
import { resultOf } from '../../src/pipeline/submit.js';
import { aProfile } from '../support/builders.js';
import { Core, useDatabase } from '../support/core.js';
import { stoppedWatch } from '../support/stopped-watch.js';

const create = (name: string): CommandOf<'user.create'> => ({
  type: 'user.create',
  userId: newId<UserId>(),
  profile: aProfile({ userName: `${name}@example.com` }),
});

/** Of the tenant that is beside the flood. */
const CREATES = 40;

/** Counts an instance's commits, by tenant. */
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

/** Keeps so many creates of the tenant under way; resolves when it was told to end and has ended. */
const flood = async (core: Core, tenantId: TenantId, width: number, isOver: () => boolean) => {
  const client = async (_: unknown, number: number): Promise<void> => {
    for (let round = 0; !isOver(); round += 1)
      resultOf(await core.submit(tenantId, create(`flood-${number}-${round}`)));
  };
  await Promise.all(Array.from({ length: width }, client));
};

/**
 * Told in creates of those who flood, not in milliseconds: how slow the machine is at the moment
 * is the same for both sides. Nor do lanes forget each other on a slow one, as they would in a
 * second (test/pipeline/neighbours.test.ts). `npm run fairness` measures the time.
 */
describe('a tenant beside others that flood the gateway', () => {
  const database = useDatabase();

  /** How many creates of each flooding tenant, on average, go by while one of ours is answered. */
  const createsWaited = async (tenants: number, width: number): Promise<readonly number[]> => {
    const creates = countCreates();
    const core = new Core(await database.open(), {
      wrap: creates.wrap,
      elapsed: stoppedWatch,
    });
    const calm = await core.makeTenant();
    const others = await Promise.all(Array.from({ length: tenants }, () => core.makeTenant()));
    const ofOthers = (): number =>
      others.reduce((sum, { id }) => sum + creates.of(id), 0) / tenants;
    let isOver = false;
    const floods = others.map(({ id }) => flood(core, id, width, () => isOver));
    const waited: number[] = [];
    for (let number = 0; number < CREATES; number += 1) {
      const before = ofOthers();
      resultOf(await core.submit(calm.id, create(`calm-${number}`)));
      waited.push(ofOthers() - before);
    }
    isOver = true;
    await Promise.all(floods);
    return waited;
  };

  it.each([
    ['one that has 500 creates under way', 1, 500],
    ['twelve, more than may commit at once, with 50 each', 12, 50],
  ])('waits for a hundred creates of each of them at most: %s', async (_who, tenants, width) => {
    const waited = await createsWaited(tenants, width);
    // Else there was no flood.
    expect(waited.reduce((sum, creates) => sum + creates, 0)).toBeGreaterThan(CREATES / 10);
    expect(Math.max(...waited)).toBeLessThanOrEqual(100);
  });
});
