import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.js';
import type { EventId } from '../../src/domain/kernel/ids.js';
import { delayAfter, giveUpAfter } from '../../src/plugin/stream/attempt.js';
import { CircuitBreaker } from '../../src/plugin/stream/circuit-breaker.js';
import { deliveryIdOf } from '../../src/pipeline/delivery-id.js';
import { type Group, type Job, Lane } from '../../src/plugin/stream/lane.js';
import { Results } from '../../src/plugin/stream/results.js';
import { STREAM_LIMITS } from '../../src/plugin/stream/stream-limits.js';
import { sampleEvent } from '../../src/plugin/testing.js';

describe('a delivery id', () => {
  it('is a UUIDv5 (RFC 9562, 5.5)', () => {
    // Python: uuid.uuid5(event, 'webhooks:3d1c2b7a-…:2')
    const event = '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as EventId;
    expect(deliveryIdOf(event, 'webhooks', '3d1c2b7a-6e55-4a0f-8a43-5b1f9d7c6e21:2')).toBe(
      'b4c9eb9a-5f23-5755-8ce2-41459c89c262',
    );
  });
});

describe('the wait before a further attempt', () => {
  it('lies within a fifth of the step, or up to twice it if the receiver requests a wait', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 86_400_000 }), { minLength: 1, maxLength: 8 }),
        fc.nat(7),
        fc.option(fc.double({ min: 0, noDefaultInfinity: true }), { nil: undefined }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (schedule, index, waitMs, number) => {
          const step = schedule[index];
          const wait = delayAfter(schedule, { attempt: index + 1, waitMs }, () => number);
          if (step === undefined) {
            expect(wait).toBeUndefined();
            return;
          }
          expect(wait).toBeGreaterThanOrEqual(step * 0.8 - 1e-6);
          expect(wait).toBeLessThanOrEqual(step * (waitMs === undefined ? 1.2 : 2) + 1e-6);
          if (waitMs !== undefined && !Number.isNaN(waitMs)) {
            expect(wait).toBeGreaterThanOrEqual(Math.min(waitMs, step));
          }
        },
      ),
    );
  });

  it('adds up to at most 1.2 times the steps: then, and after an hour, a silent receiver is given up', () => {
    expect(giveUpAfter([10_000_000, 20_000_000])).toBe(36_000_000);
    expect(giveUpAfter([])).toBe(3_600_000);
  });
});

describe('a circuit breaker', () => {
  const create = () => new CircuitBreaker({ breakerFailures: 3, breakerOpenMs: 1_000 });

  it('opens after consecutive failures, and allows one probe when its time is over', () => {
    const breaker = create();
    expect([breaker.failed(0), breaker.failed(1), breaker.failed(2)]).toEqual([false, false, true]);
    expect([breaker.capacity(2), breaker.capacity(1_001), breaker.capacity(1_002)]).toEqual([
      0, 0, 1,
    ]);
    expect(breaker.isClosed()).toBe(false);
  });

  it('opens again at once if the probe fails, and closes if it succeeds', () => {
    const breaker = create();
    for (const at of [0, 1, 2]) breaker.failed(at);
    expect(breaker.failed(1_500)).toBe(true);
    expect(breaker.capacity(2_499)).toBe(0);
    expect(breaker.succeeded()).toBe(true);
    expect(breaker.capacity(2_499)).toBe(Infinity);
  });

  it('forgets failures at a success', () => {
    const breaker = create();
    breaker.failed(0);
    breaker.failed(1);
    expect(breaker.succeeded()).toBe(false);
    expect([breaker.failed(2), breaker.failed(3)]).toEqual([false, false]);
  });

  it('is not kept open by attempts that were in flight', () => {
    const breaker = create();
    for (const at of [0, 1, 2]) breaker.failed(at);
    expect(breaker.failed(900)).toBe(false);
    expect(breaker.capacity(1_002)).toBe(1);
  });
});

