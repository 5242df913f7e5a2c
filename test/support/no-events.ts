import type { EventReader } from '../../src/api/events.js';

/** The event log of tenants to whom nothing has happened. */
export const NO_EVENTS: EventReader = {
  page: (_tenantId, { after }) =>
    Promise.resolve({ events: [], upTo: after, hasMore: false, hasGap: false }),
};
