import type { Contestant } from '../contestants/contestant.js';
import { quantile } from '../../tooling/statistics.js';
import type { DeliveryTimes, Percentiles } from './results.js';
import type { World } from './world.js';
import type { Webhooks } from './open-webhooks.js';

/** The rate that the facts' target is about. */
const RATE = 50;

/**
 * Creates users at an even rate and takes the time until the receiver has each event. No process
 * but the gateway knows the moment of the commit; it lies between the request and the 201, which
 * the gateway sends at once after it.
 */
export const runDeliveries = async (
  { load, tell }: World,
  { label, settled }: Contestant,
  { receiver }: Webhooks,
  seconds: number,
): Promise<DeliveryTimes> => {
  const paced = await load.call('pace', { label, rate: RATE, seconds });
  await settled(paced.length);
  const arrivals = await receiver.call('arrivals', `/${label}`);
  const since = (moments: readonly number[]): Percentiles => {
    const times = moments.map((moment, index) => arrivalOf(index) - moment);
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  };
  const arrivalOf = (index: number): number => arrivals.get(paced[index]?.email ?? '') ?? NaN;
  tell(`webhooks ${label}: ${paced.length} events`);
  return {
    label,
    events: paced.length,
    afterAnswer: since(paced.map(({ answeredMs }) => answeredMs)),
    afterRequest: since(paced.map(({ sentMs }) => sentMs)),
  };
};
