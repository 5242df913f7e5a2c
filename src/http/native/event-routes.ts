import { z } from 'zod';
import type { EventReader } from '../../api/events.js';
import { EventView } from '../../api/event-shapes.js';
import { readRoute, type Route } from '../../api/route.js';
import { envelopeOf } from '../../domain/event-envelope.js';
import { EVENT_NAMES } from '../../domain/events.js';

export interface EventRouteParts {
  readonly events: EventReader;
}

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`));

const FeedQuery = z.strictObject({
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

/** The tenant's event log for those who poll, and for anyone who was away (architecture.md). */
export const eventRoutes = ({ events }: EventRouteParts): readonly Route[] => [
  readRoute({
    path: '/events',
    scope: 'webhooks',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List events',
    description:
      'Returns the same events as webhooks, oldest first. Store `next_after` and pass it as `after` ' +
      'in the next request: no event is skipped, since an event is returned only once all earlier ' +
      'ones are.',
    query: FeedQuery,
    answers: { 200: { description: 'Events after `after`.', body: Feed } },
    handler: async ({ caller: { tenant }, query: { after, limit, event } }) => {
      const page = await events.page(tenant.id, { after, limit, ...(event && { names: event }) });
      const shown = page.events.map(envelopeOf);
      return {
        status: 200,
        body: {
          events: shown,
          next_after: page.upTo,
          has_more: page.hasMore,
          has_gap: page.hasGap,
        },
      };
    },
  }),
];
