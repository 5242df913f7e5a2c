import { readFileSync } from 'node:fs';
import { median } from '../shared/statistics.js';
import { drawBars } from './draw-bars.js';
import { code, table } from './markdown.js';

/** What is shown of the file that `npm run bench -- --json docs/benchmarks.json` writes. */
interface Run {
  readonly machine: {
    readonly date: string;
    readonly commit: string;
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    readonly mongod: string;
    readonly loadAverage: number;
  };
  readonly options: {
    readonly rounds: number;
    readonly sizes: readonly number[];
    readonly webhook: boolean;
  };
  readonly comparisons: readonly {
    readonly id: string;
    readonly title: string;
    readonly peer: string;
    readonly ratios: readonly number[];
    readonly cpu: number;
    readonly databaseCpu: number;
  }[];
}

const { machine, options, comparisons } = JSON.parse(
  readFileSync(new URL('../../docs/benchmarks.json', import.meta.url), 'utf8'),
) as Run;

const conventional = comparisons.filter(({ peer }) => peer === 'plain');

/** How fast, compared with the conventional implementation. */
export const drawRates = (): string =>
  drawBars({
    title: 'Requests per second, divided by those of the conventional implementation',
    legend: [],
    mark: { value: 1, text: 'as fast' },
    bars: conventional.map(({ title, ratios }) => ({
      label: title,
      parts: [{ value: median(ratios), colour: 'first' }],
      text: median(ratios).toFixed(2),
    })),
  });

/** A Bulk is a thousand requests in one: beside it, the bars of the others would not be seen. */
const isOne = ({ id }: { readonly id: string }): boolean => !id.startsWith('W7');

/** What a request costs. */
export const drawCpu = (): string =>
  drawBars({
    title: 'CPU time per request, in milliseconds',
    legend: [
      ['first', 'gateway'],
      ['second', 'mongod'],
    ],
    bars: conventional.filter(isOne).map(({ title, cpu, databaseCpu }) => ({
      label: title,
      parts: [
        { value: cpu, colour: 'first' },
        { value: databaseCpu, colour: 'second' },
      ],
      text: `${cpu.toFixed(2)} + ${databaseCpu.toFixed(2)}`,
    })),
  });

const inDigits = (ms: number): string => String(Number(ms.toPrecision(3)));

const rangeOf = (values: readonly number[]): string =>
  `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;

/** The machine and the figures of the run. */
export const describeBenchmarks = (): string => {
  const { date, commit, cores, cpu, node, mongod, loadAverage } = machine;
  const users = options.sizes[0]?.toLocaleString('en');
  return [
    `${date.slice(0, 10)}, commit ${commit}, ${cores} × ${cpu}, Node ${node.slice(1)}, mongod ${mongod}, ` +
      `load average ${loadAverage.toFixed(1)} at the start, ${users} users, ${options.rounds} rounds, ` +
      `${options.webhook ? 'with a webhook' : 'without a webhook'}.`,
    '',
    table(
      ['workload', '', 'compared with', 'ratio', 'range', 'CPU ms, gateway + mongod'],
      comparisons.map(({ id, title, peer, ratios, cpu: own, databaseCpu }) => [
        code(id),
        title,
        code(peer),
        median(ratios).toFixed(2),
        rangeOf(ratios),
        `${inDigits(own)} + ${inDigits(databaseCpu)}`,
      ]),
    ),
  ].join('\n');
};
