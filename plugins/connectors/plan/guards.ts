import type { ConnectorOptions } from '../options.js';
import type { FieldLosses } from './field-losses.js';
import type { PlanItem } from './plan-item.js';

/**
 * How many users a plan changes, by what it does: `reactivations`, `removals`, and `cleared` or `changed`
 * with an attribute.
 */
export type Tallies = Readonly<Partial<Record<string, number>>>;

/** What tallies count, each with limits of its own. */
const TALLIED = ['reactivations', 'removals', 'cleared', 'changed'] as const;
type Tallied = (typeof TALLIED)[number];

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
  /** Users who are created or reactivated, without those who have been waiting in quarantine. */
  readonly joiners: number;
  readonly tallies: Tallies;
  readonly fields: FieldLosses;
}

/** What runs of the last 24 hours did. */
export interface RecentCounts {
  readonly deactivations: number;
  readonly emailChanges: number;
  readonly tallies: Tallies;
}

/** What the connector knows without this plan. */
export interface GuardFacts {
  readonly mode: 'full' | 'delta' | 'dates' | 'ids';
  /** Links, and those with an active user. */
  readonly links: number;
  readonly activeLinks: number;
  readonly recent: RecentCounts;
  readonly seats: Seats;
  readonly now: Date;
  /** The last run's start; null: none yet. */
  readonly lastRunAt: Date | null;
}

/** Of the tenant: its limit, and its active users. */
export interface Seats {
  readonly seatCapacity: number | null;
  readonly seatsProvisioned: number;
}

export type GuardName =
  | Tallied
  | 'empty'
  | 'duplicates'
  | 'fields'
  | 'deactivations'
  | 'emails'
  | 'joiners'
  | 'seats'
  | 'clock'
  | 'incomplete';

/** Why a plan has to wait for an approval. */
export interface GuardFinding {
  readonly guard: GuardName;
  readonly message: string;
}

/** Below this number of users a percentage says nothing. */
const FEW = 20;
/** So many users are nothing unusual, whatever their share. */
const ONE_OR_TWO = 2;
const DAY_MS = 86_400_000;

interface Limits {
  readonly percent: number;
  readonly count: number;
}

const exceeds = (count: number, of: number, limits: Limits): boolean =>
  count > limits.count ||
  (of >= FEW
    ? count * 100 > of * limits.percent
    : // One or two of a few may leave; most of them at once is a broken source.
      count > ONE_OR_TWO && count * 2 > of);

type Safety = ConnectorOptions['safety'];

const limitsOf = (safety: Safety): Readonly<Record<Tallied, Limits>> => ({
  reactivations: { percent: safety.maxReactivatePercent, count: safety.maxReactivateCount },
  removals: { percent: safety.maxGroupRemovalPercent, count: safety.maxGroupRemovalCount },
  cleared: { percent: safety.maxClearPercent, count: safety.maxClearCount },
  changed: { percent: safety.maxChangePercent, count: safety.maxChangeCount },
});

/** Attributes that a guard of their own watches. */
const WATCHED_ELSEWHERE: ReadonlySet<string> = new Set(['active', 'emails']);

/** What an item does to a user that the connector knew before. */
export const talliesOf = ({ kind, changes, groups, rev }: PlanItem): readonly string[] => [
  ...(isReactivation({ changes }) ? ['reactivations'] : []),
  ...(groups.some(({ op }) => op === 'remove') ? ['removals'] : []),
  ...(rev === 0 || kind === 'create' || kind === 'link'
    ? []
    : changes.flatMap(({ attribute, before, after }) => {
        if (before === null || WATCHED_ELSEWHERE.has(attribute)) return [];
        return [`${after === null ? 'cleared' : 'changed'} ${attribute}`];
      })),
];

export const isReactivation = ({ changes }: Pick<PlanItem, 'changes'>): boolean =>
  changes.some(({ attribute, after }) => attribute === 'active' && after === true);

/** The sum of two tallies. */
export const addTallies = (one: Tallies, other: Tallies): Tallies =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [
      key,
      (one[key] ?? 0) + (other[key] ?? 0),
    ]),
  );

/** Whether the number of links matters: to count them takes a while, and most plans change little. */
export const needsPopulation = (
  counts: PlanCounts,
  { tallies: recent }: RecentCounts,
  safety: Safety,
): boolean =>
  counts.deactivations + counts.absences + counts.emailChanges > 0 ||
  Object.keys(counts.fields.lost).length > 0 ||
  tallied(counts.tallies, recent).some(({ name, ofDay }) => {
    // Of the smallest number of users that a percentage applies to.
    return ofDay > ONE_OR_TWO || exceeds(ofDay, FEW, limitsOf(safety)[name]);
  });

