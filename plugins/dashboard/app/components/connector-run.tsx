import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import {
  isUnderway,
  type ItemKind,
  ITEM_KINDS,
  modeText,
  people,
  peopleOf,
  plannedText,
  RUN_STATES,
} from '../connectors.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useParams } from '../use-params.ts';
import { usePolling } from '../use-polling.ts';
import { withQuery } from '../with-query.ts';
import { Async } from './async.tsx';
import { Badge } from './badge.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Copyable } from './copy-button.tsx';
import { Empty } from './empty.tsx';
import { Note } from './note.tsx';
import { Facts, Page, Section } from './page.tsx';
import { CursorPager } from './pager.tsx';
import { type Column, Table } from './table.tsx';
import { Time } from './time.tsx';

const ITEMS = 100;

type Run = Schema<'ConnectorRun'>;
type PlanItem = Schema<'ConnectorPlanItem'>;

/** The path parameters of a run. */
interface RunPath {
  readonly slug: string;
  readonly connector: string;
  readonly run: string;
}

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const ItemChanges = ({
  item: { changes, groups, warnings, message },
}: {
  readonly item: PlanItem;
}) => (
  <ul class="change-list">
    {changes.map(({ attribute, before, after }) => (
      <li key={attribute}>
        <code class="path">{attribute}</code> <del>{textOf(before)}</del>{' '}
        <span aria-hidden="true">→</span> <ins>{textOf(after)}</ins>
      </li>
    ))}
    {groups.map(({ op, name }) => (
      <li key={`group ${name}`}>
        {op === 'add' ? 'joins' : 'leaves'} group <strong>{name}</strong>
      </li>
    ))}
    {warnings.map((warning) => (
      <li key={warning} class="quiet">
        {warning}
      </li>
    ))}
    {message !== null && <li class="change-problem">{message}</li>}
  </ul>
);

const OUTCOMES = {
  planned: undefined,
  applied: ['good', 'Applied'],
  failed: ['bad', 'Failed'],
  stale: ['neutral', 'Out of date'],
  skipped: ['neutral', 'Not applied'],
} as const;

const columnsOf = (slug: string): readonly Column<PlanItem>[] => [
  {
    title: 'Person',
    cell: ({ name, record, user_id: userId }) => (
      <span class="log-what">
        {userId === null ? (
          <strong>{name}</strong>
        ) : (
          <Link href={`/t/${slug}/users/${userId}`}>{name}</Link>
        )}
        <small>{record}</small>
      </span>
    ),
  },
  {
    title: 'Action',
    cell: ({ kind, why }) => (
      <span class="log-what">
        <span>
          <Badge tone={ITEM_KINDS[kind][0]}>{ITEM_KINDS[kind][1]}</Badge>
        </span>
        <small>{why}</small>
      </span>
    ),
  },
  { title: 'Changes', cell: (item) => <ItemChanges item={item} /> },
  {
    title: 'Outcome',
    cell: ({ outcome }) => {
      const words = OUTCOMES[outcome];
      return words ? <Badge tone={words[0]}>{words[1]}</Badge> : <span class="quiet">Planned</span>;
    },
  },
];

const PlanSection = ({ path, run }: { readonly path: RunPath; readonly run: Run }) => {
  const [{ from }, change] = useParams('from');
  const plan = useData('/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/plan', {
    path,
    query: { limit: ITEMS, after: from },
  });
  return (
    <Section
      title={run.state === 'done' ? 'Applied changes' : 'Plan'}
      lead={`${plannedText(run)}; ${run.unchanged} unchanged`}
      flush
    >
      <Async of={plan} lines={6}>
        {({ items, next }) =>
          items.length === 0 ? (
            <Empty icon="check" title="No changes" />
          ) : (
            <>
              <Table
                caption="Planned changes"
                columns={columnsOf(path.slug)}
                rows={items}
                keyOf={({ index }) => String(index)}
              />
              {(next !== null || from !== '') && (
                <CursorPager
                  count={people(items.length)}
                  isFirst={from === ''}
                  next={next}
                  onFirst={() => change({ from: '' })}
                  onNext={(cursor) => change({ from: cursor })}
                  words={['First', 'Next']}
                />
              )}
            </>
          )
        }
      </Async>
    </Section>
  );
};

