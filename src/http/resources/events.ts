import { FEED_RESPONSES, FeedQuery, readFeed } from '../../routes/event-feed.js';
import type { EventReader } from '../../ports/tenants.js';
import { tenantRoute, type Route } from '../../routes/route.js';

export interface EventRouteParts {
  readonly events: EventReader;
}

/** A tenant's event log, for operators (decisions.md 8). */
export const eventRoutes = ({ events }: EventRouteParts): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: '/events',
    operationId: 'listTenantEvents',
    tag: 'Events of a tenant',
    summary: 'Read the event log',
    description:
      'The events of the tenant, in the order in which they happened. Keep `next_after` and you ' +
      'miss nothing: a place in the log is shown only when every earlier one is.',
    query: FeedQuery,
    responses: FEED_RESPONSES,
    handler: ({ caller: { tenant }, query }) => readFeed(events, tenant.id, query),
  }),
];
