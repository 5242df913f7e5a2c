import { z } from 'zod';
import type { Preview } from '../pipeline/preview.js';
import { idField } from './fields.js';

/** What a request would come to, in place of its answer. */
export const DryRunView = z
  .strictObject({
    dry_run: z.literal(true),
    status: z
      .int()
      .describe(
        'The status that the request would be answered with; 202 instead of it if what remains ' +
          'takes longer than the response waits.',
      ),
    body: z
      .unknown()
      .describe(
        'The body of that answer, a refusal too; null where it has none. Its ids are made up, and so are keys and secrets.',
      ),
    events: z
      .array(z.strictObject({ event: z.string(), data: z.looseObject({}) }))
      .describe('What would happen, in this order; the first 100.'),
    event_count: z
      .int()
      .min(0)
      .describe('How many there would be at once; what remains brings more.'),
    role_changes: z
      .array(z.strictObject({ user_id: idField('Whose.'), from: z.string(), to: z.string() }))
      .describe('Users who would have another role at once; the first 100.'),
    seats: z
      .strictObject({
        capacity: z.int().min(0).nullable().describe('Null: no limit.'),
        before: z.int().min(0).describe('Seats that are taken.'),
        after: z.int().min(0).describe('Seats that would be taken.'),
      })
      .describe('Zeros where it was refused before anything was looked up.'),
    remaining: z
      .int()
      .min(0)
      .describe('Members whom a job would still have to go through after the answer.'),
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
        seats: { capacity: 50, before: 12, after: 12 },
        remaining: 0,
      },
    ],
  });

export type DryRunBody = z.output<typeof DryRunView>;

/** The answer that was not given, as native, operators' and SCIM handlers make it. */
interface Untold {
  readonly status: number;
  /** Absent or null: none. */
  readonly body?: unknown;
}

type Effects = Omit<Preview, 'outcome'>;

/** Of a request that came to no command: something that it names was not there. */
const NO_EFFECTS: Effects = {
  events: [],
  eventCount: 0,
  roleChanges: [],
  seats: { capacity: null, before: 0, after: 0 },
  remaining: 0,
};

/** The body of every dry run, whichever interface it came through. */
export const presentPreview = (
  { status, body = null }: Untold,
  { events, eventCount, roleChanges, seats, remaining }: Effects = NO_EFFECTS,
): DryRunBody => ({
  dry_run: true,
  status,
  body,
  events: events.map(({ name, data }) => ({ event: name, data: { ...data } })),
  event_count: eventCount,
  role_changes: roleChanges.map(({ userId, from, to }) => ({ user_id: userId, from, to })),
  seats: { ...seats },
  remaining,
});
