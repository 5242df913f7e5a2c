import { createPaint } from '../../../src/cli/terminal-text.js';
import { type Column, renderTable } from '../../../src/cli/table.js';
import { ratioOf, spreadOf } from '../../shared/statistics.js';
import type { SyncRound, Syncs } from '../run/results.js';
import { formatSize, type PeerName } from '../servers/tested-server.js';
import { formatNumber } from './format-number.js';
import { formatWrongResponse } from './format-wrong-response.js';

const valuesOf = ({ rounds }: Syncs, field: keyof SyncRound): readonly number[] =>
  rounds.map((round) => round[field]);

const medianColumn = (title: string, field: keyof SyncRound): Column<Syncs> => ({
  title,
  align: 'right',
  cell: (line) => formatNumber(spreadOf(valuesOf(line, field)).median),
});

const range = (line: Syncs): string => {
  const { min, max } = spreadOf(valuesOf(line, 'wall'));
  return `${formatNumber(min)}–${formatNumber(max)}`;
};

const ratioColumn = (correct: readonly Syncs[], name: PeerName): Column<Syncs> => {
  const other = correct.find(({ peer }) => peer === name);
  return {
    title: `÷ ${name}`,
    align: 'right',
    cell: (line) =>
      formatNumber(other && ratioOf(valuesOf(line, 'wall'), valuesOf(other, 'wall')).median),
  };
};

const columnsFor = (correct: readonly Syncs[]): readonly Column<Syncs>[] => [
  { title: 'peer', cell: ({ peer }) => peer },
  medianColumn('wall s', 'wall'),
  { title: 'range', cell: range },
  ratioColumn(correct, 'floor'),
  ratioColumn(correct, 'plain'),
  medianColumn('CPU s', 'cpu'),
  medianColumn('mongod s', 'databaseCpu'),
  medianColumn('peak RSS MB', 'peak'),
];

export const syncTable = (syncs: readonly Syncs[]): string => {
  const correct = syncs.filter(({ wrong }) => !wrong);
  const table =
    correct.length > 0 ? renderTable(columnsFor(correct), correct, createPaint(false)) : '';
  const users = formatSize(syncs[0]?.users ?? NaN);
  const wrong = syncs.map(({ peer, ...line }) => formatWrongResponse({ label: peer, ...line }));
  return `W8  first sync of ${users} users and their groups of 100, 8 clients\n${table}${wrong.join('')}`;
};
