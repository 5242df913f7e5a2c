import type { Delivery, DeliveryOutcome, DurableSubscriber } from '../../src/plugin/api.js';
import { eventBody } from './envelope.js';
import { outcomeOf } from './failing.js';
import { storedAttempt, MAX_STORED_BODY } from './stored-attempt.js';
import { classifyResponse } from './classify-response.js';
import type { OutcomeNotes } from './outcome-notes.js';
import type { PostDelivery } from './post-delivery.js';
import { registrationFor } from './registration.js';
import type { Registrations } from './registrations.js';
import type { WebhookSettings } from './settings.js';
import { createSubscriptions } from './subscriptions.js';

export interface SubscriberParts {
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
    const body = eventBody(event);
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
