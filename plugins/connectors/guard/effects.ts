import type { PlanItem } from '../plan/plan-item.js';

/**
 * How many users a plan changes, by what it does: the names of guards, and `cleared` or `changed` with an
 * attribute.
 */
export type Tallies = Readonly<Partial<Record<string, number>>>;

/** What is counted, each with limits of its own. */
export const TALLIED = [
  'deactivations',
  'takeovers',
  'reactivations',
  'removals',
  'cleared',
  'changed',
  'emails',
] as const;
export type Tallied = (typeof TALLIED)[number];

/** Attributes that a guard of their own watches. */
const WATCHED_ELSEWHERE: ReadonlySet<string> = new Set(['active', 'emails']);

export const isReactivation = ({ changes }: Pick<PlanItem, 'changes'>): boolean =>
  changes.some(({ attribute, after }) => attribute === 'active' && after === true);

/** Whether the item does not take a seat now, but will if nothing else comes. */
export const isAbsence = ({ kind }: PlanItem): boolean => kind === 'missing' || kind === 'deferred';

/** What an item does to a user who existed before, whatever its kind. */
export const effectsOf = (item: PlanItem): readonly string[] => {
  const { changes, groups, rev, kind, replaces, manager, hadManager } = item;
  // The first values of a new user, or of one who is linked for the first time, are no changes.
  const isKnown = kind !== 'create' && (rev > 0 || replaces !== undefined);
  return [
    ...(item.isDeactivation || isAbsence(item) ? ['deactivations'] : []),
    ...(replaces === undefined ? [] : ['takeovers']),
    ...(isReactivation(item) ? ['reactivations'] : []),
    ...(groups.some(({ op }) => op === 'remove') ? ['removals'] : []),
    ...(item.isEmailChange ? ['emails'] : []),
    ...(hadManager && manager !== undefined
      ? [`${manager === null ? 'cleared' : 'changed'} manager`]
      : []),
    ...changes.flatMap(({ attribute, before, after }) =>
      !isKnown || before === null || WATCHED_ELSEWHERE.has(attribute)
        ? []
        : [`${after === null ? 'cleared' : 'changed'} ${attribute}`],
    ),
  ];
};
