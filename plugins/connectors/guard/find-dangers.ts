import type { ConnectorOptions } from '../options.js';
import { TALLIED, type Tallied, type Tallies } from './effects.js';
import type { FieldLosses } from './field-losses.js';

/** What a plan would do, in numbers. */
export interface PlanCounts {
  /** Records that were read, and how many of them were read twice. */
  readonly records: number;
  readonly duplicates: number;
  /** Active users who lose their seat. */
  readonly deactivations: number;
  /** Of these, those that follow from a date alone. */
  readonly byDate: number;
  /** Users who are linked by this plan. */
  readonly newLinks: number;
  /** Users who are created or reactivated, without those who have been waiting in quarantine. */
  readonly joiners: number;
  /** Of users who existed before, each once. */
  readonly tallies: Tallies;
  readonly fields: FieldLosses;
}

/** What the connector knows without this plan. */
export interface GuardFacts {
  readonly mode: 'full' | 'delta' | 'dates' | 'ids';
  /** Links, and those of an active user; at least as many as matter. */
  readonly links: number;
  readonly population: number;
  /** Users changed by other runs of the last 24 hours and not by this one. */
  readonly recent: Tallies;
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
  Tallied | 'empty' | 'duplicates' | 'fields' | 'joiners' | 'seats' | 'clock' | 'incomplete';

/** Why a plan has to wait for an approval. */
export interface GuardFinding {
  readonly guard: GuardName;
  readonly message: string;
}

/** Below this number of users a percentage counts twice. */
const FEW = 20;
/** So many users are nothing unusual, whatever their share. */
const ONE_OR_TWO = 2;
const DAY_MS = 86_400_000;

interface Limits {
  readonly percent: number;
  readonly count: number;
}

const exceeds = (count: number, of: number, { percent, count: most }: Limits): boolean =>
  count > most || (count > ONE_OR_TWO && count * 100 > of * percent * (of < FEW ? 2 : 1));

/** Of how many users or links it is no danger; so many are counted at most. */
const enoughFor = (count: number, { percent, count: most }: Limits): number =>
  count > most ? Infinity : Math.max(FEW, Math.ceil((count * 100) / percent));

type Safety = ConnectorOptions['safety'];

const limitsOf = (safety: Safety): Readonly<Record<Tallied, Limits>> => ({
  deactivations: { percent: safety.maxDeactivatePercent, count: safety.maxDeactivateCount },
  takeovers: { percent: safety.maxTakeoverPercent, count: safety.maxTakeoverCount },
  reactivations: { percent: safety.maxReactivatePercent, count: safety.maxReactivateCount },
  removals: { percent: safety.maxGroupRemovalPercent, count: safety.maxGroupRemovalCount },
  cleared: { percent: safety.maxClearPercent, count: safety.maxClearCount },
  changed: { percent: safety.maxChangePercent, count: safety.maxChangeCount },
  emails: { percent: safety.maxEmailChangePercent, count: Infinity },
});

const fieldLimits = ({ maxFieldLossPercent }: Safety): Limits => ({
  percent: maxFieldLossPercent,
  count: Infinity,
});

interface Tally {
  readonly key: string;
  readonly guard: Tallied;
  readonly attribute: string;
  readonly count: number;
  /** With the last 24 hours. */
  readonly ofDay: number;
}

const talliesOf = (tallies: Tallies, recent: Tallies): readonly Tally[] =>
  Object.entries(tallies).map(([key, count = 0]) => {
    const [guard = '', attribute = ''] = key.split(' ');
    return {
      ...{ key, attribute, count },
      guard: guard as Tallied,
      ofDay: count + (recent[key] ?? 0),
    };
  });

/** How many active users have to be counted: beyond that, no share of them is a danger. */
export const enoughUsers = (
  { tallies, fields }: Pick<PlanCounts, 'tallies' | 'fields'>,
  recent: Tallies,
  safety: Safety,
): number => {
  const limits = limitsOf(safety);
  return Math.max(
    0,
    ...talliesOf(tallies, recent).map(({ guard, ofDay }) => enoughFor(ofDay, limits[guard])),
    ...Object.values(fields.lost).map((count = 0) => enoughFor(count, fieldLimits(safety))),
  );
};

/** What the last 24 hours make a danger: only for that it matters who was changed twice. */
export const dangersOfDay = (
  { tallies, newLinks }: PlanCounts,
  { recent, population }: GuardFacts,
  safety: Safety,
): readonly string[] =>
  talliesOf(tallies, recent)
    .filter(({ count, ofDay, guard }) => {
      const limits = limitsOf(safety)[guard];
      const of = populationOf(guard, population, newLinks);
      return !exceeds(count, of, limits) && exceeds(ofDay, of, limits);
    })
    .map(({ key }) => key);

/** Addresses may change when users are linked, too. */
const populationOf = (guard: Tallied, population: number, newLinks: number): number =>
  guard === 'emails' ? population + newLinks : population;

/** Every reason for which this plan must not be applied without approval. */
export const findDangers = (
  counts: PlanCounts,
  facts: GuardFacts,
  safety: Safety,
): readonly GuardFinding[] => {
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
  findings.push(...tallyDangers(counts, facts, safety));
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
  safety: Safety,
): readonly GuardFinding[] =>
  oneFinding(
    'fields',
    Object.entries(lost).flatMap(([field, count = 0]) => {
      if (mode === 'full' && empty.includes(field) && count > ONE_OR_TWO)
        return [`The field "${field}" has no value in any record; ${count} had one.`];
      return exceeds(count, links, fieldLimits(safety))
        ? [
            `The field "${field}" has lost its value in ${count} of ${links} linked records; ` +
              `allowed without approval: ${safety.maxFieldLossPercent} %.`,
          ]
        : [];
    }),
  );

/** What is done to many users at once, or within a day. */
const tallyDangers = (
  { tallies, newLinks }: PlanCounts,
  { population, recent }: GuardFacts,
  safety: Safety,
): readonly GuardFinding[] => {
  const limits = limitsOf(safety);
  const found = talliesOf(tallies, recent).filter(({ guard, ofDay }) =>
    exceeds(ofDay, populationOf(guard, population, newLinks), limits[guard]),
  );
  return TALLIED.flatMap((guard) => {
    const { percent, count: most } = limits[guard];
    return oneFinding(
      guard,
      found.flatMap(({ guard: of, attribute, count, ofDay }) => {
        if (of !== guard) return [];
        const day = ofDay > count ? ` (${ofDay} with the last 24 hours)` : '';
        const all = populationOf(guard, population, newLinks);
        const allowed = most === Infinity ? `${percent} %` : `${percent} % and ${most}`;
        return [
          `${DOES[guard](count, all, attribute)}${day}; allowed without approval: ${allowed}.`,
        ];
      }),
    );
  });
};

const DOES: Readonly<Record<Tallied, (count: number, of: number, attribute: string) => string>> = {
  deactivations: (count, of) =>
    `${count} of the connector's ${of} active users would be deactivated or are missing`,
  takeovers: (count, of) => `${count} of ${of} users would pass to another record`,
  reactivations: (count) => `${count} users would be reactivated`,
  removals: (count, of) => `${count} of ${of} users would leave groups`,
  cleared: (count, of, attribute) => `${count} of ${of} users would lose their ${attribute}`,
  changed: (count, of, attribute) => `${count} of ${of} users would get another ${attribute}`,
  emails: (count, of) => `${count} of ${of} e-mail addresses would change or disappear`,
};

/** One or two joiners without a seat wait in quarantine; many are a wrong export or a wrong tenant. */
const seatDangers = (
  { joiners, deactivations }: PlanCounts,
  { seats: { seatCapacity, seatsProvisioned } }: GuardFacts,
): readonly GuardFinding[] => {
  const findings: GuardFinding[] = [];
  const free = seatCapacity === null ? Infinity : seatCapacity - seatsProvisioned + deactivations;
  if (joiners - Math.max(0, free) > ONE_OR_TWO)
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
