import { beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.js';
import type { DeliveryId, TenantId } from '../../src/domain/kernel/ids.js';
import type { OutboxRow, OutboxEvent, OutboxSpan } from '../../src/outbox/outbox-planner.js';
import type {
  Acknowledgement,
  ClaimedRow,
  ClaimedSpan,
  ClaimRequest,
  OutboxStore,
} from '../../src/outbox/outbox-claims.js';
import { idOf, TENANT_ID } from '../support/builders.js';
import type { StoredRow, StoredSpan } from './memory-outbox.js';
import { anEvent, aRow, aSpan } from './outbox-fixtures.js';

/** An empty store under test, with access to its state and clock. */
export interface OutboxBench {
  readonly store: OutboxStore;
  readonly insert: (rows: readonly OutboxRow[], events: readonly DomainEvent[]) => Promise<void>;
  readonly rows: () => Promise<readonly StoredRow[]>;
  readonly spans: () => Promise<readonly StoredSpan[]>;
  /** Requests that a delivery be sent again, under this key. */
  readonly redeliver: (id: DeliveryId, to: string) => Promise<boolean>;
  /** Advances the server's clock by this number of milliseconds. */
  readonly pass: (ms: number) => Promise<void>;
  /** The server's time. */
  readonly now: () => Promise<Date>;
}

const LEASE_MS = 60_000;
const ME = 'instance-1';
const OTHER = 'instance-2';

/** The contract of an outbox store, on which the delivery engine relies. */
export const outboxStoreContract = (open: () => Promise<OutboxBench>): void => {
  let bench: OutboxBench;

  beforeEach(async () => {
    bench = await open();
  });

  const claim = (more: Partial<ClaimRequest> = {}) =>
    bench.store.claimDue({
      plugin: 'tests',
      owner: ME,
      claim: 'claim-1',
      leaseMs: LEASE_MS,
      limit: 64,
      more: 0,
      share: 16,
      capacity: new Map(),
      ...more,
    });

  /** Inserts pending rows for a key, one per event. */
  const insertRows = async (
    key: string,
    count: number,
    from = 1,
  ): Promise<readonly OutboxEvent[]> => {
    const events = Array.from({ length: count }, (_, index) => anEvent({ seq: from + index }));
    const rows = events.map((event) => aRow(event, { key }));
    await bench.insert(rows, events);
    return rows;
  };

  const acknowledge = (row: ClaimedRow, more: Partial<Acknowledgement>) =>
    bench.store.acknowledge([
      { id: row.id, owner: ME, claim: row.claim, result: { kind: 'delivered' }, ...more },
    ]);

  const onlyRow = async (): Promise<StoredRow> => {
    const rows = await bench.rows();
    expect(rows).toHaveLength(1);
    return rows[0]!;
  };

  const claimOne = async (): Promise<ClaimedRow> => {
    const { rows } = await claim();
    expect(rows).toHaveLength(1);
    return rows[0]!;
  };

  describe('claiming', () => {
    it('leases a due row and returns everything that is needed to send it', async () => {
      const [row] = await insertRows('alpha', 1);
      const { rows, crowded, more } = await claim();
      expect(rows).toEqual([
        {
          id: row!.id,
          tenantId: row!.tenantId,
          plugin: 'tests',
          key: 'alpha',
          eventId: row!.eventId,
          seq: 1,
          resource: 'user:user-1',
          claim: 'claim-1',
          attempt: 1,
          hasFailed: false,
        },
      ]);
      expect({ crowded, more }).toEqual({ crowded: [], more: false });
      const stored = await onlyRow();
      expect(stored).toMatchObject({ state: 'pending', owner: ME, attempts: 1, expires: false });
      expect(stored.dueIn).toBeGreaterThan(LEASE_MS - 5_000);
      expect(stored.dueIn).toBeLessThanOrEqual(LEASE_MS);
    });

    it('does not return a leased row until its lease expires', async () => {
      const event = anEvent({ seq: 1 });
      const due = new Date((await bench.now()).getTime() + LEASE_MS);
      await bench.insert([aRow(event, { owner: OTHER, due })], [event]);
      expect((await claim()).rows).toEqual([]);
      await bench.pass(LEASE_MS + 5_000);
      expect((await claim()).rows).toMatchObject([{ attempt: 2 }]);
      expect(await onlyRow()).toMatchObject({ owner: ME, attempts: 2 });
    });

    it('gives each row to only one of two instances that claim concurrently', async () => {
      await insertRows('alpha', 40);
      const [one, other] = await Promise.all([
        claim({ owner: ME, claim: 'claim-1' }),
        claim({ owner: OTHER, claim: 'claim-2' }),
      ]);
      const ids = [...one.rows, ...other.rows].map((row) => row.id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.length).toBe(40);
    });

    it('returns the longest due rows first, then in the order of the log', async () => {
      const events = [3, 1, 2].map((seq) => anEvent({ seq }));
      const due = (seq: number) => new Date(seq === 3 ? 1_000 : 2_000);
      await bench.insert(
        events.map((event) => aRow(event, { due: due(event.seq) })),
        events,
      );
      const seqs = async () => (await claim({ limit: 1, claim: crypto.randomUUID() })).rows[0]?.seq;
      expect([await seqs(), await seqs(), await seqs(), await seqs()]).toEqual([
        3,
        1,
        2,
        undefined,
      ]);
    });

    it('returns only rows of the plugin', async () => {
      const event = anEvent({ seq: 1 });
      await bench.insert([aRow(event, { plugin: 'others' }), aRow(event)], [event]);
      expect((await claim()).rows.map((row) => row.plugin)).toEqual(['tests']);
    });

    it('returns at most the limit, and reports keys with more rows', async () => {
      await insertRows('alpha', 10);
      const { rows, crowded } = await claim({ limit: 4 });
      expect(rows.map((row) => row.seq)).toEqual([1, 2, 3, 4]);
      expect(crowded).toEqual(['alpha']);
    });

    it('returns rows of other keys besides the backlog of one key', async () => {
      await insertRows('dead', 2_000);
      await insertRows('alive', 3, 5_001);
      const { rows, crowded } = await claim({ limit: 32, share: 8 });
      expect(rows).toHaveLength(32);
      expect(rows.filter((row) => row.key === 'alive')).toHaveLength(3);
      expect(crowded).toEqual(['dead']);
    });

    it('returns more than the share of a key if no other key is due', async () => {
      await insertRows('alpha', 30);
      expect((await claim({ limit: 32, share: 8 })).rows).toHaveLength(30);
    });

    it('returns no more rows of a key than it has capacity for', async () => {
      await insertRows('full', 20);
      await insertRows('nearly', 20, 101);
      await insertRows('free', 20, 201);
      const { rows, crowded } = await claim({
        capacity: new Map([
          ['full', 0],
          ['nearly', 2],
        ]),
      });
      const count = (key: string) => rows.filter((row) => row.key === key).length;
      expect([count('full'), count('nearly'), count('free')]).toEqual([0, 2, 20]);
      expect(crowded).toEqual(['nearly']);
    });
  });

  describe('acknowledging', () => {
    it('finishes a delivered row, which then expires', async () => {
      await insertRows('alpha', 1);
      await acknowledge(await claimOne(), { attempt: { reason: null, ms: 12 } });
      expect(await onlyRow()).toMatchObject({
        state: 'delivered',
        owner: null,
        attempts: 1,
        lastReason: null,
        expires: true,
      });
    });

    it.each(['failed', 'dropped'] as const)('finishes a row as %s', async (kind) => {
      await insertRows('alpha', 1);
      await acknowledge(await claimOne(), { result: { kind } });
      expect(await onlyRow()).toMatchObject({ state: kind, owner: null, expires: true });
      await bench.pass(10 * LEASE_MS);
      expect((await claim()).rows).toEqual([]);
    });

    it('schedules a retry and stores the reason literally', async () => {
      await insertRows('alpha', 1);
      const row = await claimOne();
      const attempt = { reason: '$status 500', ms: 3 };
      await acknowledge(row, { result: { kind: 'retry', inMs: 30_000 }, attempt });
      const stored = await onlyRow();
      expect(stored).toMatchObject({ state: 'pending', owner: null, attempts: 1, expires: false });
      expect(stored.lastReason).toBe('$status 500');
      expect(stored.dueIn).toBeGreaterThan(25_000);
      expect((await claim()).rows).toEqual([]);
      await bench.pass(31_000);
      expect((await claim()).rows).toMatchObject([{ attempt: 2, hasFailed: true }]);
    });

    it('releases a deferred row without counting an attempt', async () => {
      await insertRows('alpha', 1);
      await acknowledge(await claimOne(), { result: { kind: 'deferred', inMs: 0 } });
      expect(await onlyRow()).toMatchObject({ state: 'pending', owner: null, attempts: 0 });
      expect((await claim()).rows).toMatchObject([{ attempt: 1, hasFailed: false }]);
    });

    it('finishes a row that was inserted as leased, by its owner without a claim', async () => {
      const event = anEvent({ seq: 1 });
      const due = new Date((await bench.now()).getTime() + LEASE_MS);
      const row = aRow(event, { owner: ME, due });
      await bench.insert([row], [event]);
      await bench.store.acknowledge([
        { id: row.id, owner: ME, claim: null, result: { kind: 'delivered' } },
      ]);
      expect(await onlyRow()).toMatchObject({ state: 'delivered', attempts: 1 });
    });

    it.each([
      ['another owner', { owner: OTHER }],
      ['an earlier claim', { claim: 'claim-0' }],
      ['no claim', { claim: null }],
    ])('changes nothing for %s', async (_who, stale) => {
      await insertRows('alpha', 1);
      const row = await claimOne();
      await acknowledge(row, stale);
      expect(await onlyRow()).toMatchObject({ state: 'pending', owner: ME, attempts: 1 });
    });

    it('does not change a finished row', async () => {
      await insertRows('alpha', 1);
      const row = await claimOne();
      await acknowledge(row, {});
      await acknowledge(row, { result: { kind: 'retry', inMs: 0 } });
      expect(await onlyRow()).toMatchObject({ state: 'delivered' });
    });

    it('finishes many rows in one batch, each with its own ending', async () => {
      await insertRows('alpha', 3);
      const { rows } = await claim();
      const kinds = ['delivered', 'failed', 'dropped'] as const;
      await bench.store.acknowledge(
        rows.map(({ id, claim: by }, index) => ({
          id,
          owner: ME,
          claim: by,
          result: { kind: kinds[index]! },
        })),
      );
      const states = (await bench.rows()).map((row) => row.state);
      expect(states.sort()).toEqual(['delivered', 'dropped', 'failed']);
    });

    it('accepts an empty batch', async () => {
      await expect(bench.store.acknowledge([])).resolves.toBeUndefined();
    });
  });

  describe('releasing', () => {
    it('releases only the rows of the owner, without counting an attempt', async () => {
      await insertRows('alpha', 2);
      await claim({ limit: 1 });
      await claim({ limit: 1, owner: OTHER, claim: 'claim-2' });
      await bench.store.release(ME, ['tests']);
      const rows = await bench.rows();
      expect(rows.map((row) => row.owner).sort()).toEqual([OTHER, null]);
      expect(rows.find((row) => row.owner === null)).toMatchObject({ attempts: 0 });
      expect((await claim({ owner: OTHER, claim: 'claim-3' })).rows).toHaveLength(1);
    });
  });

  describe('a redelivery', () => {
    const ENDINGS = {
      delivered: { kind: 'delivered' },
      failed: { kind: 'failed' },
      dropped: { kind: 'dropped' },
      'failed until a retry': { kind: 'retry', inMs: 3_600_000 },
    } as const;

    it.each(Object.entries(ENDINGS))(
      'of a row in progress is due when that attempt has %s, with the full retry schedule',
      async (_name, result) => {
        await insertRows('alpha', 1);
        const row = await claimOne();
        expect(await bench.redeliver(row.id, 'beta')).toBe(true);
        expect(await onlyRow()).toMatchObject({ owner: ME, attempts: 1 });
        expect((await claim({ claim: 'claim-2' })).rows).toEqual([]);
        await acknowledge(row, { result, attempt: { reason: 'status 500', ms: 3 } });
        expect(await onlyRow()).toMatchObject({
          state: 'pending',
          owner: null,
          attempts: 0,
          lastReason: 'status 500',
          expires: false,
        });
        const again = (await claim({ claim: 'claim-2' })).rows;
        expect(again).toMatchObject([{ id: row.id, key: 'beta', attempt: 1, hasFailed: true }]);
        await acknowledge(again[0]!, {});
        expect(await onlyRow()).toMatchObject({ state: 'delivered', expires: true });
      },
    );

    it('of a row that is released keeps the time until which it is deferred', async () => {
      await insertRows('alpha', 1);
      const row = await claimOne();
      await bench.redeliver(row.id, 'alpha');
      await acknowledge(row, { result: { kind: 'deferred', inMs: 30_000 } });
      expect((await claim({ claim: 'claim-2' })).rows).toEqual([]);
      await bench.pass(31_000);
      const [again] = (await claim({ claim: 'claim-2' })).rows;
      expect(again).toMatchObject({ attempt: 1 });
      await acknowledge(again!, {});
      expect(await onlyRow()).toMatchObject({ state: 'delivered' });
    });

    it('of a row in progress is due when its instance stops', async () => {
      await insertRows('alpha', 1);
      const row = await claimOne();
      await bench.redeliver(row.id, 'beta');
      await bench.store.release(ME, ['tests']);
      const [again] = (await claim({ owner: OTHER, claim: 'claim-2' })).rows;
      expect(again).toMatchObject({ key: 'beta', attempt: 1 });
      await acknowledge(again!, { owner: OTHER });
      expect(await onlyRow()).toMatchObject({ state: 'delivered' });
    });

    it('of a row whose instance died is not lost', async () => {
      await insertRows('alpha', 1);
      const { id } = await claimOne();
      await bench.pass(2 * LEASE_MS);
      await bench.redeliver(id, 'alpha');
      expect((await claim({ owner: OTHER, claim: 'claim-2' })).rows).toMatchObject([{ id }]);
    });

    it('that follows the acknowledgement requeues the row', async () => {
      await insertRows('alpha', 1);
      const row = await claimOne();
      await acknowledge(row, {});
      await bench.redeliver(row.id, 'alpha');
      expect((await claim({ claim: 'claim-2' })).rows).toMatchObject([{ attempt: 1 }]);
    });
  });

  describe('a claim of a row that its instance had claimed before', () => {
    it('renews that claim if its lease has expired', async () => {
      await insertRows('alpha', 1);
      await claim();
      await bench.pass(2 * LEASE_MS);
      expect((await claim({ claim: 'claim-2' })).rows).toMatchObject([{ renews: 'claim-1' }]);
      await bench.pass(2 * LEASE_MS);
      const [taken] = (await claim({ owner: OTHER, claim: 'claim-3' })).rows;
      expect(taken).not.toHaveProperty('renews');
    });

    it('renews no claim if the row was inserted as leased', async () => {
      const event = anEvent({ seq: 1 });
      await bench.insert([aRow(event, { owner: ME })], [event]);
      expect((await claim()).rows).toMatchObject([{ renews: null }]);
    });

    it('is a new one if the row was released or requeued', async () => {
      await insertRows('alpha', 1);
      const row = await claimOne();
      expect(row).not.toHaveProperty('renews');
      await acknowledge(row, {});
      await bench.redeliver(row.id, 'alpha');
      const [again] = (await claim({ claim: 'claim-2' })).rows;
      expect(again).not.toHaveProperty('renews');
    });
  });

  describe('ending the pending rows of a key', () => {
    it('drops all rows of the key including retries, except leased ones', async () => {
      await insertRows('ended', 3);
      await insertRows('kept', 1, 11);
      const { rows } = await claim({ limit: 2, share: 1, capacity: new Map([['kept', 0]]) });
      await acknowledge(rows[0]!, { result: { kind: 'retry', inMs: 3_600_000 } });
      const ended = await bench.store.endWaiting({
        plugin: 'tests',
        key: 'ended',
        kind: 'dropped',
        reason: 'The subscriber no longer serves this key.',
      });
      expect(ended).toBe(2);
      const states = (await bench.rows()).map((row) => [row.state, row.owner] as const);
      expect(states).toHaveLength(4);
      expect(states.filter(([state]) => state === 'dropped')).toHaveLength(2);
      expect(states.filter(([, owner]) => owner === ME)).toHaveLength(1);
    });

    it('can be limited to one tenant', async () => {
      const events = [anEvent({ seq: 1 }), anEvent({ seq: 2, tenantId: idOf<TenantId>(0xb) })];
      await bench.insert(
        events.map((event) => aRow(event)),
        events,
      );
      const ended = await bench.store.endWaiting({
        plugin: 'tests',
        key: 'alpha',
        tenantId: idOf<TenantId>(0xb),
        kind: 'dropped',
        reason: 'The subscriber no longer serves this key.',
      });
      expect(ended).toBe(1);
      expect((await claim()).rows.map(({ seq }) => seq)).toEqual([1]);
    });

    it('can be limited to rows that have been due for some time', async () => {
      await insertRows('slow', 1);
      const row = await claimOne();
      await acknowledge(row, { result: { kind: 'deferred', inMs: 0 } });
      const failOverdue = () =>
        bench.store.endWaiting({
          plugin: 'tests',
          key: 'slow',
          kind: 'failed',
          overdueMs: 60_000,
          reason: 'No response for too long.',
        });
      expect(await failOverdue()).toBe(0);
      await bench.pass(61_000);
      expect(await failOverdue()).toBe(1);
      expect(await onlyRow()).toMatchObject({
        state: 'failed',
        lastReason: 'No response for too long.',
        expires: true,
      });
    });
  });

  describe('spans', () => {
    /** Inserts a span of these events for the key. */
    const insertSpan = async (key: string, ...seqs: readonly number[]): Promise<OutboxSpan> => {
      const events = seqs.map((seq) => anEvent({ seq }));
      const span = aSpan(events as [DomainEvent, ...DomainEvent[]], { key });
      await bench.insert([span], events);
      return span;
    };

    const claimSpan = async (more: Partial<ClaimRequest> = {}): Promise<ClaimedSpan> => {
      const { rows, spans } = await claim(more);
      expect(rows).toEqual([]);
      expect(spans).toHaveLength(1);
      return spans[0]!;
    };

    const rowsOf = (span: ClaimedSpan, owner = ME): readonly OutboxEvent[] =>
      span.seqs.map((seq) =>
        aRow(anEvent({ seq }), { key: span.key, due: span.leasedUntil, owner }),
      );

    const expand = (span: ClaimedSpan, owner = ME) =>
      bench.store.expand([{ span, owner, rows: rowsOf(span, owner) }]);

    it('are leased like rows, for as many events as the key has capacity for', async () => {
      const { id } = await insertSpan('alpha', 3, 4, 7, 9);
      const { spans, rows, crowded } = await claim({ capacity: new Map([['alpha', 3]]) });
      expect(rows).toEqual([]);
      expect(spans).toMatchObject([
        { id, plugin: 'tests', key: 'alpha', tenantId: TENANT_ID, claim: 'claim-1' },
      ]);
      expect(spans[0]).toMatchObject({ seqs: [3, 4, 7], rest: { seq: 9, left: 1 } });
      expect(spans[0]!.leasedUntil.getTime()).toBeGreaterThan(
        (await bench.now()).getTime() + LEASE_MS - 5_000,
      );
      expect(crowded).toEqual(['alpha']);
      expect((await claim()).spans).toEqual([]);
    });

    it('expand to exactly their events in order, also if these are not contiguous', async () => {
      const seqs = Array.from({ length: 400 }, (_, index) => 17 + index)
        .filter((seq) => (seq * seq) % 11 < 5)
        .slice(0, 200);
      await insertSpan('alpha', ...seqs);
      const given: number[] = [];
      for (let round = 0; given.length < 200; round += 1) {
        const span = await claimSpan({ claim: `claim-${round}`, limit: 33, share: 33 });
        given.push(...span.seqs);
        await expand(span);
      }
      expect(given).toEqual(seqs);
      expect(await bench.spans()).toEqual([]);
      expect(await bench.rows()).toHaveLength(200);
    });

    it('expand to leased rows, and are released with their original due time', async () => {
      await insertSpan('alpha', 1, 2, 3);
      const span = await claimSpan({ capacity: new Map([['alpha', 2]]) });
      const rows = rowsOf(span);
      expect(await expand(span)).toEqual(new Set(rows.map(({ id }) => id)));
      expect(await bench.spans()).toMatchObject([
        { owner: null, seq: 3, left: 1, state: 'pending' },
      ]);
      expect((await bench.spans())[0]!.dueIn).toBeLessThan(-1_000_000);
      for (const row of await bench.rows()) {
        expect(row).toMatchObject({ state: 'pending', owner: ME, attempts: 1, expires: false });
        expect(row.dueIn).toBeGreaterThan(LEASE_MS - 5_000);
      }
      await bench.store.acknowledge(
        rows.map(({ id }) => ({ id, owner: ME, claim: 'claim-1', result: { kind: 'delivered' } })),
      );
      expect((await bench.rows()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    });

    it('are expanded once if two instances do it concurrently', async () => {
      await insertSpan('alpha', 1, 2, 3, 4);
      const span = await claimSpan();
      const created = await Promise.all([expand(span), expand({ ...span }, OTHER)]);
      const ids = created.flatMap((one) => [...one]);
      expect(ids.sort()).toEqual(
        rowsOf(span)
          .map(({ id }) => id)
          .sort(),
      );
      expect(await bench.rows()).toHaveLength(4);
    });

    it('can be expanded further after an instance was killed during an expansion', async () => {
      await insertSpan('alpha', 1, 2, 3, 4);
      const killed = await claimSpan({ owner: OTHER, claim: 'claim-0', limit: 2, share: 2 });
      const written = rowsOf(killed, OTHER);
      await bench.insert(written.slice(0, 1), []);
      await bench.store.release(OTHER, ['tests']);
      const { rows, spans } = await claim();
      expect(rows.map(({ seq }) => seq)).toEqual([1]);
      expect(spans[0]!.seqs).toEqual([1, 2, 3, 4]);
      const created = await expand(spans[0]!);
      expect(created).toEqual(
        new Set(
          rowsOf(spans[0]!)
            .slice(1)
            .map(({ id }) => id),
        ),
      );
      expect(await bench.spans()).toEqual([]);
    });

    it('are not changed by an instance whose lease expired', async () => {
      await insertSpan('alpha', 1, 2, 3, 4);
      const late = await claimSpan({ limit: 2, share: 2 });
      await bench.pass(LEASE_MS + 5_000);
      const next = await claimSpan({ owner: OTHER, claim: 'claim-2' });
      await expand(late);
      expect(await bench.spans()).toMatchObject([{ owner: OTHER, seq: 1, left: 4 }]);
      const created = await expand(next, OTHER);
      expect([...created]).toHaveLength(2);
      expect(await bench.spans()).toEqual([]);
      expect(await bench.rows()).toHaveLength(4);
    });

    it('continue after events that are no longer in the log', async () => {
      await insertSpan('alpha', 1, 2, 3);
      const span = await claimSpan({ limit: 2, share: 2 });
      await bench.store.expand([{ span, owner: ME, rows: [] }]);
      expect(await bench.rows()).toEqual([]);
      expect(await bench.spans()).toMatchObject([{ seq: 3, left: 1, owner: null }]);
    });

    it('block later rows and spans of their tenant and key, and nothing else', async () => {
      await insertRows('alpha', 1, 1);
      await insertSpan('alpha', 10, 20);
      await insertRows('alpha', 1, 15);
      await insertSpan('alpha', 30, 31);
      await insertRows('beta', 1, 40);
      const otherTenants = anEvent({ seq: 50, tenantId: idOf<TenantId>(0xb) });
      await bench.insert([aRow(otherTenants)], [otherTenants]);
      const { rows, spans, crowded } = await claim();
      expect(rows.map(({ seq }) => seq)).toEqual([1, 40, 50]);
      expect(spans.map(({ seqs }) => seqs)).toEqual([[10, 20]]);
      expect(crowded).toEqual(['alpha']);
      // A leased span blocks them too.
      const next = await claim({ claim: 'claim-2' });
      expect([next.rows, next.spans]).toEqual([[], []]);
      expect(next.crowded).toEqual(['alpha']);
      await expand(spans[0]!);
      const last = await claim({ claim: 'claim-3' });
      expect(last.rows.map(({ seq }) => seq)).toEqual([15]);
      expect(last.spans.map(({ seqs }) => seqs)).toEqual([[30, 31]]);
    });

    it('are claimed after released rows of their key', async () => {
      await insertSpan('alpha', 1, 2, 3, 4);
      const span = await claimSpan({ limit: 2, share: 2 });
      await expand(span);
      for (const { id } of rowsOf(span)) {
        const result = { kind: 'deferred', inMs: 0 } as const;
        await bench.store.acknowledge([{ id, owner: ME, claim: 'claim-1', result }]);
      }
      const { rows, spans } = await claim({ claim: 'claim-2', limit: 3, share: 3 });
      expect(rows.map(({ seq }) => seq)).toEqual([1, 2]);
      expect(spans.map(({ seqs }) => seqs)).toEqual([[3]]);
    });

    it('count as their events, and precede later rows of every resource', async () => {
      await insertSpan('alpha', 5, 6, 9);
      await insertRows('alpha', 1, 3);
      const { pending } = await bench.store.counts();
      expect(pending).toEqual(new Map([['tests', 4]]));
      const question = {
        plugin: 'tests',
        key: 'alpha',
        tenantId: TENANT_ID,
        resource: 'user:any',
        except: [],
      };
      const other = { ...question, tenantId: idOf<TenantId>(0xb), beforeSeq: 99 };
      const answers = await bench.store.earliestUnsent([
        { ...question, beforeSeq: 5 },
        { ...question, beforeSeq: 99 },
        { ...question, resource: 'user:user-3', beforeSeq: 99 },
        { ...question, key: 'beta', beforeSeq: 99 },
        other,
      ]);
      expect(answers).toEqual([undefined, 5, 3, undefined, undefined]);
    });

    it('are ended with the pending rows of a key, and count as their events', async () => {
      await insertSpan('ended', 1, 2, 3);
      await insertSpan('ended', 7, 8);
      await insertRows('ended', 1, 9);
      await insertSpan('kept', 11, 12);
      const end = {
        plugin: 'tests',
        key: 'ended',
        kind: 'dropped',
        reason: 'The subscriber no longer serves this key.',
      } as const;
      expect(await bench.store.endWaiting({ ...end, tenantId: idOf<TenantId>(0xb) })).toBe(0);
      expect(await bench.store.endWaiting({ ...end, overdueMs: 1e15 })).toBe(0);
      const both = await Promise.all([bench.store.endWaiting(end), bench.store.endWaiting(end)]);
      expect(both[0] + both[1]).toBe(6);
      const spans = await bench.spans();
      expect(spans.filter(({ state }) => state === 'dropped')).toMatchObject([
        {
          left: 3,
          lastReason: 'The subscriber no longer serves this key.',
          expires: true,
          owner: null,
        },
        { left: 2, expires: true },
      ]);
      expect((await claim()).spans.map(({ key }) => key)).toEqual(['kept']);
    });

    it('are not ended while they are leased for expansion', async () => {
      await insertSpan('ended', 1, 2, 3);
      const span = await claimSpan({ limit: 1, share: 1 });
      const end = { plugin: 'tests', key: 'ended', kind: 'dropped', reason: '' } as const;
      expect(await bench.store.endWaiting(end)).toBe(0);
      await expand(span);
      expect(await bench.store.endWaiting(end)).toBe(2);
    });

    it('are released with the rows of their owner', async () => {
      await insertSpan('alpha', 1, 2);
      await claim();
      await bench.store.release(ME, ['tests']);
      expect(await claimSpan({ owner: OTHER, claim: 'claim-2' })).toMatchObject({ seqs: [1, 2] });
    });

    it('are read from the log of their tenant', async () => {
      await insertSpan('alpha', 1, 2);
      const otherTenants = anEvent({ seq: 7, tenantId: idOf<TenantId>(0xb) });
      await bench.insert([], [otherTenants]);
      const found = await bench.store.readLog([
        { tenantId: TENANT_ID, seqs: [2, 7] },
        { tenantId: otherTenants.tenantId, seqs: [1, 7] },
      ]);
      expect(found).toHaveLength(2);
      expect(found).toEqual(expect.arrayContaining([anEvent({ seq: 2 }), otherTenants]));
      expect(await bench.store.readLog([])).toEqual([]);
    });
  });

  describe('finding the earliest unsent row', () => {
    const earliestBefore = async (beforeSeq: number, except: readonly OutboxEvent[] = []) => {
      const [answer] = await bench.store.earliestUnsent([
        {
          plugin: 'tests',
          key: 'alpha',
          tenantId: TENANT_ID,
          resource: 'user:ada',
          beforeSeq,
          except: except.map((row) => row.id),
        },
      ]);
      return answer;
    };
    const insertForSubject = async (
      ...seqs: readonly number[]
    ): Promise<readonly OutboxEvent[]> => {
      const events = seqs.map((seq) => anEvent({ seq, subject: 'ada' }));
      const rows = events.map((event) => aRow(event));
      await bench.insert(rows, events);
      return rows;
    };

    it('returns the earliest row of the resource without an attempt', async () => {
      await insertForSubject(3, 5, 9);
      expect([await earliestBefore(3), await earliestBefore(4), await earliestBefore(9)]).toEqual([
        undefined,
        3,
        3,
      ]);
    });

    it('includes leased rows, but not the excepted ones', async () => {
      const rows = await insertForSubject(3, 5);
      await claim({ owner: OTHER });
      expect([
        await earliestBefore(9),
        await earliestBefore(9, rows.slice(0, 1)),
        await earliestBefore(9, rows),
      ]).toEqual([3, 5, undefined]);
    });

    it('ignores rows that are finished or had an attempt', async () => {
      await insertForSubject(3, 5);
      const { rows } = await claim();
      await acknowledge(rows[0]!, {});
      expect(await earliestBefore(9)).toBe(5);
      const attempt = { reason: 'status 500', ms: 1 };
      await acknowledge(rows[1]!, { result: { kind: 'retry', inMs: 5_000 }, attempt });
      expect(await earliestBefore(9)).toBeUndefined();
    });

    it('ignores other resources and other keys', async () => {
      const events = [anEvent({ seq: 1, subject: 'bob' }), anEvent({ seq: 2, subject: 'ada' })];
      await bench.insert([aRow(events[0]!), aRow(events[1]!, { key: 'beta' })], events);
      expect(await earliestBefore(9)).toBeUndefined();
    });

    it('returns the results of many queries in order', async () => {
      await insertForSubject(3);
      await insertRows('alpha', 1, 20);
      const question = {
        plugin: 'tests',
        key: 'alpha',
        tenantId: TENANT_ID,
        beforeSeq: 99,
        except: [],
      };
      const answers = await bench.store.earliestUnsent([
        { ...question, resource: 'user:user-20' },
        { ...question, resource: 'user:unknown' },
        { ...question, resource: 'user:ada' },
      ]);
      expect(answers).toEqual([20, undefined, 3]);
      expect(await bench.store.earliestUnsent([])).toEqual([]);
    });
  });

  describe('reading', () => {
    it('returns the events of the log unchanged', async () => {
      const event = anEvent({ seq: 7 });
      await bench.insert([aRow(event)], [event]);
      const found = await bench.store.readEvents([event.id, anEvent({ seq: 8 }).id]);
      expect([...found.values()]).toEqual([event]);
      expect(await bench.store.readEvents([])).toEqual(new Map());
    });

    it('counts pending deliveries by plugin, and returns the age of the oldest', async () => {
      expect(await bench.store.counts()).toEqual({ pending: new Map(), overdueMs: new Map() });
      const event = anEvent({ seq: 1 });
      const now = await bench.now();
      const later = new Date(now.getTime() + LEASE_MS);
      await bench.insert(
        [
          aRow(event, { owner: OTHER, due: later }),
          aRow(event, { key: 'beta', owner: OTHER, due: later }),
          aRow(event, { plugin: 'others', owner: OTHER, due: later }),
        ],
        [event],
      );
      expect(await bench.store.counts()).toEqual({
        pending: new Map([
          ['tests', 2],
          ['others', 1],
        ]),
        overdueMs: new Map([
          ['tests', 0],
          ['others', 0],
        ]),
      });
      await bench.pass(LEASE_MS + 10_000);
      const { overdueMs } = await bench.store.counts();
      for (const plugin of ['tests', 'others']) {
        expect(overdueMs.get(plugin)).toBeGreaterThanOrEqual(9_000);
        expect(overdueMs.get(plugin)).toBeLessThan(40_000);
      }
    });
  });
};
