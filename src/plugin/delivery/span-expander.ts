import type { DomainEvent } from '../../domain/events.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { OutboxEvent } from '../../outbox/outbox-planner.js';
import type { ClaimedSpan } from '../../outbox/outbox-claims.js';
import type { EngineCounters } from './engine-gauges.js';
import type { EngineParts } from './engine-parts.js';
import type { HeldRow } from './key-gate.js';
import { toOutboxEvent } from './outbox-event.js';

/** A span, and the rows made of its beginning that are this instance's to send, in order of seq. */
export interface Expanded {
  readonly span: ClaimedSpan;
  readonly rows: readonly HeldRow[];
}

/**
 * Makes rows of the beginnings of spans: of as many events as were claimed, which is what there is
 * room for. So a slow key's span stays one row, and nothing is expanded ahead of its sending.
 */
export interface SpanExpander {
  /** `leasedAt`: by the steady clock, not later than the claim of the spans. */
  readonly expand: (
    spans: readonly ClaimedSpan[],
    leasedAt: number,
  ) => Promise<readonly Expanded[]>;
}

export interface SpanExpanderParts extends Pick<EngineParts, 'store' | 'owner' | 'log'> {
  readonly counters: EngineCounters;
}

interface SpanEvent {
  readonly event: DomainEvent;
  readonly row: OutboxEvent;
}

/** A span and its first events, as far as the log still has them. */
interface ReadSpan {
  readonly span: ClaimedSpan;
  readonly events: readonly SpanEvent[];
}

const toHeldRow = (
  { event, row: { id, resource } }: SpanEvent,
  claim: string,
  leasedAt: number,
): HeldRow => ({
  id,
  event,
  resource,
  attempt: 1,
  hasFailed: false,
  leasedAt,
  claim,
  isInOrder: false,
});

const positionOf = (tenantId: TenantId, seq: number): string => `${tenantId}\n${seq}`;

export const createSpanExpander = (parts: SpanExpanderParts): SpanExpander => {
  const { store, owner, log, counters } = parts;

  const read = async (spans: readonly ClaimedSpan[]): Promise<readonly ReadSpan[]> => {
    const found = await store.readLog(spans);
    const events = new Map(found.map((event) => [positionOf(event.tenantId, event.seq), event]));
    return spans.map((span) => ({
      span,
      events: span.seqs
        .flatMap((seq) => events.get(positionOf(span.tenantId, seq)) ?? [])
        .map((event) => ({
          event,
          row: toOutboxEvent(event, { ...span, due: span.leasedUntil, owner }),
        })),
    }));
  };

  const reportLost = ({ span: { plugin, key, seqs }, events }: ReadSpan): void => {
    const lost = seqs.length - events.length;
    if (lost === 0) return;
    counters.ended(plugin, 'failed', lost);
    log.warn(
      { plugin, target: key, events: lost },
      'Events with pending deliveries are past their retention.',
    );
  };

  return {
    expand: async (spans, leasedAt) => {
      if (spans.length === 0) return [];
      const readSpans = await read(spans);
      const written = await store.expand(
        readSpans.map(({ span, events }) => ({ span, owner, rows: events.map(({ row }) => row) })),
      );
      readSpans.forEach(reportLost);
      return readSpans.map(({ span, events }) => ({
        span,
        rows: events
          .filter(({ row }) => written.has(row.id))
          .map((one) => toHeldRow(one, span.claim, leasedAt)),
      }));
    },
  };
};
