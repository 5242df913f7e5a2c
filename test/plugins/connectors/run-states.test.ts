import { describe, expect, it } from 'vitest';
import type { Link } from '../../../plugins/connectors/link.js';
import type { PlanItem } from '../../../plugins/connectors/plan/plan-item.js';
import type { CompiledConnector } from '../../../plugins/connectors/compile-connector.js';
import { applyPlan } from '../../../plugins/connectors/run/apply-plan.js';
import { createConnectorStore } from '../../../plugins/connectors/run/connector-store.js';
import type { Gateway } from '../../../plugins/connectors/run/gateway.js';
import {
  NO_COUNTS,
  type PlanSummary,
  type RunRecord,
} from '../../../plugins/connectors/run/run-record.js';
import type { StoredRun } from '../../../plugins/connectors/run/stored-runs.js';
import { createMemoryStorage } from '../../../src/plugin/testing/memory-storage.js';
import { TENANT_ID } from '../../support/builders.js';
import { ConnectorWorld, person } from '../../support/connector-world.js';
import { createGate } from '../../support/gate.js';

const storeOf = (world: ConnectorWorld) => world.instance().service.store();

/** 30 linked people, and a run that is held because most of them are missing. */
const worldWithHeldRun = async () => {
  const world = new ConnectorWorld();
  world.fill(30);
  await world.run();
  world.pass(1_000);
  for (let at = 11; at <= 30; at += 1) world.source.delete(`p${at}`);
  const held = await world.run();
  expect(held.state).toBe('held');
  return { world, held };
};

/** More runs than any list of the newest shows; they change nothing. */
const runOften = async (world: ConnectorWorld, times: number) => {
  for (let run = 0; run < times; run += 1) {
    world.pass(1_000);
    await world.run('ids', { ids: ['p1'], isPlanOnly: true });
  }
};

describe('a run that fails', () => {
  it('is counted once and tried again, wherever its instance is killed', async () => {
    let kills = 0;
    for (let killAt = 1; ; killAt += 1) {
      // given a source that fails, and an instance that dies
      const world = new ConnectorWorld();
      world.fill(2);
      world.faults = { failAfter: 1 };
      const { service, isDead } = world.instance(killAt);
      const started = await service
        .start({ mode: 'full', trigger: 'operator', requestedBy: 'test' })
        .catch(() => undefined);
      await service.idle();
      if (!isDead()) break;
      kills += 1;
      // when others take up what it left
      await world.recover();
      await world.recover();
      // then a run that was stored has failed once, and has its next try
      const store = await storeOf(world);
      const [run] = await store.runs(1);
      expect({ killAt, isStored: run !== undefined || started === undefined }).toEqual({
        killAt,
        isStored: true,
      });
      if (!run) continue;
      expect({ killAt, state: run.state }).toEqual({ killAt, state: 'failed' });
      const { failures, retryAt } = await store.memory();
      expect({ killAt, failures, isRetried: retryAt !== null }).toEqual({
        killAt,
        failures: 1,
        isRetried: true,
      });
    }
    expect(kills).toBeGreaterThan(10);
  });
});

describe('a held run', () => {
  it('expires after any number of newer runs', async () => {
    const { world, held } = await worldWithHeldRun();
    await runOften(world, 101);
    world.pass(25 * 3_600_000);
    await world.recover();
    expect(await world.runOf(held.id)).toMatchObject({ state: 'expired' });
  });

  it('is superseded by a newer plan after any number of newer runs', async () => {
    const { world, held } = await worldWithHeldRun();
    await runOften(world, 101);
    world.put('p1', person('p1', { job: 'Driver' }));
    expect(await world.run()).toMatchObject({ state: 'held' });
    expect(await world.runOf(held.id)).toMatchObject({ state: 'superseded' });
  });
});

