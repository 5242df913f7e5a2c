import { useParams } from '../address.ts';
import { type Schema, useData, Filters } from '../ui.ts';
import { StateBadge } from '../components/badges.tsx';
import { ListPage } from '../components/list.tsx';
import { useCursor } from '../components/pager.tsx';
import { type Column, TwoLines } from '../components/table.tsx';

const COLUMNS: readonly Column<Schema<'OperatorLogEntry'>>[] = [
  { title: 'Operator', cell: ({ actor }) => <strong>{actor.name}</strong> },
  { title: 'Action', cell: ({ text }) => text.slice(0, 1).toUpperCase() + text.slice(1) },
  {
    title: 'Outcome',
    cell: ({ error }) => (
      <TwoLines detail={error !== null && <code>{error}</code>}>
        <StateBadge of={error === null ? ['good', 'Done'] : ['warning', 'Refused']} />
      </TwoLines>
    ),
  },
  { title: 'Time', time: 'at' },
];

const OperatorLog = () => {
  const [filters, change] = useParams('operator');
  const { cursor, paging } = useCursor();
  const operators = useData('/admin/v1/operators', { query: { limit: 500 } });
  const entries = useData('/admin/v1/operator-log', {
    query: { operator: filters.operator, limit: 100, cursor },
  });
  return (
    <ListPage
      title="Operator log"
      lead="Sign-ins, and what operators did to accounts, links, keys, secrets and captures."
      filters={
        <Filters
          of={[
            {
              name: 'operator',
              label: 'Operator',
              all: 'All operators',
              choices: (operators.data?.operators ?? []).map(({ id, name }) => [id, name] as const),
            },
          ]}
          values={filters}
          onChange={(changes) => {
            paging.onFirst();
            change(changes);
          }}
        />
      }
      of={entries}
      rows={(page) => page.entries}
      caption="Actions, newest first"
      columns={COLUMNS}
      lines={10}
      paging={{ ...paging, one: 'action', isAlways: false }}
      empty={{ icon: 'list', title: 'No actions yet', text: 'Sign-ins appear here.' }}
    />
  );
};

export default OperatorLog;
