import { createPaint } from '../../../src/cli/terminal-text.js';
import { renderTable } from '../../../src/cli/table.js';
import type { ConnectorRun, ConnectorRuns } from '../run/results.js';
import { formatSize } from '../servers/tested-server.js';
import { formatNumber } from './format-number.js';

interface Line extends ConnectorRun {
  readonly employees: number;
}

const column = (title: string, field: Exclude<keyof ConnectorRun, 'name'>) => ({
  title,
  align: 'right' as const,
  cell: (line: Line) => formatNumber(line[field]),
});

export const connectorTable = (all: readonly ConnectorRuns[]): string =>
  `connectors  employees from a CSV file\n${renderTable(
    [
      { title: 'employees', align: 'right', cell: ({ employees }: Line) => formatSize(employees) },
      { title: 'run', cell: ({ name }: Line) => name },
      column('wall s', 'wall'),
      column('employees/s', 'rate'),
      column('CPU s', 'cpu'),
      column('mongod s', 'databaseCpu'),
      column('peak RSS MB', 'peak'),
      column('writes to users', 'userWrites'),
    ],
    all.flatMap(({ employees, runs }) => runs.map((run) => ({ employees, ...run }))),
    createPaint(false),
  )}`;
