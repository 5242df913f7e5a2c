import { Link } from 'wouter-preact';
import { withQuery } from '../address.ts';
import { addressOf } from '../api/address-of.ts';
import { gateway, type Schema, useData, hasRole, Empty, Note, Time } from '../ui.ts';
import {
  isUnderway,
  ITEM_KINDS,
  type ItemKind,
  modeText,
  people,
  peopleOf,
  plannedText,
  planText,
  runStateOf,
} from '../connectors.ts';
import { usePolling } from '../use-polling.ts';
import { StateBadge, type StateWords } from './badges.tsx';
import { Copyable } from './copy.tsx';
import { ConfirmButton } from './dialog.tsx';
import { List } from './list.tsx';
import { Async, Details, Page, Section } from './page.tsx';
import { useCursorParam } from './pager.tsx';
import { type Column, TwoLines } from './table.tsx';
import { showToast } from './toasts.tsx';

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

export const ItemChanges = ({
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

const OUTCOMES: Readonly<Record<PlanItem['outcome'], StateWords | undefined>> = {
  planned: undefined,
  applied: ['good', 'Applied'],
  failed: ['bad', 'Failed'],
  stale: ['neutral', 'Out of date'],
  skipped: ['neutral', 'Not applied'],
};

const columnsOf = (slug: string): readonly Column<PlanItem>[] => [
  {
    title: 'Person',
    cell: ({ name, record, user_id: userId }) => (
      <TwoLines detail={record}>
        {userId === null ? (
          <strong>{name}</strong>
        ) : (
          <Link href={`/t/${slug}/users/${userId}`}>{name}</Link>
        )}
      </TwoLines>
    ),
  },
  {
    title: 'Action',
    cell: ({ kind, why }) => (
      <TwoLines detail={why}>
        <span>
          <StateBadge of={ITEM_KINDS[kind]} />
        </span>
      </TwoLines>
    ),
  },
  { title: 'Changes', cell: (item) => <ItemChanges item={item} /> },
  {
    title: 'Outcome',
    cell: ({ outcome }) => {
      const words = OUTCOMES[outcome];
      return words ? <StateBadge of={words} /> : <span class="quiet">Planned</span>;
    },
  },
];

const PlanSection = ({ path, run }: { readonly path: RunPath; readonly run: Run }) => {
  const { cursor, paging } = useCursorParam('from');
  const plan = useData('/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/plan', {
    path,
    query: { limit: 100, after: cursor },
  });
  return (
    <Section title={run.state === 'done' ? 'Changes' : 'Plan'} lead={planText(run)} flush>
      <List
        of={plan}
        rows={({ items }) => items}
        caption="Planned changes"
        columns={columnsOf(path.slug)}
        by="index"
        paging={{ ...paging, one: 'person', many: 'people', words: ['First', 'Next'] }}
        empty={{ icon: 'check', title: 'No changes' }}
      />
    </Section>
  );
};

/** What the first plan of a connector finds, before anything is applied. */
const FirstPlan = ({
  slug,
  of: { matched, new: created, only_here: count, only_here_users: users },
}: {
  readonly slug: string;
  readonly of: NonNullable<NonNullable<Run['plan']>['first']>;
}) => (
  <Section
    title="First plan"
    lead={`${people(matched)} matched with existing users, ${created} new, ${count} only here`}
  >
    {count === 0 ? (
      <p class="quiet">Every active user has a record.</p>
    ) : (
      <>
        <p>
          {matched === 0
            ? 'No record matches an existing user. If people are in both, check the rules that match them before you approve.'
            : 'The source has no record of these active users. Runs of this connector leave them alone.'}
        </p>
        <ul class="scopes cluster">
          {users.map(({ id, name }) => (
            <li key={id}>
              <Link href={`/t/${slug}/users/${id}`}>{name}</Link>
            </li>
          ))}
        </ul>
        {count > users.length && (
          <p class="quiet">{`The first ${users.length} of ${count} are listed.`}</p>
        )}
      </>
    )}
  </Section>
);

const RUN = '/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}';

/** Approves or rejects a plan that is held; cancels a run that is under way. */
const RunActions = ({
  path,
  run,
  onChanged,
}: {
  readonly path: RunPath;
  readonly run: Run;
  readonly onChanged: () => void;
}) => {
  const who = people(peopleOf(run));
  const deactivations = run.plan?.deactivations ?? 0;
  if (!hasRole('operator')) return null;
  if (isUnderway(run))
    return (
      <ConfirmButton
        label="Cancel run"
        title="Cancel this run?"
        action="Cancel run"
        isDestructive={false}
        onConfirm={async () => {
          await gateway.post(`${RUN}/cancel`, { path });
          showToast('Cancelled the run');
          onChanged();
        }}
      >
        <p>Changes that were applied stay. The next run continues from there.</p>
      </ConfirmButton>
    );
  if (run.state !== 'held') return null;
  return (
    <>
      <ConfirmButton
        label={`Reject for ${who}`}
        title={`Reject the plan for ${who}?`}
        action={`Reject for ${who}`}
        isDestructive={false}
        onConfirm={async () => {
          await gateway.post(`${RUN}/reject`, { path });
          showToast(`Rejected changes to ${who}`);
          onChanged();
        }}
      >
        <p>
          Nothing is changed. The next run creates a new plan. Correct the source first, or that
          plan will need approval too.
        </p>
      </ConfirmButton>
      <ConfirmButton
        label={`Approve for ${who}`}
        look="danger"
        title={`Apply the plan to ${who}?`}
        action={`Approve for ${who}`}
        onConfirm={async () => {
          const plan = run.plan?.digest;
          if (plan !== undefined) await gateway.post(`${RUN}/approve`, { path, body: { plan } });
          showToast(`Approved changes to ${who}`);
          onChanged();
        }}
      >
        <p>This plan is applied once: {plannedText(run)}.</p>
        {deactivations > 0 && (
          <Note tone="warning">
            <p>{`${people(deactivations)} will lose access, and their seats become available.`}</p>
          </Note>
        )}
      </ConfirmButton>
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
            <StateBadge of={runStateOf(run)} />
            {modeText(run)}
          </>
        )
      }
      actions={run && <RunActions path={path} run={run} onChanged={changed} />}
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
            <dl class="figures">
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
            {shown.plan?.first && <FirstPlan slug={path.slug} of={shown.plan.first} />}
            {shown.plan ? (
              <PlanSection key={shown.state} path={path} run={shown} />
            ) : (
              <Section title="Plan">
                <Empty icon="clock" title={isUnderway(shown) ? 'Reading the source…' : 'No plan'}>
                  {isUnderway(shown) && <p>{`${shown.read} records so far.`}</p>}
                </Empty>
              </Section>
            )}
            <Details
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
                      {`${shown.failed} in quarantine`}
                    </Link>
                  ),
                ],
                ...(shown.approved_by === null
                  ? []
                  : ([['Approved by', shown.approved_by]] as const)),
                ['ID', <Copyable key="i" text={shown.id} what="the run ID" />],
                ...(shown.plan
                  ? ([
                      [
                        'Report',
                        <a key="r" href={addressOf(`${RUN}/report`, { path })} download>
                          Download as CSV
                        </a>,
                      ],
                    ] as const)
                  : []),
                [
                  'Log',
                  <Link key="l" href={withQuery(`/t/${path.slug}/log`, { request_id: shown.id })}>
                    View commands
                  </Link>,
                ],
              ]}
            />
          </>
        )}
      </Async>
    </Page>
  );
};
