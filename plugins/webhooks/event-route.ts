import {
  FEED_RESPONSES,
  FeedQuery,
  nativeRoute,
  type PluginHost,
  readFeed,
  type Route,
} from '../../src/plugin/api.js';
import { WEBHOOKS } from './declarations.js';

/** The event log for clients that poll (architecture.md). */
export const listEvents = ({ events }: Pick<PluginHost, 'events'>): Route =>
  nativeRoute({
    method: 'GET',
    path: '/events',
    scope: WEBHOOKS,
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'Read the event log',
    description:
      'The events that webhooks deliver, in order of `seq`. Continue from `next_after` to miss ' +
      'nothing: an event is returned only once all earlier ones are.',
    query: FeedQuery,
    responses: FEED_RESPONSES,
    handler: ({ caller: { tenant }, query }) => readFeed(events, tenant.id, query),
  });
