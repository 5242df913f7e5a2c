import type { DomainEvent } from '../../domain/events.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import type { DurableSubscriber } from '../contract/contract.js';
import type { EngineCounters } from './engine-gauges.js';
import type { EngineMemory } from './engine-memory.js';
import type { EngineParts } from './engine-parts.js';
import type { KeyGate } from './key-gate.js';
import { resourceOf } from './outbox-event.js';

/** One event for one key. */
export interface RoutedEvent {
  readonly gate: KeyGate;
  readonly event: DomainEvent;
  readonly resource: string;
}

export interface RoutingParts extends Pick<EngineParts, 'subscribers' | 'log'> {
  readonly memory: EngineMemory;
  readonly counters: EngineCounters;
}

/** Routes events to the keys of subscribers, event by event, so that keys share capacity evenly. */
export const createEventRouter = ({ subscribers, memory, counters, log }: RoutingParts) => {
  const keysOf = (plugin: string, event: DomainEvent): ReadonlySet<string> => {
    try {
      return new Set(subscribers.get(plugin)?.route(event));
    } catch (cause) {
      // A plugin's error must not stop provisioning. Alerts use this count.
      log.error({ plugin, event: event.id, err: cause }, 'A subscriber could not route an event.');
      counters.unrouted(plugin);
      return new Set();
    }
  };

  const routeTo = (
    [plugin, subscriber]: readonly [string, DurableSubscriber],
    event: DomainEvent,
  ): readonly RoutedEvent[] =>
    [...keysOf(plugin, event)].map((key) => ({
      gate: memory.gateOf({ plugin, key, subscriber }),
      event,
      resource: resourceOf(event),
    }));

  return function* (events: readonly DomainEvent[]): Chunked<readonly RoutedEvent[]> {
    const routed: RoutedEvent[] = [];
    for (const subscriber of subscribers)
      for (const event of events) {
        routed.push(...routeTo(subscriber, event));
        yield;
      }
    return routed;
  };
};
