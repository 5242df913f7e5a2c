import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { useParams } from '../address.ts';
import { addressOf } from '../api/address-of.ts';
import {
  gateway,
  type Schema,
  useData,
  counted,
  hasRole,
  Button,
  Empty,
  Note,
  Time,
} from '../ui.ts';
import { changedAtOnce, isUnderway, modeText, runStateOf, valueText } from '../connectors.ts';
import { usePolling } from '../use-polling.ts';
import { StateBadge, type StateWords } from './badges.tsx';
import { LogLink } from './commands.tsx';
import { Copyable } from './copy.tsx';
import { ConfirmButton } from './dialog.tsx';
import { List } from './list.tsx';
import { Async, Details, Facts, Page, Section } from './page.tsx';
import { useCursorParam } from './pager.tsx';
import { type Column, RowTitle } from './table.tsx';
import { showToast } from './toasts.tsx';

type Run = Schema<'ConnectorRun'>;
type PlanItem = Schema<'ConnectorPlanItem'>;
type PlanClass = PlanItem['class'];

/** In the reference, which every gateway serves. */
const MATCHING = '/docs/#getConnectorPlan';

/** The path parameters of a run. */
interface RunPath {
  readonly slug: string;
  readonly connector: string;
  readonly run: string;
}

export const ItemChanges = ({
  item: { changes, groups, warnings, message },
}: {
  readonly item: PlanItem;
}) => (
  <ul class="change-list">
    {changes.map(({ attribute, before, after }) => (
      <li key={attribute}>
        <code class="path">{attribute}</code> <del>{valueText(before)}</del>{' '}
        <span aria-hidden="true">→</span> <ins>{valueText(after)}</ins>
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
      <RowTitle
        title={name}
        detail={record}
        {...(userId !== null && { href: `/t/${slug}/users/${userId}` })}
      />
    ),
  },
  { title: 'Why', cell: ({ why }) => why },
  { title: 'Changes', cell: (item) => <ItemChanges item={item} /> },
  {
    title: 'Outcome',
    cell: ({ outcome }) => {
      const words = OUTCOMES[outcome];
      return words ? <StateBadge of={words} /> : <span class="quiet">Planned</span>;
    },
  },
];

/** The people of a class, who are named only once someone asks for them. */
const People = ({
  path,
  of,
  text,
}: {
  readonly path: RunPath;
  readonly of: PlanClass;
  readonly text: string;
}) => {
  const { cursor, paging } = useCursorParam('from');
  const plan = useData('/admin/v1/tenants/{slug}/connectors/{connector}/runs/{run}/plan', {
    path,
    query: { limit: 100, after: cursor, class: of },
  });
  return (
    <Section title="People" lead={text} flush>
      <List
        of={plan}
        rows={({ items }) => items}
        caption="People of the plan"
        columns={columnsOf(path.slug)}
        by="index"
        paging={{ ...paging, one: 'person', many: 'people', words: ['First', 'Next'] }}
        empty={{ icon: 'check', title: 'No people' }}
      />
    </Section>
  );
};

type Outlook = Run['outlook'];

/** What the plan does, in sentences; each with people opens their list. */
const OutlookList = ({
  of,
  actionOf,
}: {
  readonly of: Outlook;
  readonly actionOf?: (line: Outlook[number]['lines'][number]) => ComponentChildren;
}) => (
  <Facts
    of={of.map(({ when, title, lines }) => [
      title,
      <ul key={when} class="change-list">
        {lines.map((line) => (
          <li key={line.text} class="cluster">
            {line.text} {actionOf?.(line)}
          </li>
        ))}
      </ul>,
    ])}
  />
);

const PlanSections = ({ path, run }: { readonly path: RunPath; readonly run: Run }) => {
  const [{ class: chosen }, change] = useParams('class', 'from');
  const all = run.outlook.flatMap(({ lines }) => lines);
  const shown = all.find((line) => line.class === chosen);
  const first = run.plan?.first;
  return (
    <>
      <Section title={run.state === 'done' ? 'Changes' : 'Plan'}>
        <OutlookList
          of={run.outlook}
          actionOf={({ class: of, text }) => {
            if (of === null) return null;
            const label = of === chosen ? 'Hide people' : 'Show people';
            return (
              <Button
                label={label}
                class="secondary small"
                aria-label={`${label}: ${text}`}
                onClick={() => change({ class: of === chosen ? '' : of, from: '' })}
              />
            );
          }}
        />
        {first && <a href={MATCHING}>How records are matched with users</a>}
        {first && first.only_here_users.length > 0 && (
          <details>
            <summary>{`The first ${first.only_here_users.length} who are only here`}</summary>
            <ul class="scopes cluster">
              {first.only_here_users.map(({ id, name }) => (
                <li key={id}>
                  <Link href={`/t/${path.slug}/users/${id}`}>{name}</Link>
                </li>
              ))}
            </ul>
          </details>
        )}
      </Section>
      {shown?.class != null && (
        <People
          key={`${run.state} ${shown.class}`}
          path={path}
          of={shown.class}
          text={shown.text}
        />
      )}
    </>
  );
};

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
  const count = changedAtOnce(run);
  const approve = count === 0 ? 'Approve' : `Approve for ${counted(count, 'person', 'people')}`;
  const end = async (action: 'cancel' | 'reject', done: string) => {
    await gateway.post(`${RUN}/${action}`, { path });
    showToast(done);
    onChanged();
  };
  if (!hasRole('operator')) return null;
  if (isUnderway(run))
    return (
      <ConfirmButton
        label="Cancel run"
        title="Cancel this run?"
        action="Cancel run"
        isDestructive={false}
        onConfirm={() => end('cancel', 'Cancelled the run')}
      >
        <p>Changes that were applied stay. The next run continues from there.</p>
      </ConfirmButton>
    );
  if (run.state !== 'held') return null;
  return (
    <>
      <ConfirmButton
        label="Reject"
        title="Reject the plan?"
        action="Reject the plan"
        isDestructive={false}
        onConfirm={() => end('reject', 'Rejected the plan')}
      >
        <p>
          Nothing is changed. The next run creates a new plan. Correct the source first, or that
          plan will need approval too.
        </p>
      </ConfirmButton>
      <ConfirmButton
        label={approve}
        look={run.takes_access ? 'danger' : ''}
        isDestructive={run.takes_access}
        title="Apply this plan once?"
        action={approve}
        onConfirm={async () => {
          const plan = run.plan?.digest;
          if (plan !== undefined) await gateway.post(`${RUN}/approve`, { path, body: { plan } });
          showToast('Approved the plan');
          onChanged();
        }}
      >
        <OutlookList of={run.outlook.filter(({ when }) => when !== 'not')} />
      </ConfirmButton>
    </>
  );
};

/** A run of a connector: why it is held, and what its plan does. */
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
              <Note tone="warning" title="This plan needs approval.">
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
                <Note tone={shown.state === 'failed' ? 'bad' : 'info'} text={shown.message} />
              )
            )}
            {shown.warnings.length > 0 && (
              <Note tone="warning">
                {shown.warnings.map((warning) => (
                  <p key={warning}>{warning}</p>
                ))}
              </Note>
            )}
            {shown.plan ? (
              <PlanSections path={path} run={shown} />
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
                ['Approved by', shown.approved_by],
                ['ID', <Copyable key="i" text={shown.id} what="the run ID" />],
                [
                  'Report',
                  shown.plan && (
                    <a key="r" href={addressOf(`${RUN}/report`, { path })} download>
                      Download as CSV
                    </a>
                  ),
                ],
                ['Log', <LogLink key="l" slug={path.slug} of={{ request_id: shown.id }} />],
              ]}
            />
          </>
        )}
      </Async>
    </Page>
  );
};
