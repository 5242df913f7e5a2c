import { z } from 'zod';
import { envelopeOf, EVENT_NAMES } from '../domain/events.js';
import type { TenantId } from '../domain/kernel/ids.js';
import type { EventReader } from './events.js';
import { EventView } from './event-shapes.js';
import { wholeNumber } from './fields.js';
import type { RouteResponse } from './route.js';

/** The query of an event feed. */
export const FeedQuery = z.strictObject({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('The last `seq` that you have processed; 0 starts with the oldest event.'),
  limit: wholeNumber(1, 500).default(100).describe('Maximum number of events to return.'),
  event: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(EVENT_NAMES, 'must be names of events')).min(1))
    .optional()
    .describe('Only events with these names, separated by commas.'),
});

const Feed = z
  .strictObject({
    events: z.array(EventView),
    next_after: z.int().min(0).describe('Value of `after` for the next page.'),
    has_more: z.boolean().describe('True if more events are available now.'),
    has_gap: z
      .boolean()
      .describe('True if events after `after` have expired: you have missed some.'),
  })
  .meta({ id: 'EventFeed' });

/** The responses of a route that returns the event feed. */
export const FEED_RESPONSES = {
  200: { description: 'Events after `after`.', body: Feed },
} as const;

/** A page of a tenant's event log, for polling and for catching up. */
export const readFeed = async (
  events: EventReader,
  tenantId: TenantId,
  { after, limit, event }: z.output<typeof FeedQuery>,
): Promise<RouteResponse> => {
  const page = await events.page(tenantId, { after, limit, ...(event && { names: event }) });
  return {
    status: 200,
    body: {
      events: page.events.map(envelopeOf),
      next_after: page.upTo,
      has_more: page.hasMore,
      has_gap: page.hasGap,
    },
  };
};