describe('the position of a lane', () => {
  const EVENTS = 12;
  const events: readonly DomainEvent[] = Array.from({ length: EVENTS }, (_, index) =>
    sampleEvent('user.created', {
      id: `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}` as EventId,
      seq: index + 1,
      resource: { kind: 'user', id: `user-${index % 3}` },
    }),
  );
  const group = { plugin: 'tests', subscriber: { concurrency: 8 } } as Group;

  it('says exactly what is settled, whatever happens, and resumes there', () => {
    const step = fc.constantFrom(
      'take',
      'take',
      'send',
      'send',
      'settle',
      'settle',
      'rewind',
      'resume',
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const settled = new Set<number>();
        let memory = { queued: 0 };
        const open = (at: Pick<ReturnType<Lane['position']>, 'at' | 'upTo' | 'open'>) =>
          new Lane(
            group,
            { key: 'alpha' },
            { key: 'alpha', ...at },
            { limits: STREAM_LIMITS, memory },
          );
        let lane = open({ at: 0, upTo: 0, open: [] });
        let inFlight: Job[] = [];
        const run: Readonly<Record<string, () => void>> = {
          take: () => {
            const event = events[lane.readTo()];
            if (event) lane.take(event, { isLive: true, isOverdue: false });
          },
          send: () => {
            const job = lane.next();
            if (!job) return;
            expect(settled.has(job.event.seq)).toBe(false);
            expect(inFlight.some((one) => one.event.resource.id === job.event.resource.id)).toBe(
              false,
            );
            inFlight.push(job);
          },
          settle: () => {
            const job = inFlight.pop();
            if (!job) return;
            lane.ended(job);
            lane.settled(job);
            settled.add(job.event.seq);
          },
          rewind: () => lane.rewind(),
          // Another gateway takes over: what was in flight is sent again.
          resume: () => {
            const position = lane.position();
            memory = { queued: 0 };
            lane = open(position);
            inFlight = [];
          },
        };
        for (const one of steps) {
          run[one]!();
          expect(memory.queued).toBe(lane.queued());
          const { at, upTo, open: unsettled } = lane.position();
          for (let seq = 1; seq <= EVENTS; seq += 1)
            expect(seq <= at || (seq <= upTo && !unsettled.includes(seq))).toBe(settled.has(seq));
        }
      }),
    );
  });
});

describe('a lane with a single slot', () => {
  it('sends events and retries in turns', () => {
    const group = { plugin: 'tests', subscriber: { concurrency: 1 } } as Group;
    const position = { key: 'alpha', at: 10, upTo: 10, open: [] };
    const shared = { limits: STREAM_LIMITS, memory: { queued: 0 } };
    const lane = new Lane(group, { key: 'alpha' }, position, shared);
    for (const seq of [1, 2, 3]) {
      const event = sampleEvent('user.created', { seq });
      const id = deliveryIdOf(event.id, 'tests', 'alpha');
      lane.addRetry({ id, lane, event, attempt: 2, revision: 0, isLive: false });
    }
    for (const seq of [11, 12])
      lane.take(sampleEvent('user.created', { seq }), { isLive: true, isOverdue: false });
    const sent: number[] = [];
    for (let job = lane.next(); job; job = lane.next()) {
      sent.push(job.event.seq);
      lane.ended(job);
    }
    expect(sent).toEqual([1, 11, 2, 12, 3]);
  });
});

describe('results', () => {
  it('of a backlog do not keep the positions of others from being written', async () => {
    const event = sampleEvent('user.created');
    const group = { plugin: 'tests', isLost: () => false, moved: () => undefined } as Group;
    const lane = { group, key: 'alpha', settled: () => undefined } as unknown as Job['lane'];
    const job = { id: deliveryIdOf(event.id, 'tests', 'alpha'), lane, event, attempt: 1 } as Job;
    let batches = 0;
    // As many end during a write as make the next one due.
    const endMore = (): void => {
      for (let count = 0; count < STREAM_LIMITS.writeResults; count += 1)
        results.end(job, { ending: { kind: 'delivered' }, reason: null });
    };
    const results: Results = new Results({
      plugins: ['tests'],
      limits: STREAM_LIMITS,
      partitions: { isTrusted: () => true },
      outage: { failed: () => undefined, succeeded: () => undefined },
      onWritten: () => undefined,
      store: {
        record: () => {
          batches += 1;
          if (batches < 50) endMore();
          return Promise.resolve();
        },
        move: () => Promise.resolve([]),
      },
    } as unknown as ConstructorParameters<typeof Results>[0]);
    endMore();
    await results.write([group]);
    expect(batches).toBeLessThan(5);
  });
});
