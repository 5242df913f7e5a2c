import { useEffect, useState } from 'preact/hooks';
import { oneOf, useParams } from '../address.ts';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { gateway, type Schema, Filters, counted, hasRole } from '../ui.ts';
import { Badge } from '../components/badges.tsx';
import CreateTenant from '../components/create-tenant.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { Gauge } from '../components/gauge.tsx';
import { ListPage } from '../components/list.tsx';
import { type Column, RowTitle, TwoLines } from '../components/table.tsx';

type Summary = Schema<'TenantSummary'>;

const COUNT = new Intl.NumberFormat('en');

const problemsOf = ({ overview }: Summary) =>
  overview.attention.filter(({ severity }) => severity !== 'info');

const shareOf = ({ overview: { seats } }: Summary): number =>
  seats.capacity === null ? -1 : seats.provisioned / Math.max(1, seats.capacity);

const ORDERS: Readonly<Record<string, (one: Summary, other: Summary) => number>> = {
  problems: (one, other) =>
    problemsOf(other).length - problemsOf(one).length || one.name.localeCompare(other.name),
  name: (one, other) => one.name.localeCompare(other.name),
  seats: (one, other) => shareOf(one) - shareOf(other),
  users: (one, other) => one.overview.users.total - other.overview.users.total,
};

const COLUMNS: readonly Column<Summary>[] = [
  {
    title: 'Tenant',
    sort: 'name',
    cell: ({ slug, name }) => <RowTitle href={`/t/${slug}`} title={name} detail={slug} />,
  },
  {
    title: 'Seats',
    sort: 'seats',
    cell: ({ name, overview: { seats } }) => (
      <>
        {COUNT.format(seats.provisioned)}{' '}
        <small>
          {seats.capacity === null ? 'unlimited' : `of ${COUNT.format(seats.capacity)}`}
        </small>
        {seats.capacity !== null && (
          <Gauge label={`Seats taken in ${name}`} value={seats.provisioned} max={seats.capacity} />
        )}
      </>
    ),
  },
  {
    title: 'Users',
    sort: 'users',
    kind: 'figure',
    cell: ({ overview }) => COUNT.format(overview.users.total),
  },
  {
    title: 'Problems',
    sort: 'problems',
    cell: (tenant) => {
      const problems = problemsOf(tenant);
      const [worst] = problems;
      if (!worst) return <Badge tone="good">None</Badge>;
      const isError = problems.some(({ severity }) => severity === 'error');
      return (
        <TwoLines detail={worst.message}>
          <Badge tone={isError ? 'bad' : 'warning'}>{counted(problems.length, 'problem')}</Badge>
        </TwoLines>
      );
    },
  },
];

/** Reads all tenants, page by page; rows appear as they arrive. */
const useSummaries = () => {
  const [data, setData] = useState<{ readonly tenants: readonly Summary[] }>();
  const [error, setError] = useState<ApiError>();
  const [isLoading, setLoading] = useState(true);
  const read = async (signal: AbortSignal) => {
    let tenants: readonly Summary[] = [];
    let total = Infinity;
    while (tenants.length < total) {
      const query = { limit: 50, offset: tenants.length };
      const page = await gateway.get('/admin/v1/overviews', { query, signal });
      tenants = [...tenants, ...page.tenants];
      total = page.tenants.length === 0 ? 0 : page.total;
      setData({ tenants });
    }
    setLoading(false);
  };
  const start = () => {
    const controller = new AbortController();
    setError(undefined);
    read(controller.signal).catch((fault: unknown) => {
      if (!controller.signal.aborted) setError(asApiError(fault));
    });
    return () => controller.abort();
  };
  useEffect(start, []);
  return { data, error, isLoading, reload: () => void start() };
};

const Tenants = () => {
  const [{ q, sort }, change] = useParams('q', 'sort');
  const summaries = useSummaries();
  const field = oneOf(Object.keys(ORDERS), sort.replace('-', '')) ?? 'problems';
  const by = sort === '' ? field : sort;
  const direction = by.startsWith('-') ? -1 : 1;
  const rows = (summaries.data?.tenants ?? [])
    .filter(({ slug, name }) => `${name} ${slug}`.toLowerCase().includes(q.toLowerCase()))
    .sort((one, other) => direction * (ORDERS[field]?.(one, other) ?? 0));
  return (
    <ListPage
      title="Tenants"
      lead="Seats, and what needs attention."
      create={
        hasRole('owner') && (
          <DialogButton icon="plus" label="Create tenant">
            {(close) => <CreateTenant onClose={close} />}
          </DialogButton>
        )
      }
      filters={
        <Filters of={[{ name: 'q', label: 'Search by name' }]} values={{ q }} onChange={change} />
      }
      of={summaries}
      rows={() => rows}
      isWhole
      caption="Tenants"
      columns={COLUMNS}
      by="slug"
      sorted={{ by, onSort: (next) => change({ sort: next }) }}
      lines={8}
      empty={{ icon: 'door', title: q === '' ? 'No tenants yet' : 'No matching tenants' }}
    />
  );
};

export default Tenants;
