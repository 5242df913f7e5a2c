import type { Identity } from '../authority.js';
import type { Cleanup } from '../cleanup.js';
import { openHttpsReceiver } from '../https-receiver.js';
import { deliveryIdOf } from './find-problems.js';

/** A receiver that keeps the ids of deliveries only, for runs with hundreds of thousands. */
export interface DeliveryCounter {
  readonly url: string;
  /** Distinct events. */
  readonly events: () => number;
  /** Deliveries that arrived again with the same id, as at-least-once delivery allows. */
  readonly repeats: () => number;
  /** Events that arrived under two ids, which must never happen. */
  readonly duplicates: () => number;
}

export const openDeliveryCounter = async (
  identity: Identity,
  cleanup: Cleanup,
): Promise<DeliveryCounter> => {
  const deliveryOf = new Map<string, string>();
  let repeats = 0;
  let duplicates = 0;
  const { url, close } = await openHttpsReceiver(identity, {
    onRequest: (request) => {
      const { id } = request.json as { readonly id: string };
      const deliveryId = deliveryIdOf(request);
      const known = deliveryOf.get(id);
      if (known === undefined) deliveryOf.set(id, deliveryId);
      else if (known === deliveryId) repeats += 1;
      else duplicates += 1;
    },
  });
  cleanup.defer(close);
  return {
    url,
    events: () => deliveryOf.size,
    repeats: () => repeats,
    duplicates: () => duplicates,
  };
};
