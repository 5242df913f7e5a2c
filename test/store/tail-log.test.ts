import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CommandLogReader } from '../../src/ports/command-log.js';
import type { CommandId, TenantId } from '../../src/domain/kernel/ids.js';
import { tailLog } from '../../src/http/resources/live-log.js';
import {
  afterCommit,
  createLogWatch,
  type TailPosition,
} from '../../src/http/resources/watch-log.js';
import type { CommandLogEntry } from '../../src/pipeline/commit-store.js';
import { newId } from '../../src/pipeline/submit.js';
import { mongoCommandLogReader } from '../../src/store/read/command-log-reader.js';
import { PipelineInstance, useDatabase } from '../support/core.js';
import { eventually } from '../support/eventually.js';

const database = useDatabase();
let one: PipelineInstance;
let other: PipelineInstance;
let reader: CommandLogReader;

beforeAll(async () => {
  one = new PipelineInstance(await database.open());
  other = new PipelineInstance(await database.open());
  reader = mongoCommandLogReader(one.collections);
});

const open: AbortController[] = [];
afterEach(() => {
  for (const controller of open.splice(0)) controller.abort();
});

const endOf = async (tenantId: TenantId): Promise<TailPosition> => {
  const end = (await reader.ends([tenantId])).get(tenantId)!;
  return { ...afterCommit(end.committedAt), unapplied: end.unapplied };
};

interface Received {
  readonly id: string;
  readonly position: TailPosition;
}

/** Follows the log from a position on. */
const follow = (tenantId: TenantId, after: TailPosition): readonly Received[] => {
  const controller = new AbortController();
  open.push(controller);
  const { signal } = controller;
  const received: Received[] = [];
  const read = async (): Promise<void> => {
    const watch = createLogWatch(reader);
    const now = (): Date => new Date();
    for await (const step of tailLog({ reader, watch, tenantId, after, now, signal }))
      if ('entry' in step) received.push({ id: step.entry.id, position: step.position });
  };
  void read();
  return received;
};

const createRoom = async (instance: PipelineInstance, tenantId: TenantId): Promise<void> => {
  const name = `Room ${newId()}`;
  const { ok } = await instance.submit<'room.create'>(tenantId, {
    type: 'room.create',
    roomId: newId(),
    name,
  });
  expect(ok).toBe(true);
};

/** An entry of a command that changed nothing. */
const refusedOf = async (tenantId: TenantId, more: object = {}): Promise<CommandLogEntry> => {
  const { entries } = await reader.page(tenantId, { limit: 1 });
  return { ...entries[0]!, id: newId<CommandId>(), outcome: 'refused', ...more };
};

const idsOf = (received: readonly Received[]): readonly string[] =>
  received.map(({ id }) => id).sort();

const storedIds = async (tenantId: TenantId): Promise<readonly string[]> =>
  (await reader.page(tenantId, { limit: 500 })).entries.map(({ id }) => id as string).sort();

describe('following the log', () => {
  it('includes an entry that another gateway writes an hour late', async () => {
    // Given a client that has read the newest entry
    const { id: tenantId } = await one.createTenant();
    const received = follow(tenantId, await endOf(tenantId));
    await createRoom(one, tenantId);
    await eventually(() => expect(received).toHaveLength(1));
    // When a gateway that was stopped for an hour writes the entry of a refused command
    const late = await refusedOf(tenantId, { at: new Date(Date.now() - 3_600_000) });
    await other.store.log([late]);
    // Then it is read
    await eventually(() => expect(idsOf(received)).toContain(late.id));
  });

  it('has every entry of two gateways once, and continues from any of them', async () => {
    const { id: tenantId } = await one.createTenant();
    const start: TailPosition = { ...afterCommit(new Date(0)), unapplied: 0 };
    const received = follow(tenantId, start);
    // When two gateways commit and refuse at the same time
    const refused = await refusedOf(tenantId);
    const write = async (instance: PipelineInstance): Promise<void> => {
      for (let at = 0; at < 15; at += 1) {
        const entries = Array.from({ length: 3 }, () => ({ ...refused, id: newId<CommandId>() }));
        await Promise.all([createRoom(instance, tenantId), instance.store.log(entries)]);
      }
    };
    await Promise.all([write(one), write(other)]);
    // Then the client receives everything, and nothing twice
    const stored = await storedIds(tenantId);
    expect(stored).toHaveLength(1 + 2 * 15 * 4);
    await eventually(() => expect(received.length).toBeGreaterThanOrEqual(stored.length));
    expect(idsOf(received)).toEqual(stored);
    // And one that continues from there, what follows
    const half = received[Math.floor(received.length / 2)]!;
    const rest = follow(tenantId, half.position);
    const expected = received.slice(received.indexOf(half) + 1);
    await eventually(() => expect(rest.length).toBeGreaterThanOrEqual(expected.length));
    expect(idsOf(rest)).toEqual(idsOf(expected));
  });

  it('reads nothing of idle tenants, of which there may be any number', async () => {
    const tenants = await Promise.all(Array.from({ length: 20 }, () => one.createTenant()));
    const queries: (readonly TenantId[])[] = [];
    const ends: CommandLogReader['ends'] = (ids) => {
      queries.push(ids);
      return reader.ends(ids);
    };
    const watch = createLogWatch({ ends });
    // Given clients that wait for the logs of many tenants
    const waits = await Promise.all(
      tenants.map(async ({ id }) => {
        const controller = new AbortController();
        open.push(controller);
        const read = await endOf(id);
        const limits = { timeoutMs: 60_000, signal: controller.signal };
        return { id, more: watch.next(id, read, limits), controller };
      }),
    );
    // When one of them gets an entry
    await other.store.log([await refusedOf(waits[7]!.id)]);
    // Then it was found by queries for all tenants together
    expect(await waits[7]!.more).toMatchObject({ unapplied: 1 });
    expect(queries.at(-1)).toHaveLength(tenants.length);
    expect(queries.length).toBeLessThan(tenants.length);
    waits[0]!.controller.abort();
    expect(await waits[0]!.more).toBeUndefined();
  });
});
