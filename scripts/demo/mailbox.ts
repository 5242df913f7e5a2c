import { Webhook } from 'standardwebhooks';
import type { HttpsReceiver, ReceivedRequest } from '../../tooling/https-receiver.js';
import type { Stage } from './stage.js';

/** A webhook that came, read and checked. */
export interface Delivered {
  readonly event: string;
  readonly about: string;
  readonly seq: number | null;
  readonly deliveryId: string;
  /** From the event's own time, before its commit, to its arrival here. */
  readonly ms: number;
  readonly isVerified: boolean;
}

export interface Mailbox {
  readonly delivered: readonly Delivered[];
  /** Waits for these events and shows what came, right or not. */
  readonly expect: (...events: readonly string[]) => Promise<void>;
  /** Every event that was expected so far, in order. */
  readonly expected: readonly string[];
}

interface Envelope {
  readonly id: string;
  readonly event: string;
  readonly timestamp: string;
  readonly seq: number | null;
  readonly data: {
    readonly user?: { readonly display_name: string };
    readonly webhook?: { readonly description: string | null };
  };
}

const PATIENCE_MS = 15_000;

/** What a receiver of webhooks does: read, verify, keep. */
export const openMailbox = (receiver: HttpsReceiver, secret: string, stage: Stage): Mailbox => {
  const delivered: Delivered[] = [];
  const expected: string[] = [];
  return {
    delivered,
    expected,
    expect: async (...events) => {
      expected.push(...events);
      const requests = await receiver
        .received(expected.length, PATIENCE_MS)
        .catch(() => receiver.requests);
      const came = requests.slice(delivered.length).map((request) => readDelivery(request, secret));
      for (const delivery of came) stage.delivery(delivery);
      delivered.push(...came);
      if (delivered.length < expected.length) stage.problem(`No ${events.join(', ')} came.`);
    },
  };
};

const readDelivery = (request: ReceivedRequest, secret: string): Delivered => {
  const { event, seq, timestamp, data } = request.json as Envelope;
  return {
    event,
    about: data.user?.display_name ?? data.webhook?.description ?? '',
    seq,
    deliveryId: String(request.headers['x-service-delivery']),
    ms: request.at.getTime() - Date.parse(timestamp),
    isVerified: request.isGenuine(secret) && isStandard(request, secret),
  };
};

/** The same delivery, as the library of standardwebhooks.com sees it; its id is the event's. */
const isStandard = ({ body, headers, json }: ReceivedRequest, secret: string): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return headers['webhook-id'] === (json as Envelope).id;
  } catch {
    return false;
  }
};
