import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useParams } from '../address.ts';
import { gateway, type Schema, useData, Button, Note, Time, counted, hasRole } from '../ui.ts';
import { Badge, StateBadge } from '../components/badges.tsx';
import { ConnectorRun } from '../components/connector-run.tsx';
import { DialogButton, FormDialog } from '../components/dialog.tsx';
import { ChoiceCards, TextField } from '../components/fields.tsx';
import { List } from '../components/list.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import { useCursorParam } from '../components/pager.tsx';
import { type Column, RowTitle, TwoLines } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { WorkButton } from '../components/work-button.tsx';
import { CONNECTOR_STATES, isUnderway, modeText, runStateOf } from '../connectors.ts';
import type { PageProps } from '../page-route.ts';
import { attempt } from '../use-action.ts';
import { usePolling } from '../use-polling.ts';

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
      <TwoLines detail={modeText(run)}>
        <Link class="row-link" href={pageOf(of, run.id)}>
          <Time at={run.created_at} />
        </Link>
      </TwoLines>
    ),
  },
  { title: 'Status', cell: (run) => <StateBadge of={runStateOf(run)} /> },
  { title: 'Plan', cell: ({ summary }) => summary },
  { title: 'Failed', figure: 'failed', isMinor: true },
  { title: 'Read', figure: 'read', isMinor: true },
];

const Runs = (of: OfConnector) => {
  const { cursor: after, paging } = useCursorParam('after');
  const runs = useData('/admin/v1/tenants/{slug}/connectors/{connector}/runs', {
    path: pathOf(of),
    query: { limit: 20, after },
  });
  usePolling(runs.data?.runs.some(isUnderway) ?? false, runs.reload);
  return (
    <Section title="Runs" flush>
      <List
        of={runs}
        rows={(page) => page.runs}
        caption="Runs, newest first"
        columns={runColumns(of)}
        lines={5}
        paging={{ ...paging, one: 'run' }}
        empty={{
          icon: 'clock',
          title: 'No runs yet',
          text: 'Choose “Plan only” to see who is matched, who is new and who only exists here, before anything is applied.',
        }}
      />
    </Section>
  );
};

const quarantineColumns = (
  act: (action: 'retry' | 'ignore', record: QuarantinedRecord) => void,
): readonly Column<QuarantinedRecord>[] => [
  {
    title: 'Record',
    cell: ({ name, record }) => <RowTitle title={name} detail={record !== name && record} />,
  },
  {
    title: 'Reason',
    cell: ({ message, code }) => <TwoLines detail={<code>{code}</code>}>{message}</TwoLines>,
  },
  {
    title: 'Next retry',
    cell: ({ next_at: at, is_ignored: isIgnored, failures }) => (
      <TwoLines detail={counted(failures, 'failure')}>
        {isIgnored ? <Badge>Ignored</Badge> : <Time at={at} none="when the record changes" />}
      </TwoLines>
    ),
  },
  {
    title: 'Actions',
    kind: 'actions',
    role: 'operator',
    cell: (record) => (
      <div role="group">
        <Button
          label="Retry"
          class="secondary small"
          aria-label={`Retry ${record.name}`}
          onClick={() => act('retry', record)}
        />
        {!record.is_ignored && (
          <Button
            label="Ignore"
            class="secondary small"
            aria-label={`Ignore ${record.name}`}
            onClick={() => act('ignore', record)}
          />
        )}
      </div>
    ),
  },
];

const Quarantine = ({ onChanged, ...of }: OfConnector & { readonly onChanged: () => void }) => {
  const records = useData('/admin/v1/tenants/{slug}/connectors/{connector}/quarantine', {
    path: pathOf(of),
    query: { limit: 50 },
  });
  const act = (action: 'retry' | 'ignore', { record, name }: QuarantinedRecord) =>
    void attempt(async () => {
      await gateway.post(`/admin/v1/tenants/{slug}/connectors/{connector}/quarantine/${action}`, {
        path: pathOf(of),
        body: { record },
      });
      showToast(
        action === 'retry'
          ? `${name} will be retried in the next run`
          : `Ignoring ${name} until the record changes`,
      );
      records.reload();
      onChanged();
    });
  return (
    <Section
      title="Quarantine"
      lead="Records that could not be applied. They are retried automatically."
      flush
    >
      <List
        of={records}
        rows={(page) => page.records}
        caption="Records in quarantine"
        columns={quarantineColumns(act)}
        by="record"
        lines={3}
        empty={{ icon: 'check', title: 'No records in quarantine' }}
        after={({ records: list, next }) =>
          next !== null && (
            <p class="table-note">{`Showing the first ${list.length}. Correct these in the source to see more.`}</p>
          )
        }
      />
    </Section>
  );
};

const TRIED = {
  server: 'The vendor’s software',
  description: 'A simulation of the vendor’s API',
  unknown: 'Unknown',
} as const;

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
  const { state, is_paused: isPaused } = of.connector;
  const check = async () => {
    const result = await gateway.post('/admin/v1/tenants/{slug}/connectors/{connector}/check', {
      path: pathOf(of),
    });
    showToast(result.message, result.ok ? 'good' : 'bad');
  };
  const setPaused = (pauses: boolean) =>
    attempt(async () => {
      const action = pauses ? 'pause' : 'resume';
      await gateway.post(`/admin/v1/tenants/{slug}/connectors/{connector}/${action}`, {
        path: pathOf(of),
      });
      showToast(pauses ? 'Paused scheduled runs' : 'Resumed scheduled runs');
      onChanged();
    });
  const isStopped = isPaused || state === 'quarantined';
  if (!hasRole('operator') || state === 'unusable' || state === 'disabled') return null;
  return (
    <>
      <WorkButton label="Check source" class="secondary" work={check} />
      <Button
        icon={isStopped ? 'play' : 'pause'}
        label={isStopped ? 'Resume' : 'Pause'}
        class="secondary"
        onClick={() => void setPaused(!isStopped)}
      />
      <Link
        role="button"
        class="secondary"
        href={`/t/${of.slug}/connectors/${encodeURIComponent(of.connector.name)}/mapping`}
      >
        Mapping
      </Link>
      <DialogButton label="Plan only" class="secondary">
        {(close) => <StartRun {...of} isPlanOnly onClose={close} />}
      </DialogButton>
      <DialogButton label="Run now">
        {(close) => <StartRun {...of} isPlanOnly={false} onClose={close} />}
      </DialogButton>
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
  return (
    <Page
      key="connector"
      title={connector.name}
      up={up}
      lead={<StateBadge of={CONNECTOR_STATES[connector.state]} />}
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
        <Details
          of={[
            ['Source', connector.title],
            ['Last success', <Time key="s" at={connector.last_success_at} />],
            ...connector.deferred.map(
              ({ record, name, why }) => [`Deferred: ${name} (${record})`, why] as const,
            ),
            [
              'Next full run',
              <Time key="f" at={connector.next_full_at} form="absolute" none="not scheduled" />,
            ],
            [
              'Next incremental run',
              connector.has_deltas ? (
                <Time key="d" at={connector.next_delta_at} form="absolute" none="not scheduled" />
              ) : (
                <span class="quiet">not supported by this source</span>
              ),
            ],
            ['Tested against', TRIED[connector.tried_against ?? 'unknown']],
          ]}
        />
      </div>
    </Page>
  );
};

export default ConnectorPage;
