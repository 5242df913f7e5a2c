import { z } from 'zod';
import { envelopeOf } from '../domain/event-envelope.js';
import { EVENT_NAMES } from '../domain/events.js';
import type { TenantId } from '../domain/ids.js';
import type { EventReader } from './events.js';
import { EventView } from './event-shapes.js';
import type { RouteAnswer } from './route.js';

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`));

/** The query of the event log: after which event, how many, and of which names. */
export const FeedQuery = z.strictObject({
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('The last `seq` that you have seen; 0 begins with the oldest event there is.'),
  limit: wholeNumber(1, 500).default(100).describe('How many to answer with at most.'),
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
    next_after: z.int().min(0).describe('Send this as `after` to go on.'),
    has_more: z.boolean().describe('Whether there is more already: ask again at once.'),
    has_gap: z
      .boolean()
      .describe('Whether events after `after` were too old to be kept: you have missed some.'),
  })
  .meta({ id: 'EventFeed' });

export const FEED_ANSWERS = {
  200: { description: 'Events after the place named.', body: Feed },
} as const;

/** A page of a tenant's event log, for those who poll and for those who missed events. */
export const readFeed = async (
  events: EventReader,
  tenantId: TenantId,
  { after, limit, event }: z.output<typeof FeedQuery>,
): Promise<RouteAnswer> => {
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
