import {
  connectorRun,
  deliveryTime,
  growth,
  idleMemory,
  type Measure,
  operationTime,
  ownMedian,
  rateOver,
  ratioToWorkload,
  startOver,
  syncMedian,
  syncOver,
} from './measures.js';
import type { Results } from './run/results.js';

interface Goal {
  /** What is measured, with the unit. */
  readonly claim: string;
  readonly measure: Measure;
  readonly bound: 'at least' | 'at most';
  readonly value: number;
}

/** A goal of the gateway, and a stretch goal. */
interface Target {
  readonly workload: string;
  readonly goal: Goal;
  readonly stretch?: Goal;
  /** Checked with this many users or more, with all sizes, or once. */
  readonly sizes: 'all' | 'once' | number;
}

const atLeast = (value: number, claim: string, measure: Measure): Goal => {
  return { claim, measure, bound: 'at least', value };
};

const atMost = (value: number, claim: string, measure: Measure): Goal => {
  return { claim, measure, bound: 'at most', value };
};

const overPlain = (workload: string, value: number): Goal =>
  atLeast(value, 'rate ÷ plain', rateOver(workload, 'plain'));

const overFloor = (workload: string, value: number): Goal =>
  atLeast(value, 'rate ÷ floor', rateOver(workload, 'floor'));

const read = (workload: string): Target => ({
  workload,
  goal: overPlain(workload, 0.9),
  stretch: overPlain(workload, 1.2),
  sizes: 'all',
});

const readWithGroups = (workload: string, goal: number): Target => ({
  workload,
  goal: overPlain(workload, goal),
  sizes: 'all',
});

const LARGE = 100_000;

/** As fast among many users as among 10,000, so an index is used. */
const flat = (workload: string): Target => ({
  workload,
  goal: atMost(1.3, 'p50 ÷ at 10k users', growth(workload, 'p50')),
  sizes: LARGE,
});

const groupPatch = (workload: string): Target => ({
  workload,
  goal: overFloor(workload, 0.6),
  stretch: overFloor(workload, 1),
  sizes: 'all',
});

/**
 * The gateway has keys, a rate limit, rules, an event log, a command log, deliveries and exact seat
 * counts; the peers have none of these.
 */
const TARGETS: readonly Target[] = [
  {
    workload: 'W9',
    goal: atMost(2, 'start ÷ plain', startOver('plain')),
    stretch: atMost(1.5, 'start ÷ plain', startOver('plain')),
    sizes: 'once',
  },
  { workload: 'W9', goal: atMost(120, 'idle RSS, MB', idleMemory), sizes: 'once' },
  read('W2'),
  read('W3'),
  {
    workload: 'W3',
    goal: atLeast(0.9, 'rate ÷ at 10k users', growth('W3', 'rate')),
    sizes: LARGE,
  },
  {
    workload: 'W4',
    goal: atMost(10, 'CPU ms a page', ownMedian('W4', 'cpu')),
    sizes: 'all',
  },
  {
    workload: 'W4',
    goal: atMost(1.3, 'p50 ÷ at 10k users', growth('W4', 'p50')),
    stretch: overFloor('W4', 1.5),
    sizes: LARGE,
  },
  ...['W3', 'W3x', 'W3e', 'W3t', 'W3d', 'W10', 'W10f'].map(flat),
  read('W5'),
  readWithGroups('W2g', 1),
  readWithGroups('W3g', 1.1),
  readWithGroups('W5g', 0.9),
  groupPatch('W6-10'),
  groupPatch('W6-10k'),
  {
    workload: 'W6-10k',
    goal: atMost(1.3, 'p50 ÷ in a group of 10', ratioToWorkload('W6-10k', 'W6-10', 'p50')),
    sizes: 'all',
  },
  {
    workload: 'W1-8',
    goal: overPlain('W1-8', 1),
    stretch: overFloor('W1-8', 1),
    sizes: 'all',
  },
  {
    workload: 'W1-64',
    goal: overPlain('W1-64', 1.5),
    stretch: overFloor('W1-64', 1.5),
    sizes: 'all',
  },
  {
    workload: 'W7-1000',
    goal: overPlain('W7-1000', 10),
    stretch: overFloor('W7-1000', 1),
    sizes: 'all',
  },
  {
    workload: 'W7-1000',
    goal: atMost(1.15, 'p50 a create ÷ in a Bulk of 100', operationTime(1_000, 100)),
    sizes: 'all',
  },
  {
    workload: 'W8',
    goal: atMost(1, 'wall ÷ plain', syncOver('plain')),
    stretch: atMost(1, 'wall ÷ floor', syncOver('floor')),
    sizes: 'once',
  },
  { workload: 'W8', goal: atMost(12, 'CPU, s', syncMedian('cpu')), sizes: 'once' },
  { workload: 'W8', goal: atMost(200, 'peak RSS, MB', syncMedian('peak')), sizes: 'once' },
  {
    workload: 'webhooks',
    goal: atMost(10, 'p50 after the response, ms', deliveryTime('p50')),
    stretch: atMost(3, 'p50 after the response, ms', deliveryTime('p50')),
    sizes: 'once',
  },
  {
    workload: 'webhooks',
    goal: atMost(150, 'p99 after the response, ms', deliveryTime('p99')),
    sizes: 'once',
  },
  {
    workload: 'connectors',
    goal: atLeast(1_000, 'first run, employees/s', connectorRun('first run', 'rate')),
    sizes: 'once',
  },
  {
    workload: 'connectors',
    goal: atLeast(10_000, 'unchanged, employees/s', connectorRun('unchanged', 'rate')),
    sizes: 'once',
  },
  ...['first run', 'unchanged', '1 % changed'].map((name): Target => ({
    workload: 'connectors',
    goal: atMost(300, `${name}, peak RSS, MB`, connectorRun(name, 'peak')),
    sizes: 'once',
  })),
  {
    workload: 'connectors',
    goal: atMost(0, 'unchanged, writes to users', connectorRun('unchanged', 'userWrites')),
    sizes: 'once',
  },
];

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
