import { Link } from 'wouter-preact';
import { useParams, withQuery } from '../address.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { StateBadge } from '../components/badges.tsx';
import {
  CONNECTION_STATES,
  CYCLE_COLUMNS,
  FAILURE_COLUMNS,
  titleOfConnection,
} from '../components/connections.tsx';
import { counted } from '../counted.ts';
import { List } from '../components/list.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import { Table, type Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { PageProps } from '../page-route.ts';

type Connection = Schema<'Connection'>;
type Cycle = Schema<'ConnectionCycle'>;

const SECOND_MS = 1_000;

/** The commands of a cycle. */
const logOf = (slug: string, keyId: string, { from, until }: Cycle): string =>
  withQuery(`/t/${slug}/log`, {
    actor: keyId,
    from,
    // Until then, the last command of the cycle is logged.
    until: new Date(Date.parse(until) + SECOND_MS).toISOString(),
  });

const columnsOf = (slug: string, keyId: string): readonly Column<Cycle>[] => [
  {
    title: 'Start',
    cell: (cycle) => (
      <Link class="row-link" href={logOf(slug, keyId, cycle)}>
        <Time at={cycle.from} form="absolute" />
      </Link>
    ),
  },
  ...CYCLE_COLUMNS.slice(1),
];

const Cycles = ({ slug, keyId }: { readonly slug: string; readonly keyId: string }) => {
  const [{ offset }] = useParams('offset');
  const cycles = useData('/admin/v1/tenants/{slug}/connections/{keyId}/cycles', {
    path: { slug, keyId },
    query: { limit: 50, offset },
  });
  return (
    <Section
      title="Cycles"
      lead="Requests with pauses of less than two minutes. Each opens the provisioning log of its time."
      flush
    >
      <List
        of={cycles}
        rows={(page) => page.cycles}
        caption="Cycles, newest first"
        columns={columnsOf(slug, keyId)}
        by="from"
        empty={{ icon: 'pulse', title: 'No requests yet' }}
      />
    </Section>
  );
};

/** Only if there are some. */
const Failures = ({ slug, prefix }: { readonly slug: string; readonly prefix: string }) => {
  const { data } = useData('/admin/v1/tenants/{slug}/failed-authentications', { path: { slug } });
  const own = data?.failed_authentications.filter(({ key_prefix: one }) => one === prefix) ?? [];
  if (own.length === 0) return null;
  return (
    <Section title="Failed authentications" flush>
      <Table
        rows={own}
        caption="Failed authentications with this key, newest first"
        columns={FAILURE_COLUMNS}
      />
    </Section>
  );
};

const LastRefusal = ({ of: refusal }: { readonly of: Connection['last_refusal'] }) =>
  refusal === null ? (
    <span class="quiet">none</span>
  ) : (
    <>
      <Time at={refusal.at} />: {refusal.message} <code>{refusal.error}</code>
    </>
  );

const MINUTE_SECONDS = 60;

const ConnectionPage = ({ slug, id }: PageProps) => {
  const read = useData('/admin/v1/tenants/{slug}/connections/{keyId}', {
    path: { slug, keyId: id },
  });
  const up = { href: `/t/${slug}/connections`, title: 'Connections' };
  if (!read.data) return <PendingPage of={read} kind="Connection" up={up} />;
  const connection = read.data;
  const { usual_interval_seconds: usual } = connection;
  return (
    <Page
      title={titleOfConnection(connection)}
      up={up}
      lead={
        <>
          <StateBadge of={CONNECTION_STATES[connection.state]} /> {connection.state_text}
        </>
      }
    >
      <div class="columns">
        <div>
          <Cycles slug={slug} keyId={id} />
          <Failures slug={slug} prefix={connection.prefix} />
        </div>
        <div>
          <Details
            of={[
              [
                'API key',
                <Link key="k" href={`/t/${slug}/settings/api-keys?key=${id}`}>
                  {connection.description} <code>{connection.prefix}…</code>
                </Link>,
              ],
              ['User agent', connection.user_agent ?? <span class="quiet">unknown</span>],
              ['Last request', <Time key="r" at={connection.last_request_at} />],
              ['Last success', <Time key="s" at={connection.last_success_at} />],
              ['Last refusal', <LastRefusal key="l" of={connection.last_refusal} />],
              [
                'In 24 hours',
                `${counted(connection.requests_24h, 'request')}, ${connection.refused_24h} refused`,
              ],
              [
                'Usual interval',
                usual === null ? (
                  <span class="quiet">not known</span>
                ) : (
                  counted(Math.max(1, Math.round(usual / MINUTE_SECONDS)), 'minute')
                ),
              ],
            ]}
          />
        </div>
      </div>
    </Page>
  );
};

export default ConnectionPage;
