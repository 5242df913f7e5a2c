import {
  classifyResponse,
  type Delivery,
  type DeliveryOutcome,
  type EventSubscriber,
  type Subscription,
} from '../../src/plugin/api.js';
import {
  isActive,
  keyOf,
  type Registration,
  type Registrations,
  registrationFor,
  subscribedEvents,
} from './registration.js';
import { eventBody, type PostDelivery } from './post-delivery.js';
import { outcomeOf } from './failing.js';
import { storedAttempt, MAX_STORED_BODY } from './delivery-view.js';
import type { OutcomeNotes } from './outcome-notes.js';
import type { WebhookSettings } from './settings.js';

/** What a registration gets of the tenant's events. */
const subscriptionOf = (registration: Registration): Subscription => {
  const { after, addedAfter } = registration;
  return {
    key: keyOf(registration),
    after: after ?? undefined,
    events: new Map(
      [...subscribedEvents(registration)].map((name) => [name, addedAfter[name] ?? 0]),
    ),
  };
};

interface SubscriberParts {
  readonly settings: WebhookSettings;
  readonly registrations: Registrations;
  readonly post: PostDelivery;
  readonly outcomes: OutcomeNotes;
  readonly now: () => Date;
}

/** The registration was disabled or deleted since: the delivery is dropped next. */
const NOT_SERVED: DeliveryOutcome = {
  kind: 'failed',
  retry: true,
  reason: 'The registration is disabled or deleted.',
};

/** Webhooks for the event stream: which registrations receive an event, and how to send it. */
export const createSubscriber = (parts: SubscriberParts): EventSubscriber => {
  const { settings, registrations, post, outcomes, now } = parts;

  const deliver = async (
    { id, key, event }: Delivery,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> => {
    const { tenantId } = event;
    const registration = registrationFor(await registrations.last(tenantId), key);
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
        { ms: exchange.response.durationMs, deliveryId: id },
      );
    return { ...outcome, kept: storedAttempt(exchange) };
  };

  return {
    subscriptions: async (tenantId) =>
      [...(await registrations.read(tenantId)).values()].filter(isActive).map(subscriptionOf),
    deliver,
    retry: settings.retry,
    concurrency: settings.concurrencyPerRegistration,
  };
};
