import { createPaint } from '../../../src/cli/terminal-text.js';
import { type Column, renderTable } from '../../../src/cli/table.js';
import { formatNumber } from '../report/format-number.js';
import type { Cost, ProfileSummary } from './summarise-profile.js';

const MAX_AREAS = 20;
const MAX_FUNCTIONS = 30;

export interface ProfiledRequests {
  readonly requests: number;
  /** CPU time of the main thread, as counted by the kernel. */
  readonly cpuMs: number;
}

/**
 * The costs as shares and as microseconds per request. V8 samples by wall time, so on a busy machine
 * it counts the time of other processes as well; the microseconds are shares of the CPU time.
 */
export const formatProfile = (
  { busyMs, areas, functions, inclusive }: ProfileSummary,
  { requests, cpuMs }: ProfiledRequests,
): string => {
  const table = (title: string, costs: readonly Cost[], max: number): string =>
    `${title}\n${renderTable(columnsFor(busyMs, cpuMs / requests), costs.slice(0, max), plainText)}`;

  return [
    `${requests} requests, ${formatNumber(cpuMs / requests)} ms CPU of the main thread per request\n`,
    table('By folder and package', areas, MAX_AREAS),
    table('Functions by self time', functions, MAX_FUNCTIONS),
    table('Own functions by total time', inclusive, MAX_FUNCTIONS),
  ].join('\n');
};

const plainText = createPaint(false);

const columnsFor = (busyMs: number, cpuPerRequest: number): readonly Column<Cost>[] => [
  { title: '%', align: 'right', cell: ({ ms }) => ((ms / busyMs) * 100).toFixed(1) },
  {
    title: 'µs per request',
    align: 'right',
    cell: ({ ms }) => formatNumber((ms / busyMs) * cpuPerRequest * 1_000),
  },
  { title: '', cell: ({ name }) => name },
  { title: '', cell: ({ file }) => file },
];
