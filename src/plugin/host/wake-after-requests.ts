import type { PluginDeliveries } from '../contract/host.js';

/** Informs the delivery engine of rows that requests, not commits, make pending. */
export const wakeAfterRequests = (
  deliveries: PluginDeliveries,
  { redelivered, recovering }: Readonly<Record<'redelivered' | 'recovering', () => void>>,
): PluginDeliveries => ({
  ...deliveries,
  redeliver: async (request) => {
    const isFound = await deliveries.redeliver(request);
    if (isFound) redelivered();
    return isFound;
  },
  recover: async (request) => {
    const recovery = await deliveries.recover(request);
    recovering();
    return recovery;
  },
});
