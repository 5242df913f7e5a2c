import { Link } from 'wouter-preact';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Badge } from '../components/badge.tsx';
import { Code } from '../components/code.tsx';
import { Empty } from '../components/empty.tsx';
import { Page } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { CONNECTOR_STATES } from '../connectors.ts';
import type { PageProps } from '../page-route.ts';

type Connector = Schema<'Connector'>;

const EXAMPLE = (slug: string): string => `connectors:
  hr:
    use: csv
    tenant: ${slug}
    schedule: { full: "17 3 * * *" }
    settings: { file: /srv/people.csv }`;

const nextOf = ({ next_full_at: full, next_delta_at: delta }: Connector): string | null =>
  [full, delta].filter((at) => at !== null).toSorted()[0] ?? null;

const columnsOf = (slug: string): readonly Column<Connector>[] => [
  {
    title: 'Connector',
    cell: ({ name, title }) => (
      <span class="log-what">
        <Link class="row-link" href={`/t/${slug}/connectors/${name}`}>
          <strong>{name}</strong>
        </Link>
        <small>{title}</small>
      </span>
    ),
  },
  {
    title: 'Status',
    cell: ({ state, message }) => (
      <span class="log-what">
        <span>
          <Badge tone={CONNECTOR_STATES[state][0]}>{CONNECTOR_STATES[state][1]}</Badge>
        </span>
        {message !== null && <small>{message}</small>}
      </span>
    ),
  },
  { title: 'Last success', kind: 'figure', cell: ({ last_success_at: at }) => <Time at={at} /> },
  {
    title: 'Next run',
    kind: 'figure',
    cell: (connector) => <Time at={nextOf(connector)} none="not scheduled" />,
  },
  {
    title: 'In quarantine',
    kind: 'figure',
    isMinor: true,
    cell: ({ quarantined_records: count }) => count,
  },
];

const Connectors = ({ slug }: PageProps) => {
  const connectors = useData('/admin/v1/tenants/{slug}/connectors', { path: { slug } });
  return (
    <Page
      title="Connectors"
      lead="Import people from HR systems, directories and files. Unusually large changes need approval."
    >
      <Async of={connectors} lines={5}>
        {({ connectors: list }) =>
          list.length === 0 ? (
            <Empty icon="plug" title="No connectors yet">
              <p>
                Identity providers that support SCIM do not need a connector. For other sources,
                such as an HR system, LDAP, SQL or CSV, add a section to the configuration file and
                restart the gateway:
              </p>
              <Code of={EXAMPLE(slug)} what="the example" />
            </Empty>
          ) : (
            <Table
              caption="Connectors"
              columns={columnsOf(slug)}
              rows={list}
              keyOf={({ name }) => name}
            />
          )
        }
      </Async>
    </Page>
  );
};

export default Connectors;
