import { LRUCache } from 'lru-cache';
import {
  type DomainEvent,
  type DurableSubscriber,
  type EventName,
  type Tenant,
  type TenantId,
} from '../../src/plugin/api.js';
import { eventsIn, isActive, keyOf, type Registration } from './registration.js';
import type { Registrations } from './registrations.js';

/** Keys that receive an event, by its name. */
type Subscribers = ReadonlyMap<EventName, readonly string[]>;

const NO_SUBSCRIBERS: Subscribers = new Map();
/** Far more than can be between `prepare` and `route` at a time. */
const MAX_TENANTS = 10_000;

/** Keys of the active registrations, by the events they subscribe to. */
const subscribersOf = (registrations: Iterable<Registration>): Subscribers => {
  const subscribers = new Map<EventName, string[]>();
  for (const registration of [...registrations].filter(isActive))
    for (const name of subscribedEvents(registration)) {
      const keys = subscribers.get(name);
      if (keys) keys.push(keyOf(registration));
      else subscribers.set(name, [keyOf(registration)]);
    }
  return subscribers;
};

const subscribedEvents = ({ events }: Registration): ReadonlySet<EventName> =>
  new Set(events.flatMap(eventsIn));

/**
 * Which registrations subscribe to which event: in memory, because routing happens inside the lane, and
 * exact on every gateway, because each batch comes with the version of the registrations that its
 * commit is checked against (pipeline-rules.md 8).
 */
export const createSubscriptions = (
  { read }: Pick<Registrations, 'read'>,
  capacity = MAX_TENANTS,
): Pick<DurableSubscriber, 'prepare' | 'route'> => {
  const loaded = new LRUCache<TenantId, { version: number; subscribers: Subscribers }>({
    max: capacity,
  });

  const reload = async (tenantId: TenantId, version: number): Promise<void> => {
    const subscribers = subscribersOf((await read(tenantId)).values());
    loaded.set(tenantId, { version, subscribers });
  };

  return {
    prepare: ({ id }: Tenant, version: number) => {
      if (loaded.get(id)?.version === version) return;
      if (version > 0) return reload(id, version);
      loaded.set(id, { version, subscribers: NO_SUBSCRIBERS });
    },
    route: ({ tenantId, name }: DomainEvent) => {
      const entry = loaded.get(tenantId);
      if (!entry) throw new Error(`The subscriptions of tenant ${tenantId} were not prepared.`);
      return entry.subscribers.get(name) ?? [];
    },
  };
};
