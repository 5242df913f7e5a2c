import { Webhook } from 'standardwebhooks';
import type { HttpsReceiver, ReceivedRequest } from '../shared/https-receiver.js';
import type { Output, PrintedDelivery } from './output.js';

/** A webhook that arrived, with its signatures checked. */
export interface Delivery extends PrintedDelivery {
  /** From the event's timestamp, which is before its commit, to the receiver. */
  readonly ms: number;
}

/** Receives and verifies webhooks, as an integrator does. */
export interface WebhookInbox {
  readonly deliveries: readonly Delivery[];
  /** Waits for these events and prints what arrived. */
  readonly expect: (...events: readonly string[]) => Promise<void>;
  /** All events that were expected so far. */
  readonly expected: readonly string[];
}

interface Envelope {
  readonly id: string;
  readonly event: string;
  readonly timestamp: string;
  readonly seq: number | null;
  readonly data: {
    readonly user?: { readonly display_name: string };
    readonly group?: { readonly display_name: string };
    readonly webhook?: { readonly description: string | null };
  };
}

const TIMEOUT_MS = 15_000;

export const createInbox = (
  receiver: HttpsReceiver,
  secret: string,
  output: Output,
): WebhookInbox => {
  const deliveries: Delivery[] = [];
  const expected: string[] = [];
  return {
    deliveries,
    expected,
    expect: async (...events) => {
      expected.push(...events);
      const requests = await receiver
        .received(expected.length, TIMEOUT_MS)
        .catch(() => receiver.requests);
      // Deliveries of different resources may arrive in any order.
      const arrived = requests
        .slice(deliveries.length)
        .map((request) => readDelivery(request, secret))
        .sort((one, other) => Number(one.seq) - Number(other.seq));
      for (const delivery of arrived) output.delivery(delivery);
      deliveries.push(...arrived);
      if (deliveries.length < expected.length) output.problem(`Missing: ${events.join(', ')}.`);
    },
  };
};

const readDelivery = (request: ReceivedRequest, secret: string): Delivery => {
  const { event, seq, timestamp, data } = request.json as Envelope;
  return {
    event,
    subject: (data.user ?? data.group)?.display_name ?? data.webhook?.description ?? '',
    seq,
    deliveryId: String(request.headers['x-service-delivery']),
    ms: request.at.getTime() - Date.parse(timestamp),
    isVerified: request.hasValidSignature(secret) && hasStandardSignature(request, secret),
  };
};

/** Verifies the delivery with the library of standardwebhooks.com; its id is the event's. */
const hasStandardSignature = (
  { body, headers, json }: ReceivedRequest,
  secret: string,
): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return headers['webhook-id'] === (json as Envelope).id;
  } catch {
    return false;
  }
};
