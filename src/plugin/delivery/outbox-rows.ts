import type { OutboxEvent, OutboxSpan } from '../../outbox/outbox-planner.js';
import { type Backlog, ANY_RESOURCE } from './backlog.js';
import { spanIdOf } from './delivery-id.js';
import { type EngineMemory, gateIdOf } from './engine-memory.js';
import type { EngineParts } from './engine-parts.js';
import { toOutboxEvent } from './outbox-event.js';
import type { RoutedEvent } from './route-events.js';

export interface OutboxRowsParts extends Pick<EngineParts, 'clock' | 'limits' | 'owner'> {
  readonly memory: EngineMemory;
  readonly backlog: Backlog;
}

/** Events for one key, in order of seq; at least one. */
export type EventsOfKey = readonly [RoutedEvent, ...RoutedEvent[]];

/** Creates the outbox documents of a batch, and registers them in memory and backlog. */
export const createOutboxRows = ({ memory, backlog, clock, limits, owner }: OutboxRowsParts) => ({
  /** Born leased: this instance will send it from memory. */
  held: ({ gate: { plugin, key }, gate, event }: RoutedEvent, now: Date): OutboxEvent => {
    const due = new Date(now.getTime() + limits.leaseMs);
    const row = toOutboxEvent(event, { plugin, key, due, owner });
    memory.reserve(gate, row.id, clock.now());
    return row;
  },
  /** Due at once, for any instance. */
  waiting: ({ gate, event, resource }: RoutedEvent, now: Date): OutboxEvent => {
    backlog.expect(gateIdOf(gate), resource);
    const { plugin, key } = gate;
    return toOutboxEvent(event, { plugin, key, due: now, owner: null });
  },
  /** All events as one span; later events of the key wait behind it. */
  span: (events: EventsOfKey, now: Date): OutboxSpan => {
    const [{ gate, event }] = events;
    backlog.markFull(gateIdOf(gate));
    backlog.expect(gateIdOf(gate), ANY_RESOURCE);
    const { plugin, key } = gate;
    return {
      id: spanIdOf(event.id, plugin, key),
      tenantId: event.tenantId,
      plugin,
      key,
      seqs: events.map((one) => one.event.seq),
      due: now,
      owner: null,
    };
  },
});