const Decision = ({
  path,
  run,
  onDecided,
}: {
  readonly path: RunPath;
  readonly run: Run;
  readonly onDecided: () => void;
}) => {
  const [open, setOpen] = useState<'approve' | 'reject'>();
  const who = people(peopleOf(run));
  const deactivations = run.plan?.deactivations ?? 0;
  const decide = (decision: 'approve' | 'reject') => async () => {
    if (decision === 'reject')
      await gateway.post('/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/reject', {
        path,
      });
    else if (run.plan)
      await gateway.post('/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/approve', {
        path,
        body: { plan: run.plan.digest },
      });
    showToast(decision === 'approve' ? `Approved changes to ${who}` : `Rejected changes to ${who}`);
    onDecided();
  };
  if (run.state !== 'held' || !hasRole('operator')) return null;
  return (
    <>
      <button type="button" class="secondary" onClick={() => setOpen('reject')}>
        {`Reject for ${who}`}
      </button>
      <button type="button" class="danger" onClick={() => setOpen('approve')}>
        {`Approve for ${who}`}
      </button>
      {open === 'approve' && (
        <ConfirmDialog
          title={`Apply the plan to ${who}?`}
          action={`Approve for ${who}`}
          onConfirm={decide('approve')}
          onClose={() => setOpen(undefined)}
        >
          <p>This plan is applied once: {plannedText(run)}.</p>
          {deactivations > 0 && (
            <Note tone="warning">
              <p>{`${people(deactivations)} will lose access, and their seats become available.`}</p>
            </Note>
          )}
        </ConfirmDialog>
      )}
      {open === 'reject' && (
        <ConfirmDialog
          title={`Reject the plan for ${who}?`}
          action={`Reject for ${who}`}
          isDestructive={false}
          onConfirm={decide('reject')}
          onClose={() => setOpen(undefined)}
        >
          <p>
            Nothing is changed. The next run creates a new plan. Correct the source first, or that
            plan will need approval too.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
};

const Cancel = ({
  path,
  run,
  onCancelled,
}: {
  readonly path: RunPath;
  readonly run: Run;
  readonly onCancelled: () => void;
}) => {
  const [isOpen, setOpen] = useState(false);
  const cancel = async () => {
    await gateway.post('/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/cancel', {
      path,
    });
    showToast('Cancelled the run');
    onCancelled();
  };
  if (!isUnderway(run) || !hasRole('operator')) return null;
  return (
    <>
      <button type="button" class="secondary" onClick={() => setOpen(true)}>
        Cancel run
      </button>
      {isOpen && (
        <ConfirmDialog
          title="Cancel this run?"
          action="Cancel run"
          isDestructive={false}
          onConfirm={cancel}
          onClose={() => setOpen(false)}
        >
          <p>Changes that were applied stay. The next run continues from there.</p>
        </ConfirmDialog>
      )}
    </>
  );
};

const KINDS: readonly ItemKind[] = ['create', 'update', 'deactivate', 'missing'];

/** A run of a connector: why it is held, and its plan as a diff per person. */
export const ConnectorRun = ({
  path,
  up,
  onChanged,
}: {
  readonly path: RunPath;
  readonly up: { readonly href: string; readonly title: string };
  readonly onChanged: () => void;
}) => {
  const read = useData('/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}', { path });
  const run = read.data;
  usePolling(run ? isUnderway(run) : false, read.reload);
  const changed = () => {
    read.reload();
    onChanged();
  };
  return (
    <Page
      title={run?.plan_only === true ? 'Planned run' : 'Run'}
      up={up}
      lead={
        run && (
          <>
            <Badge tone={RUN_STATES[run.state][0]}>{RUN_STATES[run.state][1]}</Badge>
            {modeText(run)}
          </>
        )
      }
      actions={
        run && (
          <>
            <Decision path={path} run={run} onDecided={changed} />
            <Cancel path={path} run={run} onCancelled={changed} />
          </>
        )
      }
    >
      <Async of={read} lines={8}>
        {(shown) => (
          <>
            {shown.plan && shown.plan.findings.length > 0 && shown.state === 'held' ? (
              <Note tone="warning">
                <p>
                  <strong>This plan needs approval.</strong>
                </p>
                {shown.plan.findings.map(({ guard, message }) => (
                  <p key={guard}>{message}</p>
                ))}
                {shown.expires_at !== null && (
                  <p>
                    Approve it before <Time at={shown.expires_at} form="absolute" />.
                  </p>
                )}
              </Note>
            ) : (
              shown.message !== null && (
                <Note tone={shown.state === 'failed' ? 'bad' : 'info'}>
                  <p>{shown.message}</p>
                </Note>
              )
            )}
            {shown.warnings.length > 0 && (
              <Note tone="warning">
                {shown.warnings.map((warning) => (
                  <p key={warning}>{warning}</p>
                ))}
              </Note>
            )}
            <dl class="counts">
              {KINDS.map((kind) => (
                <div key={kind}>
                  <dt>{ITEM_KINDS[kind][1]}</dt>
                  <dd>{shown.planned[kind] ?? 0}</dd>
                </div>
              ))}
              <div>
                <dt>In quarantine</dt>
                <dd>{shown.failed}</dd>
              </div>
            </dl>
            {shown.plan ? (
              <PlanSection key={shown.state} path={path} run={shown} />
            ) : (
              <Section title="Plan">
                <Empty icon="clock" title={isUnderway(shown) ? 'Reading the source…' : 'No plan'}>
                  {isUnderway(shown) && <p>{`${shown.read} records so far.`}</p>}
                </Empty>
              </Section>
            )}
            <Section title="Details">
              <Facts
                of={[
                  ['Started', <Time key="s" at={shown.created_at} form="absolute" />],
                  ['Ended', <Time key="e" at={shown.finished_at} form="absolute" none="not yet" />],
                  ['Records read', shown.read],
                  ['Applied', shown.applied],
                  [
                    'Failed',
                    shown.failed === 0 ? (
                      'none'
                    ) : (
                      <Link key="f" href={up.href}>
                        {shown.failed === 1 ? '1 in quarantine' : `${shown.failed} in quarantine`}
                      </Link>
                    ),
                  ],
                  ...(shown.approved_by === null
                    ? []
                    : ([['Approved by', shown.approved_by]] as const)),
                  ['ID', <Copyable key="i" text={shown.id} what="the run ID" />],
                  [
                    'Log',
                    <Link key="l" href={withQuery(`/t/${path.slug}/log`, { request_id: shown.id })}>
                      View commands
                    </Link>,
                  ],
                ]}
              />
            </Section>
          </>
        )}
      </Async>
    </Page>
  );
};
