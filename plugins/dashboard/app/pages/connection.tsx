import { Link } from 'wouter-preact';
import { useParams, withQuery } from '../address.ts';
import { type Schema, useData, counted, isSetupSession, Note, Time } from '../ui.ts';
import { StateBadge } from '../components/badges.tsx';
import {
  CONNECTION_STATES,
  FailedAuthentications,
  titleOfConnection,
} from '../components/connections.tsx';
import { List } from '../components/list.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import type { Column } from '../components/table.tsx';
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
    cell: (cycle) => {
      const start = <Time at={cycle.from} form="absolute" />;
      return isSetupSession() ? (
        start
      ) : (
        <Link class="row-link" href={logOf(slug, keyId, cycle)}>
          {start}
        </Link>
      );
    },
  },
  { title: 'Requests', figure: 'requests' },
  { title: 'Users changed', figure: 'users_changed' },
  { title: 'Refused', figure: 'refused' },
];

const Cycles = ({ slug, keyId }: { readonly slug: string; readonly keyId: string }) => {
  const [{ offset }] = useParams('offset');
  const cycles = useData('/admin/v1/tenants/{slug}/connections/{keyId}/cycles', {
    path: { slug, keyId },
    query: { limit: 50, offset },
  });
  return (
    <Section
      title="Synchronisations"
      lead={`Requests with pauses of less than two minutes.${isSetupSession() ? '' : ' Each opens the provisioning log of its time.'}`}
      flush
    >
      <List
        of={cycles}
        rows={(page) => page.cycles}
        caption="Synchronisations, newest first"
        columns={columnsOf(slug, keyId)}
        by="from"
        empty={{ icon: 'pulse', title: 'No requests yet' }}
      />
    </Section>
  );
};

type Failure = Schema<'FailedAuthentication'>;

/** With this key, and, if it is silent, with any other since: its client may use a wrong one. */
const failuresOf = (
  { prefix, state, last_request_at: last }: Connection,
  all: readonly Failure[],
): readonly Failure[] =>
  all.filter(
    ({ key_prefix: one, last_at: at }) =>
      one === prefix || (state === 'silent' && last !== null && at > last),
  );

const Silence = ({ failures }: { readonly failures: readonly Failure[] }) => (
  <Note tone="warning">
    <p>
      <strong>
        {failures.length > 0
          ? 'Requests without a valid key arrived since. Its client may use a wrong one.'
          : 'Nothing arrives, not even with a wrong key.'}
      </strong>
    </p>
    <p>
      {failures.length > 0
        ? 'The list below has what was wrong and what to do.'
        : 'In the identity provider, check that provisioning is on, that it is not paused or in quarantine, and which errors it reports. If it cannot reach this gateway, check the address, the proxy and the certificate.'}
    </p>
  </Note>
);

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
  const failed = useData('/admin/v1/tenants/{slug}/failed-authentications', { path: { slug } });
  const up = { href: `/t/${slug}/connections`, title: 'Connections' };
  if (!read.data) return <PendingPage of={read} kind="Connection" up={up} />;
  const connection = read.data;
  const { usual_interval_seconds: usual, state } = connection;
  const key = (
    <>
      {connection.description} <code>{connection.prefix}…</code>
    </>
  );
  return (
    <Page
      title={titleOfConnection(connection)}
      up={up}
      lead={
        <>
          <StateBadge of={CONNECTION_STATES[state]} /> {connection.state_text}
        </>
      }
    >
      {state === 'silent' && failed.data && (
        <Silence failures={failuresOf(connection, failed.data.failed_authentications)} />
      )}
      <div class="columns">
        <div>
          <Cycles slug={slug} keyId={id} />
          <FailedAuthentications
            lead="With this key, or, while it is silent, with any other."
            of={failed}
            only={(all) => failuresOf(connection, all)}
          />
        </div>
        <div>
          <Details
            of={[
              [
                'API key',
                isSetupSession() ? (
                  key
                ) : (
                  <Link href={`/t/${slug}/settings/api-keys?key=${id}`}>{key}</Link>
                ),
              ],
              [
                'Client',
                connection.user_agent ?? connection.client ?? <span class="quiet">unknown</span>,
              ],
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
