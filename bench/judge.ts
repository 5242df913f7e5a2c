import type { Results } from './run/results.js';
import { type Goal, type Target, TARGETS } from './targets.js';

export interface Verdict {
  readonly workload: string;
  /** The directory's; undefined where the target is about none. */
  readonly size?: number;
  readonly kind: 'target' | 'stretch';
  readonly claim: string;
  readonly bound: Goal['bound'];
  readonly value: number;
  readonly measured: number;
  readonly isMet: boolean;
  /** How far on the right side of the bound, as a share of it; negative on the wrong one. */
  readonly margin: number;
}

/** Two servers that are the same differ by as much: what is nearer to its bound may be luck. */
export const NOISE = 0.15;

/** Every target of which there is a measurement. */
export const judge = (
  results: Results,
  sizes: readonly number[],
  targets: readonly Target[] = TARGETS,
): readonly Verdict[] =>
  targets.flatMap((target) =>
    sizesOf(target, sizes).flatMap((size) => verdicts(target, results, size)),
  );

const sizesOf = ({ sizes: wanted }: Target, sizes: readonly number[]): readonly number[] => {
  if (wanted === 'once') return sizes.slice(0, 1);
  return wanted === 'all' ? sizes : sizes.filter((size) => size >= wanted);
};

const verdicts = (target: Target, results: Results, size: number): readonly Verdict[] => {
  const { workload, goal, stretch, sizes } = target;
  const place = { workload, ...(sizes !== 'once' && { size }) };
  const found = [
    { kind: 'target' as const, ...measured(goal, results, size) },
    ...(stretch ? [{ kind: 'stretch' as const, ...measured(stretch, results, size) }] : []),
  ];
  return found.flatMap((each) => (isMeasured(each) ? [{ ...place, ...each }] : []));
};

type Unplaced = Omit<Verdict, 'workload' | 'size' | 'measured'> & { readonly measured?: number };

const isMeasured = (verdict: Unplaced): verdict is Unplaced & { readonly measured: number } =>
  verdict.measured !== undefined && Number.isFinite(verdict.measured);

const measured = (goal: Goal, results: Results, size: number): Omit<Unplaced, 'kind'> => {
  const { claim, bound, value } = goal;
  const number = goal.measure(results, size) ?? NaN;
  const margin = bound === 'at least' ? number / value - 1 : 1 - number / value;
  return { claim, bound, value, measured: number, margin, isMet: margin >= 0 };
};
