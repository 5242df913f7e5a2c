import type { ConnectorOptions } from '../options.js';

/** What a plan would do, in numbers. */
export interface PlanCounts {
  /** Records that were read, and how many of them were read twice. */
  readonly records: number;
  readonly duplicates: number;
  /** Active users who lose their seat, and those who would if they stay missing. */
  readonly deactivations: number;
  readonly absences: number;
  /** Of the deactivations, those that follow from a date alone. */
  readonly byDate: number;
  /** Linked users whose address changes or disappears. */
  readonly emailChanges: number;
  /** Users who are linked by this plan. */
  readonly newLinks: number;
}

/** What the connector knows without this plan. */
export interface GuardFacts {
  readonly mode: 'full' | 'delta' | 'dates' | 'ids';
  /** Links, and those with an active user. */
  readonly links: number;
  readonly activeLinks: number;
  /** What runs of the last 24 hours did. */
  readonly recent: { readonly deactivations: number; readonly emailChanges: number };
  readonly now: Date;
  /** The last run's start; null: none yet. */
  readonly lastRunAt: Date | null;
}

export type GuardName =
  'empty' | 'duplicates' | 'deactivations' | 'emails' | 'clock' | 'incomplete';

/** Why a plan has to wait for an approval. */
export interface GuardFinding {
  readonly guard: GuardName;
  readonly message: string;
}

/** Below this number of users a percentage says nothing. */
const FEW = 20;
const DAY_MS = 86_400_000;

const exceeds = (count: number, of: number, limits: { percent: number; count: number }): boolean =>
  count > limits.count ||
  (of >= FEW
    ? count * 100 > of * limits.percent
    : // One or two of a few may leave; most of them at once is a broken source.
      count > 2 && count * 2 > of);

/** Every reason for which this plan must not be applied without approval. */
export const findDangers = (
  counts: PlanCounts,
  facts: GuardFacts,
  safety: ConnectorOptions['safety'],
): readonly GuardFinding[] => {
  const { maxDeactivatePercent, maxDeactivateCount, maxEmailChangePercent } = safety;
  // As it was 24 hours ago: those who left since are part of what is added up.
  const population = facts.activeLinks + counts.newLinks + facts.recent.deactivations;
  const leavers = counts.deactivations + counts.absences;
  const leaversOfDay = leavers + facts.recent.deactivations;
  const emailsOfDay = counts.emailChanges + facts.recent.emailChanges;
  const findings: GuardFinding[] = [];
  if (facts.mode === 'full' && counts.records === 0 && facts.links > 0)
    findings.push({
      guard: 'empty',
      message: `The source has no records, but ${facts.links} are linked.`,
    });
  if (counts.duplicates > 0)
    findings.push({
      guard: 'duplicates',
      message:
        `${counts.duplicates} record ids came more than once, so other records may be missing; ` +
        'no user is treated as absent.',
    });
  if (
    leavers > 0 &&
    exceeds(leaversOfDay, population, { percent: maxDeactivatePercent, count: maxDeactivateCount })
  )
    findings.push({
      guard: 'deactivations',
      message:
        `${leavers} of ${population} active users would be deactivated or are missing` +
        `${facts.recent.deactivations > 0 ? ` (${leaversOfDay} with the last 24 hours)` : ''}; ` +
        `allowed without approval: ${maxDeactivatePercent} % and ${maxDeactivateCount}.`,
    });
  if (
    counts.emailChanges > 0 &&
    exceeds(emailsOfDay, population, { percent: maxEmailChangePercent, count: Infinity })
  )
    findings.push({
      guard: 'emails',
      message:
        `${counts.emailChanges} of ${population} e-mail addresses would change or disappear; ` +
        `allowed without approval: ${maxEmailChangePercent} %.`,
    });
  const gapMs = facts.lastRunAt ? facts.now.getTime() - facts.lastRunAt.getTime() : 0;
  if (counts.byDate > 0 && gapMs > safety.maxDaysSinceLastRun * DAY_MS)
    findings.push({
      guard: 'clock',
      message:
        `${counts.byDate} users would be deactivated by date, and the last run is ` +
        `${Math.floor(gapMs / DAY_MS)} days ago. Check the clock.`,
    });
  return findings;
};
