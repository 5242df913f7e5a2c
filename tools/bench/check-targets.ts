import type { Results } from './run/results.js';
import { type Goal, type Target, TARGETS } from './targets.js';

export interface TargetResult {
  readonly workload: string;
  /** Users in the directory; undefined if the target does not depend on it. */
  readonly size?: number;
  readonly kind: 'target' | 'stretch';
  readonly claim: string;
  readonly bound: Goal['bound'];
  readonly value: number;
  readonly measured: number;
  readonly isMet: boolean;
  /** The distance from the bound as a share of it; negative if the target is missed. */
  readonly margin: number;
}

/** Two runs of the same server differ by up to this share. */
export const NOISE = 0.15;

/** Checks every target that was measured. */
export const checkTargets = (
  results: Results,
  sizes: readonly number[],
  targets: readonly Target[] = TARGETS,
): readonly TargetResult[] =>
  targets.flatMap((target) =>
    sizesOf(target, sizes).flatMap((size) => resultsOf(target, results, size)),
  );

const sizesOf = ({ sizes: selected }: Target, sizes: readonly number[]): readonly number[] => {
  if (selected === 'once') return sizes.slice(0, 1);
  return selected === 'all' ? sizes : sizes.filter((size) => size >= selected);
};

const resultsOf = (target: Target, results: Results, size: number): readonly TargetResult[] => {
  const { workload, goal, stretch, sizes } = target;
  const subject = { workload, ...(sizes !== 'once' && { size }) };
  const found = [
    { kind: 'target' as const, ...measured(goal, results, size) },
    ...(stretch ? [{ kind: 'stretch' as const, ...measured(stretch, results, size) }] : []),
  ];
  return found.flatMap((each) => (isMeasured(each) ? [{ ...subject, ...each }] : []));
};

type GoalResult = Omit<TargetResult, 'workload' | 'size' | 'measured'> & {
  readonly measured?: number;
};

const isMeasured = (result: GoalResult): result is GoalResult & { readonly measured: number } =>
  result.measured !== undefined && Number.isFinite(result.measured);

const measured = (goal: Goal, results: Results, size: number): Omit<GoalResult, 'kind'> => {
  const { claim, bound, value } = goal;
  const number = goal.measure(results, size) ?? NaN;
  const ratio = number === value ? 1 : number / value;
  const margin = bound === 'at least' ? ratio - 1 : 1 - ratio;
  return { claim, bound, value, measured: number, margin, isMet: margin >= 0 };
};