describe('two instances', () => {
  it('that start a run at once start one', async () => {
    const world = new ConnectorWorld();
    world.fill(3);
    const instances = [world.instance(), world.instance(), world.instance()];
    const results = await Promise.allSettled(
      instances.map(({ service }) =>
        service.start({ mode: 'full', trigger: 'operator', requestedBy: 'test' }),
      ),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    for (const result of results)
      if (result.status === 'rejected') expect(String(result.reason)).toContain('in progress');
    await Promise.all(instances.map(({ service }) => service.idle()));
    expect(await (await storeOf(world)).runs(10)).toMatchObject([{ state: 'done' }]);
  });
});

describe('an error while a plan is applied', () => {
  const NOW = new Date('2026-11-22T10:00:00.000Z');
  const RUN_ID = 'run-1';

  const itemOf = (sourceId: string): PlanItem => ({
    sourceId,
    kind: 'touch',
    userId: null,
    label: sourceId,
    why: 'The source reports them.',
    changes: [],
    groups: [],
    rev: 0,
    isDeactivation: false,
    isEmailChange: false,
    after: { sourceId, rev: 1 } as unknown as Link,
  });

  it('waits for the write of the page before', async () => {
    // given a plan of two pages, of which the second cannot be read
    const storage = createMemoryStorage(() => NOW);
    const lease = await storage.leases.take({ lease: 'run-hr', owner: 'one', ttlMs: 60_000 });
    if (!('fence' in lease)) throw new Error('The lease is held.');
    const { fence } = lease;
    const store = createConnectorStore({
      collection: (name) => storage.collectionOf('connectors', name),
      tenantId: TENANT_ID,
      connector: 'hr',
      now: () => NOW,
      fence,
    });
    const items = Array.from({ length: 401 }, (_, at) => itemOf(`p${at}`));
    await store.putItems(RUN_ID, 0, items);
    const [reached, released] = [createGate(), createGate()];
    const applying = applyPlan({
      store: {
        ...store,
        items: (run, from, limit) =>
          from === 0 ? store.items(run, from, limit) : Promise.reject(new Error('disk full')),
        putLinks: async (...links) => {
          reached.open();
          await released.opened;
          await store.putLinks(...links);
        },
      },
      gateway: {} as Gateway,
      run: { id: RUN_ID, counts: NO_COUNTS } as StoredRun,
      compiled: {} as CompiledConnector,
      plan: { items: items.length, hasManagers: false } as PlanSummary,
      now: () => NOW,
      signal: new AbortController().signal,
      stop: new AbortController().signal,
      onProgress: () => undefined,
    });
    let isOver = false;
    const ended = applying
      .catch((error: unknown) => String(error))
      .finally(() => {
        isOver = true;
      });
    // when the error comes while the first page is being written
    await reached.opened;
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    released.open();
    // then the apply ends after the write
    expect(await ended).toContain('disk full');
    expect(await store.progress(RUN_ID)).toMatchObject({ done: 400 });
  });
});

describe('runs of a database from before', () => {
  /** As an older version stored it: without an index of runs. */
  const forgetIndex = async (world: ConnectorWorld) => {
    await world.storage
      .collectionOf('connectors', 'runs')
      .delete(world.commits.tenant?.id ?? null, ['state/hr']);
  };

  it('continue, and stay held, though no index of them exists', async () => {
    const { world, held } = await worldWithHeldRun();
    await forgetIndex(world);
    const store = await storeOf(world);
    expect((await store.currentRuns()).held).toMatchObject([{ id: held.id }]);
    // given a run in progress that its instance left
    world.pass(1_000);
    world.put('p1', person('p1', { job: 'Driver' }));
    const { service } = world.instance(40);
    const { id } = await service.start({ mode: 'delta', trigger: 'operator', requestedBy: 'test' });
    await service.idle();
    expect((await world.runOf(id)).finishedAt).toBeNull();
    await forgetIndex(world);
    // when another instance looks
    await world.recover();
    // then it ends
    expect((await world.runOf(id)) satisfies RunRecord).toMatchObject({ state: 'done' });
  });
});
