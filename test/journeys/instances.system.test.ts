import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import type { CommitStore } from '../../src/pipeline/commit-store.js';
import type { Outcome } from '../../src/pipeline/submit.js';
import { createUserCommand } from '../support/builders.js';
import { PipelineInstance, useDatabase } from '../support/core.js';
import { TestGateway, type TestTenant } from '../support/gateway.js';
import { eventually } from '../support/eventually.js';

const countByCode = (outcomes: readonly Outcome[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const code = outcome.ok ? 'ok' : outcome.refusal.code;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
};

const seqsUpTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1);

describe('several instances on one tenant', () => {
  const database = useDatabase();
  let cores: readonly PipelineInstance[];
  beforeAll(async () => {
    const connections = await Promise.all(Array.from({ length: 6 }, () => database.open()));
    cores = connections.map((connection) => new PipelineInstance(connection));
  });

  const seqsOf = async (tenant: Tenant): Promise<readonly number[]> => {
    const { collections } = cores[0]!;
    const events = collections.database
      .collection<{ seq: number }>('events')
      .find({ tenant: tenant.id });
    return (await events.sort({ seq: 1 }).toArray()).map(({ seq }) => seq);
  };

  it('six instances grant exactly 10 seats to 30 concurrent creates, in each of 20 rounds', async () => {
    for (let round = 0; round < 20; round += 1) {
      const tenant = await cores[0]!.createTenant({ seatCapacity: 10 });
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, at) =>
          cores[at % 6]!.submit(tenant.id, createUserCommand()),
        ),
      );
      expect(countByCode(outcomes)).toEqual({ ok: 10, SEAT_CAPACITY_REACHED: 20 });
      expect(await seqsOf(tenant)).toEqual(seqsUpTo(10));
      const { collections } = cores[0]!;
      expect(await collections.users.countDocuments({ tenant: tenant.id })).toBe(10);
      expect(await collections.tenantState.findOne({ _id: tenant.id })).toMatchObject({
        seatsProvisioned: 10,
        userCount: 10,
      });
    }
  });

  it.each([
    ['in batches of 500', 500],
    ['in one transaction', 3_000],
  ])('3,000 creates %s succeed beside a busy instance', async (_how, maxBatch) => {
    const busy = cores[0]!;
    const committed: number[] = [];
    const wrap = (store: CommitStore): CommitStore => ({
      ...store,
      commit: async (plan) => {
        await store.commit(plan);
        committed.push(plan.log.length);
      },
    });
    const large = new PipelineInstance(await database.open(), { largestBatch: maxBatch, wrap });
    const tenant = await busy.createTenant();
    let isDone = false;
    const rival = (async () => {
      const outcomes: Promise<Outcome>[] = [];
      while (!isDone) {
        outcomes.push(busy.submit(tenant.id, createUserCommand()));
        await pause(30);
      }
      return Promise.all(outcomes);
    })();
    const creates = seqsUpTo(3_000).map(() => createUserCommand());
    const outcomes = await Promise.all(creates.map((user) => large.submit(tenant.id, user)));
    isDone = true;
    const others = await rival;
    expect(countByCode(outcomes)).toEqual({ ok: 3_000 });
    expect(countByCode(others)).toEqual({ ok: others.length });
    expect(await seqsOf(tenant)).toEqual(seqsUpTo(3_000 + others.length));
    // The first command may be committed alone.
    expect(Math.max(...committed)).toBeGreaterThanOrEqual(Math.min(maxBatch, 2_999));
  });
});

describe('two gateways on one database', () => {
  const LIMIT = 100;
  let shared = '';
  const env = { ROLLGATE_RATE_LIMIT: String(LIMIT) };
  const one = TestGateway.use((uri) => {
    shared = uri;
    return env;
  });
  const other = TestGateway.use(() => ({ ...env, ROLLGATE_MONGODB_URI: shared }));

  const untilBothCounted = async (gateway: TestGateway): Promise<void> => {
    const { url } = await gateway.open();
    await eventually(async () => {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toContain('rollgate_instances 2');
    });
  };

  beforeAll(async () => {
    await one.open();
    await untilBothCounted(other);
    await untilBothCounted(one);
  });

  it('a key deleted on one gateway is refused by the other within a second', async () => {
    const tenant = await one.tenant();
    const elsewhere = await other.tenantWithKey(tenant.slug, tenant.key);
    expect((await elsewhere.native('GET', '/me')).status).toBe(200);
    const operator = await one.operator();
    await operator('DELETE', `/tenants/${tenant.slug}/api-keys/${tenant.keyId}`);
    const deletedAt = performance.now();
    let lastServedAt = deletedAt;
    for (let status = 200; status === 200;) {
      const askedAt = performance.now();
      ({ status } = await elsewhere.native('GET', '/me'));
      if (status === 200) lastServedAt = askedAt;
      else expect(status).toBe(401);
      await pause(10);
    }
    expect(lastServedAt - deletedAt).toBeLessThan(1_000);
  });

  it('together accept at least as many requests per key as one gateway, and at most 5 % more', async () => {
    const tenant = await one.tenant();
    const elsewhere = await other.tenantWithKey(tenant.slug, tenant.key);
    await untilFreshWindow(tenant);
    const requests = Array.from({ length: 2 * LIMIT }, (_, at) =>
      (at % 2 === 0 ? tenant : elsewhere).native('GET', '/me'),
    );
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    const served = statuses.filter((status) => status === 200).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(2 * LIMIT - served);
    // The request that read the window counts too.
    expect(served + 1).toBeGreaterThanOrEqual(LIMIT);
    expect(served + 1).toBeLessThanOrEqual(LIMIT * 1.05);
  });
});

/**
 * If the rate-limit window ends soon, waits for the next one, so that all requests fall into it.
 */
const untilFreshWindow = async (tenant: TestTenant): Promise<void> => {
  const { headers } = await tenant.native('GET', '/me');
  const secondsLeft = Number(headers.get('ratelimit-reset'));
  if (secondsLeft >= 5) return;
  await pause(secondsLeft * 1_000);
  await untilFreshWindow(tenant);
};
