import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { asApiError } from '../api/api-error.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Badge } from '../components/badge.tsx';
import { ConnectorRun } from '../components/connector-run.tsx';
import { Empty } from '../components/empty.tsx';
import { ChoiceCards, TextField } from '../components/fields.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { Note } from '../components/note.tsx';
import { Facts, Page, Section } from '../components/page.tsx';
import { CursorPager } from '../components/pager.tsx';
import { PendingPage } from '../components/pending-page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { CONNECTOR_STATES, isUnderway, modeText, plannedText, RUN_STATES } from '../connectors.ts';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useParams } from '../use-params.ts';
import { usePolling } from '../use-polling.ts';

const RUNS = 20;
const RECORDS = 50;

type Run = Schema<'ConnectorRun'>;
type QuarantinedRecord = Schema<'QuarantinedRecord'>;

interface OfConnector {
  readonly slug: string;
  readonly connector: Schema<'Connector'>;
}

/** The path parameters. */
const pathOf = ({ slug, connector }: OfConnector) => ({ slug, connector: connector.name });

const pageOf = ({ slug, connector }: OfConnector, run: string): string =>
  `/t/${slug}/connectors/${encodeURIComponent(connector.name)}?run=${run}`;

const runColumns = (of: OfConnector): readonly Column<Run>[] => [
  {
    title: 'Run',
    cell: (run) => (
      <span class="log-what">
        <Link class="row-link" href={pageOf(of, run.id)}>
          <Time at={run.created_at} />
        </Link>
        <small>{modeText(run)}</small>
      </span>
    ),
  },
  {
    title: 'Status',
    cell: ({ state }) => <Badge tone={RUN_STATES[state][0]}>{RUN_STATES[state][1]}</Badge>,
  },
  { title: 'Plan', cell: (run) => plannedText(run) },
  { title: 'Failed', kind: 'figure', isMinor: true, cell: ({ failed }) => failed },
  { title: 'Read', kind: 'figure', isMinor: true, cell: ({ read }) => read },
];

const Runs = (of: OfConnector) => {
  const [{ after }, change] = useParams('after');
  const runs = useData('/admin/v1/tenants/{slug}/connectors/{connector}/runs', {
    path: pathOf(of),
    query: { limit: RUNS, after },
  });
  usePolling(runs.data?.runs.some(isUnderway) ?? false, runs.reload);
  return (
    <Section title="Runs" flush>
      <Async of={runs} lines={5}>
        {({ runs: list, next }) =>
          list.length === 0 ? (
            <Empty icon="clock" title="No runs yet">
              <p>Choose “Plan only” to preview what the first run would change.</p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Runs, newest first"
                columns={runColumns(of)}
                rows={list}
                keyOf={({ id }) => id}
              />
              {(next !== null || after !== '') && (
                <CursorPager
                  count={list.length === 1 ? '1 run' : `${list.length} runs`}
                  isFirst={after === ''}
                  next={next}
                  onFirst={() => change({ after: '' })}
                  onNext={(cursor) => change({ after: cursor })}
                />
              )}
            </>
          )
        }
      </Async>
    </Section>
  );
};

const quarantineColumns = (
  act: (action: 'retry' | 'ignore', record: QuarantinedRecord) => void,
): readonly Column<QuarantinedRecord>[] => [
  {
    title: 'Record',
    cell: ({ name, record }) => (
      <span class="log-what">
        <strong>{name}</strong>
        {record !== name && <small>{record}</small>}
      </span>
    ),
  },
  {
    title: 'Reason',
    cell: ({ message, code }) => (
      <span class="log-what">
        {message}
        <code class="log-code">{code}</code>
      </span>
    ),
  },
  {
    title: 'Next retry',
    cell: ({ next_at: at, is_ignored: isIgnored, failures }) => (
      <span class="log-what">
        {isIgnored ? <Badge>Ignored</Badge> : <Time at={at} none="when the record changes" />}
        <small>{failures === 1 ? '1 failure' : `${failures} failures`}</small>
      </span>
    ),
  },
  ...(hasRole('operator')
    ? [
        {
          title: 'Actions',
          kind: 'actions' as const,
          cell: (record: QuarantinedRecord) => (
            <div role="group">
              <button
                type="button"
                class="secondary small"
                aria-label={`Retry ${record.name}`}
                onClick={() => act('retry', record)}
              >
                Retry
              </button>
              {!record.is_ignored && (
                <button
                  type="button"
                  class="secondary small"
                  aria-label={`Ignore ${record.name}`}
                  onClick={() => act('ignore', record)}
                >
                  Ignore
                </button>
              )}
            </div>
          ),
        },
      ]
    : []),
];

