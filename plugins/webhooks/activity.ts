import { z } from 'zod';
import { idField, instantField } from '../../src/plugin/api.js';

/** Attempts in a stretch of time: how many, how many of them failed, and their milliseconds in sum. */
const Tally = z.tuple([z.int(), z.int(), z.int()]);
export type Tally = z.output<typeof Tally>;

/** Hours and days since 1970, and how many of them are kept. */
const STRETCHES = {
  hours: { ms: 3_600_000, kept: 24 },
  days: { ms: 86_400_000, kept: 7 },
} as const;
type Stretch = keyof typeof STRETCHES;

/** A failed attempt, as its registration keeps the last one. */
const Failure = z.object({
  at: instantField('When the attempt ended.'),
  delivery_id: idField('Of the delivery.'),
  reason: z.string().describe('Why it failed, as a sentence.'),
});
export type Failure = z.output<typeof Failure>;

const Counted = z.record(z.string(), Tally);

/** What is kept of the attempts to a registration: at most 31 tallies and the last failure. */
export const Activity = z.object({
  hours: Counted.default({}),
  days: Counted.default({}),
  failure: Failure.optional(),
});
export type Activity = z.output<typeof Activity>;

export const NO_ACTIVITY: Activity = { hours: {}, days: {} };

export const sumOf = (one: Tally = [0, 0, 0], other: Tally): Tally => [
  one[0] + other[0],
  one[1] + other[1],
  one[2] + other[2],
];

/** The places of the kept stretches, oldest first. */
const placesOf = (stretch: Stretch, now: Date): readonly number[] => {
  const { ms, kept } = STRETCHES[stretch];
  const last = Math.floor(now.getTime() / ms);
  return Array.from({ length: kept }, (_, at) => last - kept + 1 + at);
};

/** With attempts that have just ended; what is too old goes. */
export const withAttempts = (
  before: Activity,
  { tally, failure = before.failure }: { readonly tally: Tally; readonly failure?: Failure },
  now: Date,
): Activity => {
  const counted = (stretch: Stretch): Record<string, Tally> => {
    const places = placesOf(stretch, now);
    const kept = places.flatMap((place) => {
      const known = before[stretch][place];
      const sum = place === places.at(-1) ? sumOf(known, tally) : known;
      return sum ? [[String(place), sum] as const] : [];
    });
    return Object.fromEntries(kept);
  };
  return { hours: counted('hours'), days: counted('days'), ...(failure && { failure }) };
};

const Point = z.strictObject({
  from: instantField('Its beginning.'),
  attempts: z.int().min(0),
  failed: z.int().min(0),
  average_ms: z.int().nullable().describe('Average duration; null without attempts.'),
});

/** How the attempts to a registration went. */
export const WebhookActivity = z
  .strictObject({
    failing_since: instantField(
      'The first failure after the last success; null if the last attempt succeeded.',
    ).nullable(),
    last_failure: Failure.strict()
      .nullable()
      .describe('The last failed attempt; null if none is known.'),
    hours: z.array(Point).describe('The last 24 hours, oldest first.'),
    days: z.array(Point).describe('The last 7 days (UTC), oldest first.'),
  })
  .meta({ id: 'WebhookActivity' });

const pointsOf = (activity: Activity, stretch: Stretch, now: Date) =>
  placesOf(stretch, now).map((place): z.output<typeof Point> => {
    const [attempts, failed, ms] = activity[stretch][place] ?? [0, 0, 0];
    const from = new Date(place * STRETCHES[stretch].ms).toISOString();
    return {
      from,
      attempts,
      failed,
      average_ms: attempts === 0 ? null : Math.round(ms / attempts),
    };
  });

export const presentActivity = (
  activity: Activity,
  failingSince: string | null,
  now: Date,
): z.output<typeof WebhookActivity> => ({
  failing_since: failingSince,
  last_failure: activity.failure ?? null,
  hours: pointsOf(activity, 'hours', now),
  days: pointsOf(activity, 'days', now),
});
