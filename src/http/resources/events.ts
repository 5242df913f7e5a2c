import { z } from 'zod';
import { FEED_RESPONSES, FeedQuery, readFeed } from '../../routes/event-feed.js';
import type { EventReader, TenantReader } from '../../ports/tenants.js';
import { operatorRoute, type Route } from '../../routes/route.js';
import { SLUG_PARAM, tenantBySlug } from './operator-versions.js';

export interface EventRouteParts {
  readonly events: EventReader;
  readonly tenants: Pick<TenantReader, 'findBySlug'>;
}

/** A tenant's event log, for operators (decisions.md 8). */
export const eventRoutes = ({ events, tenants }: EventRouteParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/tenants/{slug}/events',
    operationId: 'listTenantEvents',
    tag: 'Events of a tenant',
    summary: 'Read the event log',
    description:
      'The events of the tenant, in the order in which they happened. Keep `next_after` and you ' +
      'miss nothing: a place in the log is shown only when every earlier one is.',
    params: z.object(SLUG_PARAM),
    query: FeedQuery,
    responses: FEED_RESPONSES,
    refusals: ['TENANT_NOT_FOUND'],
    handler: async ({ params: { slug }, query }) =>
      readFeed(events, (await tenantBySlug(tenants, slug)).id, query),
  }),
];
