import { LRUCache } from 'lru-cache';
import {
  classifyResponse,
  type DomainEvent,
  type DurableSubscriber,
  type EventName,
  type Tenant,
  type TenantId,
  type Delivery,
  type DeliveryOutcome,
} from '../../src/plugin/api.js';
import {
  eventsIn,
  isActive,
  keyOf,
  type Registration,
  type Registrations,
  registrationFor,
} from './registration.js';
import { eventBody, type PostDelivery } from './post-delivery.js';
import { outcomeOf } from './failing.js';
import { storedAttempt, MAX_STORED_BODY } from './delivery-view.js';
import type { OutcomeNotes } from './outcome-notes.js';
import type { WebhookSettings } from './settings.js';

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
 *
 * @internal
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

interface SubscriberParts {
  readonly settings: WebhookSettings;
  readonly registrations: Registrations;
  readonly post: PostDelivery;
  readonly outcomes: OutcomeNotes;
  readonly now: () => Date;
}

/** The registration was disabled or deleted since the engine's last check, which will drop the row. */
const NOT_SERVED: DeliveryOutcome = {
  kind: 'failed',
  retry: true,
  reason: 'The registration is disabled or deleted.',
};

/** Webhooks for the delivery engine: which registrations receive an event, and how to send it. */
export const createSubscriber = (parts: SubscriberParts): DurableSubscriber => {
  const { settings, registrations, post, outcomes, now } = parts;

  const deliver = async (
    { id, key, event }: Delivery,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> => {
    const { tenantId } = event;
    const registration = registrationFor(await registrations.recent(tenantId), key);
    if (!registration) return NOT_SERVED;
    const body = eventBody(event, registration.include);
    const exchange = await post(
      {
        tenantId,
        registration,
        id,
        eventId: event.id,
        event: event.name,
        body,
        bodyLimit: MAX_STORED_BODY,
      },
      signal,
    );
    const outcome = classifyResponse(exchange.response, now());
    // An attempt that the gateway itself aborted says nothing about the receiver.
    if (outcome.kind === 'delivered' || !signal.aborted)
      outcomes.note(
        { tenantId, id: registration.id, epoch: registration.epoch },
        outcomeOf(outcome),
      );
    return { ...outcome, kept: storedAttempt(exchange) };
  };

  return {
    ...createSubscriptions(registrations),
    serving: async (tenantId, keys) => {
      const known = await registrations.read(tenantId);
      return new Set(keys.filter((key) => registrationFor(known, key)));
    },
    deliver,
    retrySchedule: settings.retry,
    concurrencyPerKey: settings.concurrencyPerRegistration,
  };
};
