import { createPaint } from '../../src/cli/paint.js';
import { renderTable } from '../../src/cli/table.js';
import { inDigits } from '../report/in-digits.js';
import type { Cost, ProfileSummary } from './summarise-profile.js';

const MOST_AREAS = 20;
const MOST_FUNCTIONS = 30;

/** The costs of a profile, each as a share of the busy time and as microseconds a request. */
export const profileReport = (summary: ProfileSummary, requests: number): string => {
  const table = (title: string, costs: readonly Cost[], most: number): string =>
    `${title}\n${renderTable(
      [
        {
          title: '%',
          align: 'right',
          cell: ({ ms }: Cost) => ((ms / summary.busyMs) * 100).toFixed(1),
        },
        {
          title: 'µs a request',
          align: 'right',
          cell: ({ ms }: Cost) => inDigits((ms * 1_000) / requests),
        },
        { title: '', cell: ({ name }: Cost) => name },
        { title: '', cell: ({ file }: Cost) => file },
      ],
      costs.slice(0, most),
      createPaint(false),
    )}`;

  const total = `${inDigits(summary.busyMs / requests)} ms of the main thread a request\n`;
  return [
    `${requests} requests, ${total}`,
    table('Where the time goes', summary.areas, MOST_AREAS),
    table('Functions, without what they call', summary.functions, MOST_FUNCTIONS),
    table('Our own functions, with what they call', summary.inclusive, MOST_FUNCTIONS),
  ].join('\n');
};
