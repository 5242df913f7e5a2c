import { createPaint } from '../../src/cli/paint.js';
import { type Column, renderTable } from '../../src/cli/table.js';
import { type PeerName, sizeInWords } from '../contestants/contestant.js';
import type { SyncRound, Syncs } from '../run/results.js';
import { ratioOf, spreadOf } from '../../tooling/statistics.js';
import { inDigits } from './in-digits.js';
import { wrongLines } from './wrong-lines.js';

const valuesOf = ({ rounds }: Syncs, field: keyof SyncRound): readonly number[] =>
  rounds.map((round) => round[field]);

const medianColumn = (title: string, field: keyof SyncRound): Column<Syncs> => ({
  title,
  align: 'right',
  cell: (line) => inDigits(spreadOf(valuesOf(line, field)).median),
});

const range = (line: Syncs): string => {
  const { least, most } = spreadOf(valuesOf(line, 'wall'));
  return `${inDigits(least)}–${inDigits(most)}`;
};

const ratioColumn = (right: readonly Syncs[], wanted: PeerName): Column<Syncs> => {
  const other = right.find(({ peer }) => peer === wanted);
  return {
    title: `÷ ${wanted}`,
    align: 'right',
    cell: (line) =>
      inDigits(other && ratioOf(valuesOf(line, 'wall'), valuesOf(other, 'wall')).median),
  };
};

const columnsFor = (right: readonly Syncs[]): readonly Column<Syncs>[] => [
  { title: 'peer', cell: ({ peer }) => peer },
  medianColumn('wall s', 'wall'),
  { title: 'range', cell: range },
  ratioColumn(right, 'floor'),
  ratioColumn(right, 'plain'),
  medianColumn('CPU s', 'cpu'),
  medianColumn('mongod s', 'databaseCpu'),
  medianColumn('peak RSS MB', 'peak'),
];

/** First syncs: every peer a line, as with the other workloads. */
export const syncTable = (syncs: readonly Syncs[]): string => {
  const right = syncs.filter(({ wrong }) => !wrong);
  const table = right.length > 0 ? renderTable(columnsFor(right), right, createPaint(false)) : '';
  const users = sizeInWords(syncs[0]?.users ?? NaN);
  const wrong = syncs.map(({ peer, ...line }) => wrongLines({ label: peer, ...line }));
  return `W8  first sync of ${users} users and their groups of 100, 8 clients\n${table}${wrong.join('')}`;
};
