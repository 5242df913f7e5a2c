import { quantile } from '../../shared/statistics.js';
import type { TestedServer } from '../servers/tested-server.js';
import type { BenchContext } from './bench-context.js';
import type { Webhooks } from './open-webhooks.js';
import type { DeliveryTimes, Percentiles } from './results.js';

/** Events per second, at which the target holds. */
const RATE = 50;

/**
 * Creates users at a constant rate and measures when the receiver gets each event. The commit is
 * between the request and the 201, which the gateway sends right after it.
 */
export const runDeliveries = async (
  { load, report }: BenchContext,
  { label, waitForDeliveries }: TestedServer,
  { receiver }: Webhooks,
  seconds: number,
): Promise<DeliveryTimes> => {
  const creates = await load.call('createAtRate', { label, rate: RATE, seconds });
  await waitForDeliveries(creates.length);
  const arrivals = await receiver.call('arrivals', `/${label}`);
  const since = (starts: readonly number[]): Percentiles => {
    const times = starts.map((start, index) => arrivalOf(index) - start);
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
  };
  const arrivalOf = (index: number): number => arrivals.get(creates[index]?.email ?? '') ?? NaN;
  report(`webhooks ${label}: ${creates.length} events`);
  return {
    label,
    events: creates.length,
    afterAnswer: since(creates.map(({ receivedMs }) => receivedMs)),
    afterRequest: since(creates.map(({ sentMs }) => sentMs)),
  };
};
