import { type Schema, useData, counted, Empty, Time } from '../ui.ts';
import { adviceFor } from '../refusal-advice.ts';
import { providerName } from '../sign-in.ts';
import { useReloads } from '../use-polling.ts';
import { StateBadge } from './badges.tsx';
import { nameOf } from './commands.tsx';
import {
  CONNECTION_STATES,
  CYCLE_COLUMNS,
  FailedAuthentications,
  titleOfConnection,
} from './connections.tsx';
import { Gauge } from './gauge.tsx';
import { List } from './list.tsx';
import { Async, Facts, Page, Section } from './page.tsx';
import { type Column, TwoLines } from './table.tsx';

const EVERY_MS = 10_000;

type Connection = Schema<'Connection'>;
type Command = Schema<'Command'>;

interface Refused {
  readonly id: string;
  readonly newest: Command;
  readonly count: number;
}

/** Identity providers repeat what was refused: one row for each change, newest first. */
const groupRefused = (commands: readonly Command[]): readonly Refused[] => {
  const groups = new Map<string, Refused>();
  for (const command of commands) {
    const { title, subject, error } = command;
    const key = [title, subject && nameOf(subject), error].join('\n');
    const known = groups.get(key);
    const newest = known?.newest ?? command;
    groups.set(key, { id: newest.id, newest, count: (known?.count ?? 0) + 1 });
  }
  return [...groups.values()];
};

const REFUSED_COLUMNS: readonly Column<Refused>[] = [
  {
    title: 'Change',
    cell: ({ newest: { title, subject, message } }) => (
      <TwoLines detail={message}>
        <span>
          {title} {subject && <strong>{nameOf(subject)}</strong>}
        </span>
      </TwoLines>
    ),
  },
  { title: 'What to do', cell: ({ newest }) => adviceFor(newest.error) },
  { title: 'Times', figure: 'count' },
  { title: 'Last', kind: 'figure', cell: ({ newest }) => <Time at={newest.at} /> },
];

const Refusals = ({ slug }: { readonly slug: string }) => {
  const refused = useData('/admin/v1/tenants/{slug}/commands', {
    path: { slug },
    query: { limit: 100 },
  });
  useReloads(refused.reload, EVERY_MS);
  return (
    <Section
      title="Refused changes"
      lead="What your identity provider sent and was not accepted. Nothing was changed by it."
      flush
    >
      <List
        of={refused}
        rows={(page) => groupRefused(page.commands)}
        caption="Refused changes, newest first"
        columns={REFUSED_COLUMNS}
        isWhole
        empty={{ icon: 'check', title: 'No refused changes' }}
      />
    </Section>
  );
};

const Cycles = ({ slug, keyId }: { readonly slug: string; readonly keyId: string }) => {
  const cycles = useData('/admin/v1/tenants/{slug}/connections/{keyId}/cycles', {
    path: { slug, keyId },
    query: { limit: 10 },
  });
  useReloads(cycles.reload, EVERY_MS);
  return (
    <List
      of={cycles}
      rows={(page) => page.cycles}
      caption="Synchronisations, newest first"
      columns={CYCLE_COLUMNS}
      by="from"
      isWhole
      lines={3}
      empty={{ icon: 'pulse', title: 'No requests yet' }}
    />
  );
};

/** Several keys of one provider are distinguished by their prefixes. */
const titleAmong = (all: readonly Connection[], one: Connection): string => {
  const title = titleOfConnection(one);
  const isUnique = all.filter((other) => titleOfConnection(other) === title).length === 1;
  return isUnique ? title : `${title} (key ${one.prefix})`;
};

const ConnectionSection = ({
  slug,
  of: connection,
  title,
}: {
  readonly slug: string;
  readonly of: Connection;
  readonly title: string;
}) => (
  <Section
    title={title}
    lead={connection.state_text}
    actions={<StateBadge of={CONNECTION_STATES[connection.state]} />}
  >
    <Facts
      of={[
        ['Key', <code key="k">{connection.prefix}…</code>],
        ['Last request', <Time key="r" at={connection.last_request_at} />],
        ['Last success', <Time key="s" at={connection.last_success_at} />],
        [
          'In 24 hours',
          `${counted(connection.requests_24h, 'request')}, ${connection.refused_24h} refused`,
        ],
      ]}
    />
    {connection.last_request_at !== null && <Cycles slug={slug} keyId={connection.key_id} />}
  </Section>
);

const Seats = ({
  of: { capacity, provisioned, available },
}: {
  readonly of: Schema<'SetupProgress'>['seats'];
}) => (
  <Section title="Seats" lead="Each active user takes one.">
    {capacity === null || available === null ? (
      <p>{counted(provisioned, 'seat')} taken, without a limit.</p>
    ) : (
      <>
        <Gauge label="Seats taken" value={provisioned} max={capacity} />
        <p>
          {provisioned} of {counted(capacity, 'seat')} taken.{' '}
          {available === 0 && `New users are refused. Ask ${providerName()} for more seats.`}
        </p>
      </>
    )}
  </Section>
);

/** Whether the connection works, what was refused, and how many seats are left. */
const Health = ({ slug }: { readonly slug: string }) => {
  const setup = useData('/admin/v1/tenants/{slug}/setup', { path: { slug } });
  const connections = useData('/admin/v1/tenants/{slug}/connections', { path: { slug } });
  const failures = useData('/admin/v1/tenants/{slug}/failed-authentications', { path: { slug } });
  useReloads(connections.reload, EVERY_MS);
  useReloads(failures.reload, EVERY_MS);
  return (
    <Page title="Health" lead="Whether your identity provider reaches us, and what was refused.">
      <Async of={connections} lines={4}>
        {({ connections: all }) =>
          all.length === 0 ? (
            <Empty icon="key" title="Not connected yet" text="Create a key under Connect." />
          ) : (
            all.map((one) => (
              <ConnectionSection
                key={one.key_id}
                slug={slug}
                of={one}
                title={titleAmong(all, one)}
              />
            ))
          )
        }
      </Async>
      <Refusals slug={slug} />
      {(failures.data?.total ?? 0) > 0 && (
        <FailedAuthentications lead="Requests with a wrong key, or without one." of={failures} />
      )}
      {setup.data && <Seats of={setup.data.seats} />}
    </Page>
  );
};

export default Health;
