import { type Schema, useData, Time } from '../ui.ts';
import { StateBadge } from '../components/badges.tsx';
import { Code } from '../components/copy.tsx';
import { ListPage } from '../components/list.tsx';
import { type Column, RowTitle, TwoLines } from '../components/table.tsx';
import { CONNECTOR_STATES } from '../connectors.ts';
import { exampleSection } from '../example-section.ts';
import type { PageProps } from '../page-route.ts';

type Connector = Schema<'Connector'>;

const nextOf = ({ next_full_at: full, next_delta_at: delta }: Connector): string | null =>
  [full, delta].filter((at) => at !== null).toSorted()[0] ?? null;

const columnsOf = (slug: string): readonly Column<Connector>[] => [
  {
    title: 'Connector',
    cell: ({ name, title }) => (
      <RowTitle href={`/t/${slug}/connectors/${name}`} title={name} detail={title} />
    ),
  },
  {
    title: 'Status',
    cell: ({ state, message }) => (
      <TwoLines detail={message}>
        <StateBadge of={CONNECTOR_STATES[state]} />
      </TwoLines>
    ),
  },
  { title: 'Last success', time: 'last_success_at' },
  {
    title: 'Next run',
    kind: 'figure',
    cell: (connector) => <Time at={nextOf(connector)} none="not scheduled" />,
  },
  { title: 'In quarantine', figure: 'quarantined_records', isMinor: true },
];

const Connectors = ({ slug }: PageProps) => (
  <ListPage
    title="Connectors"
    lead="Import people from HR systems, directories and files. Unusually large changes need approval."
    of={useData('/admin/v1/tenants/{slug}/connectors', { path: { slug } })}
    rows={({ connectors }) => connectors}
    isWhole
    caption="Connectors"
    columns={columnsOf(slug)}
    by="name"
    lines={5}
    empty={{
      icon: 'plug',
      title: 'No connectors yet',
      text: 'Identity providers that support SCIM do not need a connector. For other sources, such as an HR system, LDAP, SQL or files, write a section into the configuration file, or add it by hand:',
      more: (
        <>
          <Code of={`rollgate connector init ${slug} --use csv`} what="the command" />
          <Code of={exampleSection(slug)} what="the example" />
          <p>
            Check it with <code>rollgate config check</code>. Then restart every gateway that reads
            the file, one after the other: with several gateways, requests go on; with one, they
            fail for a few seconds and identity providers repeat them. Variables and files of
            secrets must be there for the process that is restarted.
          </p>
        </>
      ),
    }}
  />
);

export default Connectors;
