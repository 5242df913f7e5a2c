import { createPaint } from '../../../src/cli/terminal-text.js';
import { type Column, renderTable } from '../../../src/cli/table.js';
import { spreadOf } from '../../shared/statistics.js';
import type { DrainRound, Drains } from '../run/results.js';

const column = (title: string, field: keyof DrainRound): Column<Drains> => ({
  title,
  align: 'right',
  cell: ({ rounds }) => {
    const { median, min, max } = spreadOf(rounds.map((round) => round[field]));
    const [middle, low, high] = [median, min, max].map((value) => String(Math.round(value)));
    return low === high ? `${middle}` : `${middle} (${low}–${high})`;
  },
});

export const drainTable = (drains: readonly Drains[]): string =>
  `webhooks-drain  a backlog of ${drains[0]?.deliveries} deliveries over HTTPS\n${renderTable(
    [
      { title: '', cell: ({ name }) => name },
      column('events/s', 'rate'),
      column('CPU µs an event', 'cpuMicros'),
      column('mongod µs', 'databaseMicros'),
    ],
    drains,
    createPaint(false),
  )}`;
