import { z } from 'zod';
import type { Preview } from '../pipeline/preview.js';
import { idField } from './fields.js';

/** The response to a dry run. */
export const DryRunView = z
  .strictObject({
    dry_run: z.literal(true),
    status: z
      .int()
      .describe(
        'Status of the real response; it is 202 instead if the remaining work takes longer than ' +
          'a response waits.',
      ),
    body: z
      .unknown()
      .describe(
        'Body of the real response, which may be an error; null without a body. Generated ids, keys and secrets are placeholders.',
      ),
    events: z
      .array(z.strictObject({ event: z.string(), data: z.looseObject({}) }))
      .describe('The first 100 events, in order.'),
    event_count: z
      .int()
      .min(0)
      .describe('Number of events of the first commit; the remaining work adds more.'),
    role_changes: z
      .array(
        z.strictObject({ user_id: idField("The user's id."), from: z.string(), to: z.string() }),
      )
      .describe('The first 100 users whose role would change in the first commit.'),
    role_change_count: z
      .int()
      .min(0)
      .describe('Number of users whose role would change in the first commit.'),
    role_change_summary: z
      .array(z.strictObject({ from: z.string(), to: z.string(), count: z.int().min(1) }))
      .describe('All of them by role before and after, the most frequent first.'),
    seats: z
      .strictObject({
        capacity: z.int().min(0).nullable().describe('Null: unlimited.'),
        before: z.int().min(0).describe('Seats taken now.'),
        after: z.int().min(0).describe('Seats taken afterwards.'),
      })
      .describe('Zeros if the request was refused before the tenant was read.'),
    remaining: z.int().min(0).describe('Members that a job would process after the response.'),
  })
  .meta({
    id: 'DryRun',
    examples: [
      {
        dry_run: true,
        status: 204,
        body: null,
        events: [],
        event_count: 0,
        role_changes: [],
        role_change_count: 0,
        role_change_summary: [],
        seats: { capacity: 50, before: 12, after: 12 },
        remaining: 0,
      },
    ],
  });

export type DryRunBody = z.output<typeof DryRunView>;

/** The response that the request would get. */
interface WouldBeResponse {
  readonly status: number;
  /** Null or absent: no body. */
  readonly body?: unknown;
}

type Effects = Omit<Preview, 'outcome'>;

/** For a request that submits no command, because a resource in it does not exist. */
const NO_EFFECTS: Effects = {
  events: [],
  eventCount: 0,
  roleChanges: [],
  roleChangeCount: 0,
  roleChangeSummary: [],
  seats: { capacity: null, before: 0, after: 0 },
  remaining: 0,
};

export const presentPreview = (
  { status, body = null }: WouldBeResponse,
  effects: Effects = NO_EFFECTS,
): DryRunBody => ({
  dry_run: true,
  status,
  body,
  events: effects.events.map(({ name, data }) => ({ event: name, data: { ...data } })),
  event_count: effects.eventCount,
  role_changes: effects.roleChanges.map(({ userId, from, to }) => ({ user_id: userId, from, to })),
  role_change_count: effects.roleChangeCount,
  role_change_summary: effects.roleChangeSummary.map((one) => ({ ...one })),
  seats: { ...effects.seats },
  remaining: effects.remaining,
});
