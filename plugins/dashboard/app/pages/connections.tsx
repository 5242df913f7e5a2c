import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import { type Schema, useData, isSetupSession } from '../ui.ts';
import { StateBadge } from '../components/badges.tsx';
import {
  CONNECTION_STATES,
  FailedAuthentications,
  titleOfConnection,
} from '../components/connections.tsx';
import { ListPage } from '../components/list.tsx';
import { RefusedChanges } from '../components/refused-changes.tsx';
import { type Column, RowTitle, TwoLines } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';
import { useReloads } from '../use-polling.ts';

const columnsOf = (slug: string): readonly Column<Schema<'Connection'>>[] => [
  {
    title: 'Connection',
    cell: (connection) => (
      <RowTitle
        href={`/t/${slug}/connections/${connection.key_id}`}
        title={titleOfConnection(connection)}
        detail={
          <>
            {connection.description} <code>{connection.prefix}…</code>
          </>
        }
      />
    ),
  },
  {
    title: 'State',
    cell: ({ state, state_text: text }) => (
      <TwoLines detail={text}>
        <StateBadge of={CONNECTION_STATES[state]} />
      </TwoLines>
    ),
  },
  { title: 'Requests in 24 h', figure: 'requests_24h', isMinor: true },
  { title: 'Refused in 24 h', figure: 'refused_24h', isMinor: true },
  { title: 'Last request', time: 'last_request_at', isMinor: true },
];

const Connections = ({ slug }: PageProps) => {
  const [{ offset }] = useParams('offset');
  const connections = useData('/admin/v1/tenants/{slug}/connections', {
    path: { slug },
    query: { limit: 100, offset },
  });
  const failures = useData('/admin/v1/tenants/{slug}/failed-authentications', { path: { slug } });
  useReloads(connections.reload);
  useReloads(failures.reload);
  return (
    <ListPage
      title="Connections"
      lead="Which identity provider or program uses each API key, and whether it works."
      of={connections}
      rows={(page) => page.connections}
      caption="Connections"
      columns={columnsOf(slug)}
      by="key_id"
      empty={{
        icon: 'key',
        title: 'No API keys',
        text: <Link href={`/t/${slug}/setup`}>Connect an identity provider</Link>,
      }}
    >
      {isSetupSession() && <RefusedChanges slug={slug} />}
      <FailedAuthentications
        lead="The last 100 requests of 30 days with a wrong key, none, or one without the scope they need."
        of={failures}
      />
    </ListPage>
  );
};

export default Connections;
