import { createHash } from 'node:crypto';
import { Cron } from 'croner';
import type { ConnectorOptions } from './options.js';
import type { ConnectorMemory, RunMode, RunRecord } from './run/run-record.js';

/** When a connector runs. */
export type ScheduleOptions = ConnectorOptions['schedule'];

const MINUTE_MS = 60_000;
/** A start that is later than this was missed. */
const LATE_MS = 5 * MINUTE_MS;
const DAY_MS = 86_400_000;
/** In quarantine it runs daily, and no more after four weeks. */
const QUARANTINE_EVERY_MS = DAY_MS;
const QUARANTINE_ENDS_MS = 28 * DAY_MS;

/**
 * The same delay at each start, so that connectors do not start together.
 *
 * @internal
 */
export const jitterOf = (name: string, { jitter }: ScheduleOptions): number =>
  jitter === 0 ? 0 : createHash('sha256').update(name).digest().readUInt32BE(0) % jitter;

/** The last time at or before `at` that the pattern names; undefined: none. */
const lastOccurrence = (pattern: string, timezone: string, at: Date): Date | undefined => {
  const cron = new Cron(pattern, { timezone, paused: true });
  // `previousRuns` leaves out the given moment.
  const [last] = cron.previousRuns(1, new Date(at.getTime() + 1_000));
  return last !== undefined && last.getTime() <= at.getTime() ? last : undefined;
};

export const nextOccurrence = (
  name: string,
  schedule: ScheduleOptions,
  mode: 'full' | 'delta',
  at: Date,
): Date | null => {
  const pattern = schedule[mode];
  if (pattern === undefined) return null;
  const jitter = jitterOf(name, schedule);
  const next = new Cron(pattern, { timezone: schedule.timezone, paused: true }).nextRun(
    new Date(at.getTime() - jitter),
  );
  return next && new Date(next.getTime() + jitter);
};

export interface DueFacts {
  readonly name: string;
  readonly schedule: ScheduleOptions;
  readonly memory: ConnectorMemory;
  /** Since when the schedule counts. */
  readonly seenAt: Date;
  readonly canDelta: boolean;
  readonly isQuarantined: boolean;
  readonly today: string;
  readonly now: Date;
}

export interface Due {
  readonly mode: Exclude<RunMode, 'ids'>;
  readonly trigger: RunRecord['trigger'];
}

/**
 * Whether the last run has failed before it counted as a start, such as with a wrong clock: what it was to
 * do is still due, and would begin again at once.
 */
export const isBackingOff = (
  { failedRunId, lastRunId, retryAt }: ConnectorMemory,
  now: Date,
): boolean => {
  if (failedRunId === undefined || failedRunId === lastRunId || retryAt === null) return false;
  const waitMs = Date.parse(retryAt) - now.getTime();
  // A time beyond that is of a clock that was wrong.
  return waitMs > 0 && waitMs <= DAY_MS;
};

/** The run that is due now: one for all starts that were missed. */
export const dueRun = (facts: DueFacts): Due | undefined => {
  const { memory, now, isQuarantined } = facts;
  if (isQuarantined && !isDueInQuarantine(facts)) return undefined;
  const full = missed(facts, 'full', memory.lastFullAt);
  if (full) return full;
  const delta = facts.canDelta
    ? missed(facts, 'delta', latest(memory.lastDeltaAt, memory.lastFullAt))
    : undefined;
  if (delta) return delta;
  if (memory.retryAt !== null && Date.parse(memory.retryAt) <= now.getTime()) {
    const wasDelta = (memory.lastDeltaAt ?? '') > (memory.lastFullAt ?? '');
    if (wasDelta && facts.canDelta) return { mode: 'delta', trigger: 'schedule' };
    if (memory.lastFullAt !== null) return { mode: 'full', trigger: 'schedule' };
  }
  return memory.lastDatesOn === facts.today ? undefined : { mode: 'dates', trigger: 'schedule' };
};

const latest = (one: string | null, other: string | null): string | null =>
  (one ?? '') > (other ?? '') ? one : other;

const missed = (
  { name, schedule, seenAt, now }: DueFacts,
  mode: 'full' | 'delta',
  lastAt: string | null,
): Due | undefined => {
  const pattern = schedule[mode];
  if (pattern === undefined) return undefined;
  const jitter = jitterOf(name, schedule);
  const last = lastOccurrence(pattern, schedule.timezone, new Date(now.getTime() - jitter));
  if (!last) return undefined;
  const startAt = last.getTime() + jitter;
  const since = lastAt === null ? seenAt.getTime() : Date.parse(lastAt);
  if (startAt <= since) return undefined;
  return { mode, trigger: now.getTime() - startAt > LATE_MS ? 'catch-up' : 'schedule' };
};

const isDueInQuarantine = ({ memory, now }: DueFacts): boolean => {
  const since =
    memory.quarantinedAt === null ? 0 : now.getTime() - Date.parse(memory.quarantinedAt);
  if (since > QUARANTINE_ENDS_MS) return false;
  const last = latest(memory.lastFullAt, memory.lastDeltaAt);
  return last === null || now.getTime() - Date.parse(last) >= QUARANTINE_EVERY_MS;
};