/** What the plan does, and what it comes to with the last 24 hours. */
const tallied = (tallies: Tallies, recent: Tallies) =>
  Object.entries(tallies).map(([key, count = 0]) => {
    const [name = '', attribute = ''] = key.split(' ');
    return { name: name as Tallied, attribute, count, ofDay: count + (recent[key] ?? 0) };
  });

/** Every reason for which this plan must not be applied without approval. */
export const findDangers = (
  counts: PlanCounts,
  facts: GuardFacts,
  safety: Safety,
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
  findings.push(...fieldDangers(counts, facts, safety));
  if (
    leavers > 0 &&
    exceeds(leaversOfDay, population, { percent: maxDeactivatePercent, count: maxDeactivateCount })
  )
    findings.push({
      guard: 'deactivations',
      message:
        `${leavers} of the connector's ${population} active users would be deactivated or are missing` +
        `${facts.recent.deactivations > 0 ? ` (${leaversOfDay} with the last 24 hours)` : ''}; ` +
        `allowed without approval: ${maxDeactivatePercent} % and ${maxDeactivateCount}.`,
    });
  findings.push(...tallyDangers(counts, { ...facts, population }, safety));
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
  findings.push(...seatDangers(counts, facts));
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

const oneFinding = (guard: GuardName, messages: readonly string[]): readonly GuardFinding[] =>
  messages.length === 0 ? [] : [{ guard, message: messages.join(' ') }];

/** Columns that the source has lost: what follows from their values is wrong. */
const fieldDangers = (
  { fields: { lost, empty } }: PlanCounts,
  { mode, links }: GuardFacts,
  { maxFieldLossPercent: percent }: Safety,
): readonly GuardFinding[] =>
  oneFinding(
    'fields',
    Object.entries(lost).flatMap(([field, count = 0]) => {
      if (mode === 'full' && empty.includes(field) && count > ONE_OR_TWO)
        return [`The field "${field}" has no value in any record; ${count} had one.`];
      return exceeds(count, links, { percent, count: Infinity })
        ? [
            `The field "${field}" has lost its value in ${count} of ${links} linked records; ` +
              `allowed without approval: ${percent} %.`,
          ]
        : [];
    }),
  );

/** What is done to many users at once, or within a day. */
const tallyDangers = (
  { tallies }: PlanCounts,
  { population, recent }: GuardFacts & { readonly population: number },
  safety: Safety,
): readonly GuardFinding[] => {
  const limits = limitsOf(safety);
  const found = tallied(tallies, recent.tallies).filter(({ name, ofDay }) =>
    exceeds(ofDay, population, limits[name]),
  );
  return TALLIED.flatMap((guard) => {
    const { percent, count: most } = limits[guard];
    return oneFinding(
      guard,
      found.flatMap(({ name, attribute, count, ofDay }) => {
        if (name !== guard) return [];
        const day = ofDay > count ? ` (${ofDay} with the last 24 hours)` : '';
        const who = name === 'reactivations' ? `${count}` : `${count} of ${population}`;
        return [
          `${who} users would ${DOES[name](attribute)}${day}; ` +
            `allowed without approval: ${percent} % and ${most}.`,
        ];
      }),
    );
  });
};

const DOES: Readonly<Record<Tallied, (attribute: string) => string>> = {
  reactivations: () => 'be reactivated',
  removals: () => 'leave groups',
  cleared: (attribute) => `lose their ${attribute}`,
  changed: (attribute) => `get another ${attribute}`,
};

/** One or two joiners without a seat wait in quarantine; many are a wrong export or a wrong tenant. */
const seatDangers = (
  { joiners, deactivations }: PlanCounts,
  { seats: { seatCapacity, seatsProvisioned } }: GuardFacts,
): readonly GuardFinding[] => {
  const findings: GuardFinding[] = [];
  const free = seatCapacity === null ? Infinity : seatCapacity - seatsProvisioned + deactivations;
  if (joiners > ONE_OR_TWO && joiners - Math.max(0, free) > ONE_OR_TWO)
    findings.push({
      guard: 'seats',
      message: `${joiners} users would join, but only ${Math.max(0, free)} of ${seatCapacity ?? 0} seats are free.`,
    });
  if (seatsProvisioned >= FEW && joiners > seatsProvisioned)
    findings.push({
      guard: 'joiners',
      message: `${joiners} users would join a tenant of ${seatsProvisioned}.`,
    });
  return findings;
};
