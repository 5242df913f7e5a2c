import {
  createLruMap,
  type DomainEvent,
  type DurableSubscriber,
  type EventName,
  type Tenant,
  type TenantId,
} from '../../src/plugin/api.js';
import { eventsIn, isActive, keyOf, type Registration } from './registration.js';
import type { Registrations } from './registrations.js';

/** Who is owed an event, by its name. */
type Subscribers = ReadonlyMap<EventName, readonly string[]>;

const NOBODY: Subscribers = new Map();
/** Far more than can be between `prepare` and `route` at a time. */
const MOST_TENANTS = 10_000;

/** Keys of the active registrations, by the events they want; the disabled are owed nothing. */
const subscribersOf = (registrations: Iterable<Registration>): Subscribers => {
  const subscribers = new Map<EventName, string[]>();
  for (const registration of [...registrations].filter(isActive))
    for (const name of wantedBy(registration)) {
      const keys = subscribers.get(name);
      if (keys) keys.push(keyOf(registration));
      else subscribers.set(name, [keyOf(registration)]);
    }
  return subscribers;
};

const wantedBy = ({ events }: Registration): ReadonlySet<EventName> =>
  new Set(events.flatMap(eventsIn));

/**
 * Which registrations want which event: in memory, because routing happens inside the lane, and
 * exact on every gateway, because each batch comes with the version of the registrations that its
 * commit is checked against (pipeline-rules.md 8).
 */
export const createSubscriptions = (
  { read }: Pick<Registrations, 'read'>,
  capacity = MOST_TENANTS,
): Pick<DurableSubscriber, 'prepare' | 'route'> => {
  const held = createLruMap<TenantId, { version: number; subscribers: Subscribers }>(capacity);

  const reload = async (tenantId: TenantId, version: number): Promise<void> => {
    const subscribers = subscribersOf((await read(tenantId)).values());
    held.set(tenantId, { version, subscribers });
  };

  return {
    prepare: ({ id }: Tenant, version: number) => {
      if (held.get(id)?.version === version) return;
      if (version > 0) return reload(id, version);
      held.set(id, { version, subscribers: NOBODY });
    },
    route: ({ tenantId, name }: DomainEvent) => {
      const entry = held.get(tenantId);
      if (!entry) throw new Error(`The subscriptions of tenant ${tenantId} were not prepared.`);
      return entry.subscribers.get(name) ?? [];
    },
  };
};
