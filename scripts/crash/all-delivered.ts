import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { ReceivedRequest } from '../../tooling/https-receiver.js';
import type { Scene, TenantAccess } from './scene.js';

const LOOK_MS = 250;
/** Nothing at all arrives for so long only where something is stuck, be the machine ever so busy. */
const STUCK_MS = 180_000;

interface Expected {
  readonly mongodbUri: string;
  readonly tenants: readonly Pick<TenantAccess, 'id'>[];
  /** Deliveries, each counted once. */
  readonly count: number;
}

/** `X-Service-Delivery` */
export const deliveryIdOf = ({ headers }: ReceivedRequest): string =>
  String(headers['x-service-delivery']);

/**
 * Resolves when the receiver has had so many deliveries, or never will: nothing is pending any more,
 * or nothing arrives. What is missing then is the verdict's to tell. How long it takes is up to the
 * machine.
 */
export const allDelivered = async (
  { receiver }: Pick<Scene, 'receiver'>,
  { mongodbUri, tenants, count }: Expected,
): Promise<void> => {
  const client = new mongoose.mongo.MongoClient(mongodbUri);
  const pending = { tenant: { $in: tenants.map(({ id }) => id) }, st: 'p' };
  const outbox = client.db().collection('outbox');
  const received = (): number => new Set(receiver.requests.map(deliveryIdOf)).size;
  let had = received();
  let since = performance.now();
  try {
    while (had < count && performance.now() - since < STUCK_MS) {
      // Asked first: what ends after the question has arrived before the look at the receiver.
      const isOver = (await outbox.countDocuments(pending, { limit: 1 })) === 0;
      const have = received();
      if (isOver) return;
      if (have > had) since = performance.now();
      had = have;
      await pause(LOOK_MS);
    }
  } finally {
    await client.close();
  }
};
