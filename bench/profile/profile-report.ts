import { createPaint } from '../../src/cli/paint.js';
import { type Column, renderTable } from '../../src/cli/table.js';
import { inDigits } from '../report/in-digits.js';
import type { Cost, ProfileSummary } from './summarise-profile.js';

const MOST_AREAS = 20;
const MOST_FUNCTIONS = 30;

export interface ProfiledWork {
  readonly requests: number;
  /** What the main thread really took, by the kernel's count. */
  readonly cpuMs: number;
}

/**
 * The costs of a profile, each as a share and as microseconds a request. V8 samples by the clock,
 * so on a busy machine it counts the time of others, too: the microseconds are shares of the
 * thread's real CPU time.
 */
export const profileReport = (
  { busyMs, areas, functions, inclusive }: ProfileSummary,
  { requests, cpuMs }: ProfiledWork,
): string => {
  const table = (title: string, costs: readonly Cost[], most: number): string =>
    `${title}\n${renderTable(columnsFor(busyMs, cpuMs / requests), costs.slice(0, most), plainText)}`;

  return [
    `${requests} requests, ${inDigits(cpuMs / requests)} ms CPU of the main thread a request\n`,
    table('Where the time goes', areas, MOST_AREAS),
    table('Functions, without what they call', functions, MOST_FUNCTIONS),
    table('Our own functions, with what they call', inclusive, MOST_FUNCTIONS),
  ].join('\n');
};

const plainText = createPaint(false);

const columnsFor = (busyMs: number, cpuPerRequest: number): readonly Column<Cost>[] => [
  { title: '%', align: 'right', cell: ({ ms }) => ((ms / busyMs) * 100).toFixed(1) },
  {
    title: 'µs a request',
    align: 'right',
    cell: ({ ms }) => inDigits((ms / busyMs) * cpuPerRequest * 1_000),
  },
  { title: '', cell: ({ name }) => name },
  { title: '', cell: ({ file }) => file },
];