const Quarantine = ({ onChanged, ...of }: OfConnector & { readonly onChanged: () => void }) => {
  const records = useData('/admin/v1/tenants/{slug}/connectors/{connector}/quarantine', {
    path: pathOf(of),
    query: { limit: RECORDS },
  });
  const act = (action: 'retry' | 'ignore', { record, name }: QuarantinedRecord) => {
    const done = gateway.post(
      `/admin/v1/tenants/{slug}/connectors/{connector}/quarantine/${action}`,
      { path: pathOf(of), body: { record } },
    );
    done.then(
      () => {
        showToast(
          action === 'retry'
            ? `${name} will be retried in the next run`
            : `Ignoring ${name} until the record changes`,
        );
        records.reload();
        onChanged();
      },
      (fault: unknown) => showToast(asApiError(fault).message, 'bad'),
    );
  };
  return (
    <Section
      title="Quarantine"
      lead="Records that could not be applied. They are retried automatically."
      flush
    >
      <Async of={records} lines={3}>
        {({ records: list, next }) =>
          list.length === 0 ? (
            <Empty icon="check" title="No records in quarantine" />
          ) : (
            <>
              <Table
                caption="Records in quarantine"
                columns={quarantineColumns(act)}
                rows={list}
                keyOf={({ record }) => record}
              />
              {next !== null && (
                <p class="table-note">{`Showing the first ${list.length}. Correct these in the source to see more.`}</p>
              )}
            </>
          )
        }
      </Async>
    </Section>
  );
};

type Extent = 'full' | 'delta' | 'dates' | 'ids';

const StartRun = ({
  isPlanOnly,
  onClose,
  ...of
}: OfConnector & { readonly isPlanOnly: boolean; readonly onClose: () => void }) => {
  const [, go] = useLocation();
  const [extent, setExtent] = useState<Extent>('full');
  const [ids, setIds] = useState('');
  const records = ids.split(/[\s,;]+/).filter((id) => id !== '');
  const choices = [
    ['full', 'Full', 'Reads all records.'] as const,
    ...(of.connector.has_deltas
      ? [['delta', 'Incremental', 'Reads what changed since the last run.'] as const]
      : []),
    ['dates', 'Dates only', 'Applies start and end dates that have passed.'] as const,
    ['ids', 'Selected records', 'By their IDs in the source.'] as const,
  ];
  return (
    <FormDialog
      title={isPlanOnly ? `Plan a run of ${of.connector.name}` : `Run ${of.connector.name} now`}
      action={isPlanOnly ? 'Plan run' : 'Run now'}
      isBlocked={extent === 'ids' && records.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          plan_only: isPlanOnly,
          ...(extent === 'ids' ? { records } : { mode: extent }),
        };
        const run = await gateway.post('/admin/v1/tenants/{slug}/connectors/{connector}/runs', {
          path: pathOf(of),
          body,
        });
        onClose();
        go(pageOf(of, run.id));
      }}
    >
      <p>
        {isPlanOnly
          ? 'Previews the changes for each person. Nothing is applied.'
          : 'Applies the changes. If they exceed a limit, they need approval first.'}
      </p>
      <ChoiceCards
        legend="Scope"
        name="extent"
        value={extent}
        choices={choices}
        onChange={setExtent}
      />
      {extent === 'ids' && (
        <TextField
          label="Record IDs"
          hint="Separated by commas, up to 100."
          required
          value={ids}
          onChange={setIds}
        />
      )}
    </FormDialog>
  );
};

