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

/** The tenant's event log for those who poll, and for anyone who was away (architecture.md). */
export const eventRoutes = ({ events }: EventRouteParts): readonly Route[] => [
  readRoute({
    path: '/events',
    scope: 'webhooks',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'Read the event log',
    description:
      'The events that webhooks deliver, in the order in which they happened. Keep `next_after` ' +
      'and you miss nothing: a place in the log is shown only when every earlier one is.',
    query: FeedQuery,
    answers: { 200: { description: 'Events after the place named.', body: Feed } },
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
