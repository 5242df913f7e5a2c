import { timeInWords, textLike, z } from '../../../src/plugin/api.js';
import { PLAN_CLASSES, type PlanClass } from '../plan/plan-item.js';
import type { PlanOutlook, RunRecord } from '../run/run-record.js';

const TITLES = { now: 'At once', later: 'Later', not: 'Not changed' } as const;
type When = keyof typeof TITLES;
const WHENS = Object.keys(TITLES) as [When, ...When[]];

/** What a plan does, as everyone reads it: each line is a sentence. */
export const OutlookPart = z
  .strictObject({
    when: z.enum(WHENS),
    title: textLike('At once'),
    lines: z.array(
      z.strictObject({
        class: z
          .enum(PLAN_CLASSES)
          .meta({ examples: ['update'] })
          .nullable()
          .describe('`class` of the plan lists these people; null: they are not listed.'),
        count: z.int(),
        text: textLike('3 people are changed.'),
      }),
    ),
  })
  .meta({ id: 'ConnectorOutlook' });
type OutlookPart = z.output<typeof OutlookPart>;
type Line = OutlookPart['lines'][number];

/** `1 person is`, `3 people are` */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** When it happens to the people of a class, and what, to one and to several. */
const CLASSES: Readonly<Record<PlanClass, readonly [when: When, one: string, many: string]>> = {
  deactivate: ['now', 'loses access', 'lose access'],
  leave: ['now', 'leaves groups', 'leave groups'],
  relink: ['now', 'passes to another record', 'pass to another record'],
  missing: ['later', 'is missing', 'are missing'],
  deferred: ['later', 'has ended', 'have ended'],
  reactivate: ['now', 'gets access back', 'get access back'],
  create: ['now', 'gets an account', 'get accounts'],
  link: ['now', 'is matched with an existing user', 'are matched with existing users'],
  update: ['now', 'is changed', 'are changed'],
  future: ['later', 'joins later', 'join later'],
  touch: ['not', 'stays as they are, unlike the source', 'stay as they are, unlike the source'],
};

/** What follows the short form. */
const detailOf = (of: PlanClass, deferredUntil: string | undefined): string => {
  if (of === 'leave') return ', and the rooms and roles that follow from them.';
  if (of !== 'deferred' || deferredUntil === undefined) return '.';
  const until = timeInWords(new Date(deferredUntil));
  return ` in the source, but another record claims their user. Access ends on ${until} unless that record is applied.`;
};

/** Who is missing for the first time is not as close to a deactivation as who was missing before. */
const absenceLines = ({ absences, missingRuns }: PlanOutlook): readonly Line[] =>
  Object.entries(absences).map(([times, count]) => {
    const since = times === '1' ? 'for the first time' : `from ${times} full reads in a row`;
    const left = missingRuns - Number(times);
    const next =
      left === 1 ? 'The next full read deactivates' : `${left} more full reads in a row deactivate`;
    const who = counted(count, 'person is', 'people are');
    const text = `${who} missing ${since}. ${next} those who are still missing.`;
    return { class: 'missing', count, text };
  });

type PlannedRun = Pick<RunRecord, 'plan' | 'counts'>;

/** The riskiest first. An older version counted kinds, and apart from them those who leave groups. */
const classesOf = ({ plan, counts }: PlannedRun) => {
  const { touch: _touch, ...kinds } = counts.planned;
  const older = { ...kinds, leave: plan?.tallies?.['removals'] ?? 0 };
  const classes: PlanOutlook['classes'] = plan?.outlook?.classes ?? older;
  return PLAN_CLASSES.flatMap((of) => {
    const count = classes[of] ?? 0;
    const [when, one, many] = CLASSES[of];
    return count === 0 ? [] : [{ of, count, when, one, many }];
  });
};

const plainLines = (count: number, text: string): readonly Line[] =>
  count === 0 ? [] : [{ class: null, count, text }];

const linesAt = (when: When, run: PlannedRun): readonly Line[] => {
  const { plan, counts } = run;
  const { outlook, onlyHere } = plan ?? {};
  const lines = classesOf(run).flatMap(({ of, count, when: at, one, many }): readonly Line[] => {
    if (at !== when) return [];
    if (of === 'missing' && outlook) return absenceLines(outlook);
    const who = counted(count, `person ${one}`, `people ${many}`);
    return [{ class: of, count, text: who + detailOf(of, outlook?.deferredUntil) }];
  });
  if (when === 'later') return lines;
  if (when === 'now') {
    const { before = 0, after = 0, capacity = null } = outlook?.seats ?? {};
    const all = capacity === null ? '' : `, of ${capacity}`;
    const seats = `Seats in use: ${before} before, ${after} after${all}.`;
    if (before !== after) return [...lines, { class: null, count: after, text: seats }];
    return lines.length > 0 ? lines : [{ class: null, count: 0, text: 'No one is changed.' }];
  }
  const { count: alone = 0 } = onlyHere ?? {};
  const isUnmatched = (counts.planned.link ?? 0) === 0;
  return [
    ...lines,
    ...plainLines(
      counts.unchanged,
      `${counted(counts.unchanged, 'person stays', 'people stay')} as they are.`,
    ),
    ...plainLines(
      counts.failed,
      `${counted(counts.failed, 'record has failed and is', 'records have failed and are')} in quarantine.`,
    ),
    ...plainLines(
      alone,
      `${counted(alone, 'active user is', 'active users are')} only here: no record stands for them, ` +
        'and runs of this connector leave them alone.' +
        (isUnmatched
          ? ' No record matches an existing user: if people are in both, check the rules that match them.'
          : ''),
    ),
  ];
};

/** What the plan of a run does at once, later and not; empty without a plan. */
export const outlookOf = (run: PlannedRun): OutlookPart[] =>
  WHENS.flatMap((when) => {
    const lines = run.plan ? [...linesAt(when, run)] : [];
    return lines.length === 0 ? [] : [{ when, title: TITLES[when], lines }];
  });

/** In short, for lists: `3 lose access, 12 are changed` */
export const summaryOf = (run: PlannedRun): string => {
  if (!run.plan) return 'no plan';
  const changed = classesOf(run).filter(({ when }) => when !== 'not');
  return (
    changed.map(({ count, one, many }) => counted(count, one, many)).join(', ') || 'no changes'
  );
};

/** Whether the plan takes access to anything away at once. */
export const takesAccess = ({ plan }: PlannedRun): boolean =>
  plan !== null && plan.deactivations + (plan.tallies?.['removals'] ?? 0) > 0;