const Actions = ({ onChanged, ...of }: OfConnector & { readonly onChanged: () => void }) => {
  const [open, setOpen] = useState<'plan' | 'run'>();
  const [isChecking, setChecking] = useState(false);
  const { state, is_paused: isPaused } = of.connector;
  const check = async () => {
    setChecking(true);
    try {
      const result = await gateway.post('/admin/v1/tenants/{slug}/connectors/{connector}/check', {
        path: pathOf(of),
      });
      showToast(result.message, result.ok ? 'good' : 'bad');
    } catch (fault) {
      showToast(asApiError(fault).message, 'bad');
    } finally {
      setChecking(false);
    }
  };
  const setPaused = (pauses: boolean) => {
    const action = pauses ? 'pause' : 'resume';
    const done = gateway.post(`/admin/v1/tenants/{slug}/connectors/{connector}/${action}`, {
      path: pathOf(of),
    });
    done.then(
      () => {
        showToast(pauses ? 'Paused scheduled runs' : 'Resumed scheduled runs');
        onChanged();
      },
      (fault: unknown) => showToast(asApiError(fault).message, 'bad'),
    );
  };
  if (!hasRole('operator') || state === 'unusable' || state === 'disabled') return null;
  return (
    <>
      <button
        type="button"
        class="secondary"
        aria-busy={isChecking}
        disabled={isChecking}
        onClick={() => void check()}
      >
        Check source
      </button>
      {isPaused || state === 'quarantined' ? (
        <button type="button" class="secondary" onClick={() => setPaused(false)}>
          <Icon name="play" />
          Resume
        </button>
      ) : (
        <button type="button" class="secondary" onClick={() => setPaused(true)}>
          <Icon name="pause" />
          Pause
        </button>
      )}
      <button type="button" class="secondary" onClick={() => setOpen('plan')}>
        Plan only
      </button>
      <button type="button" onClick={() => setOpen('run')}>
        Run now
      </button>
      {open && <StartRun {...of} isPlanOnly={open === 'plan'} onClose={() => setOpen(undefined)} />}
    </>
  );
};

const Problem = (of: OfConnector) => {
  const { state, message, is_paused: isPaused, held_run: run } = of.connector;
  if (message === null) return null;
  return (
    <Note tone={state === 'unusable' || state === 'quarantined' ? 'bad' : 'warning'}>
      <p>
        <strong>{CONNECTOR_STATES[state][1]}.</strong> {message}
      </p>
      {run !== null && (
        <p>
          <Link href={pageOf(of, run)}>Review the plan</Link>
        </p>
      )}
      {isPaused && state !== 'paused' && <p>Its schedule is paused.</p>}
      {state === 'quarantined' && (
        <p>Because most records failed, it runs only once a day. Fix the cause, then resume it.</p>
      )}
      {state === 'unusable' && (
        <p>Fix its section in the configuration file, then restart the gateway.</p>
      )}
    </Note>
  );
};

const ConnectorPage = ({ slug, id }: PageProps) => {
  const [{ run }] = useParams('run');
  const read = useData('/admin/v1/tenants/{slug}/connectors/{connector}', {
    path: { slug, connector: id },
  });
  usePolling(read.data?.state === 'running', read.reload);
  const up = { href: `/t/${slug}/connectors`, title: 'Connectors' };
  if (!read.data) return <PendingPage of={read} kind="Connector" up={up} />;
  const connector = read.data;
  const of = { slug, connector };
  if (run !== '')
    return (
      <ConnectorRun
        key={run}
        path={{ ...pathOf(of), run }}
        up={{ href: `/t/${slug}/connectors/${encodeURIComponent(id)}`, title: connector.name }}
        onChanged={read.reload}
      />
    );
  const isUsable = connector.state !== 'unusable' && connector.state !== 'disabled';
  const [tone, title] = CONNECTOR_STATES[connector.state];
  return (
    <Page
      key="connector"
      title={connector.name}
      up={up}
      lead={<Badge tone={tone}>{title}</Badge>}
      actions={<Actions {...of} onChanged={read.reload} />}
    >
      <Problem {...of} />
      <div class="columns">
        <div>
          {isUsable && (
            <>
              <Runs key={connector.last_run} {...of} />
              <Quarantine key={connector.quarantined_records} {...of} onChanged={read.reload} />
            </>
          )}
        </div>
        <div>
          <Section title="Details">
            <Facts
              of={[
                ['Source', connector.title],
                ['Last success', <Time key="s" at={connector.last_success_at} />],
                [
                  'Next full run',
                  <Time key="f" at={connector.next_full_at} form="absolute" none="not scheduled" />,
                ],
                [
                  'Next incremental run',
                  connector.has_deltas ? (
                    <Time
                      key="d"
                      at={connector.next_delta_at}
                      form="absolute"
                      none="not scheduled"
                    />
                  ) : (
                    <span class="quiet">not supported by this source</span>
                  ),
                ],
                [
                  'Tested against',
                  connector.tried_against === 'server'
                    ? 'The vendor’s software'
                    : connector.tried_against === 'description'
                      ? 'A simulation of the vendor’s API'
                      : 'Unknown',
                ],
              ]}
            />
          </Section>
        </div>
      </div>
    </Page>
  );
};

export default ConnectorPage;
