import type { PluginDeliveries } from '../contract/host.js';

/** A plugin without deliveries. */
export const NO_DELIVERIES: PluginDeliveries = {
  list: () => Promise.resolve({ deliveries: [], total: 0 }),
  find: () => Promise.resolve(undefined),
  redeliver: () => Promise.resolve(false),
  recover: ({ id, since }) => {
    const at = new Date();
    return Promise.resolve({
      id,
      since,
      state: 'done',
      recovered: 0,
      createdAt: at,
      finishedAt: at,
    });
  },
  findRecovery: () => Promise.resolve(undefined),
};
