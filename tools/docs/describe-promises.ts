import scores from '../../docs/mutation.json' with { type: 'json' };
import { type LongRun, readLongRuns } from '../shared/faults/long-runs.js';
import { code, table } from './markdown.js';
import { type Promised, PROMISES } from './promises.js';

/**
 * What `npm run crash -- --json docs/long-runs.json` and the other programs write.
 *
 * @internal
 */
export const LONG_RUNS = readLongRuns(new URL('../../docs/long-runs.json', import.meta.url));

const dateOf = ({ machine }: LongRun): string => machine.date.slice(0, 10);

/** GitHub leaves colons out. */
const anchorOf = (program: string): string => `npm-run-${program.replaceAll(':', '')}`;

const outcomeOf = ({ problems }: LongRun): string =>
  problems.length === 0 ? 'no violation' : `violated: ${problems.join('; ')}`;

const figureOf = ([program, figure]: readonly [string, string]): string => {
  const run = LONG_RUNS[program];
  const link = `[${code(program)}](#${anchorOf(program)})`;
  return `${link}: ${figure} ${run?.figures[figure] ?? '–'}`;
};

const rowOf = ({ text, tests, figures = [] }: Promised): readonly string[] => [
  text,
  tests.map(([file, title]) => `[${title.replaceAll('%s', '…')}](../test/${file})`).join('<br>'),
  figures.map(figureOf).join('<br>'),
];

const describeRun = (program: string, run: LongRun): string => {
  const { machine, command, figures } = run;
  const { cores, cpu, node, loadAverage, commit } = machine;
  const load = Number.isFinite(loadAverage)
    ? `, load average ${loadAverage.toFixed(1)} at the start`
    : '';
  return [
    `### npm run ${program}`,
    `${code(command)}, ${dateOf(run)}, commit ${commit}, ${cores} × ${cpu}, Node ${node.slice(1)}${load}: ${outcomeOf(run)}.`,
    table(['measured', ''], Object.entries(figures)),
  ].join('\n\n');
};

/** What `npm run mutation` has measured. */
const describeMutations = (): string => {
  const rows = Object.entries(scores).toSorted(([one], [other]) => one.localeCompare(other));
  const head = ['folder', ...Object.keys(rows[0]?.[1] ?? {})];
  return table(
    head,
    rows.map(([folder, score]) => [code(folder), ...Object.values(score).map(String)]),
  );
};

/** The promises, the changes that tests notice, and the last long run of each program. */
export const describePromises = (): string =>
  [
    ...Object.entries(PROMISES).map(
      ([section, promises]) =>
        `## ${section}\n\n${table(['guarantee', 'shown by', 'last long run'], promises.map(rowOf))}`,
    ),
    '## Mutations',
    '`npm run mutation` makes one change to the code at a time and runs the tests of its folder (`TESTS` in tools/mutation.ts), not those of all levels. The score is the share of changes, in percent, that fail one of them (killed) or never end (timeout); of those that are not reached, no such test runs the code. Code that runs only once, on import, is left out; `every` N: only each N-th file was changed.',
    describeMutations(),
    '## Last long runs',
    ...Object.entries(LONG_RUNS).map(([program, run]) => run && describeRun(program, run)),
  ].join('\n\n');
