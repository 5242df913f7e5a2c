import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { asApiError } from '../api/api-error.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { Icon } from '../components/icon.tsx';
import { Note } from '../components/note.tsx';
import { Page } from '../components/page.tsx';
import { CursorPager } from '../components/pager.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useCursor } from '../use-cursor.ts';
import { usePolling } from '../use-polling.ts';

const LIMIT = 50;

type ListedRequest = Schema<'CapturedRequestList'>['requests'][number];

const columnsOf = (slug: string): readonly Column<ListedRequest>[] => [
  {
    title: 'Request',
    cell: ({ id, method, path }) => (
      <Link class="row-link request-line" href={`/t/${slug}/requests/${id}`}>
        <code>{method}</code> {path}
      </Link>
    ),
  },
  { title: 'Response', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'User agent',
    isMinor: true,
    cell: ({ user_agent: agent }) => agent ?? <span class="quiet">unknown</span>,
  },
  {
    title: 'Duration',
    kind: 'figure',
    isMinor: true,
    cell: ({ duration_ms: ms }) => `${Math.round(ms)} ms`,
  },
  { title: 'Time', kind: 'figure', cell: ({ at }) => <Time at={at} /> },
];

const Captured = ({ slug, isOn }: { readonly slug: string; readonly isOn: boolean }) => {
  const { cursor, pager } = useCursor();
  const requests = useData('/admin/v1/tenants/{slug}/requests', {
    path: { slug },
    query: { limit: LIMIT, cursor },
  });
  usePolling(isOn && pager.isFirst, requests.reload);
  return (
    <Async of={requests} lines={8}>
      {({ requests: list, next }) =>
        list.length === 0 ? (
          <Empty
            icon="pulse"
            title={isOn ? 'Waiting for the first request' : 'No requests captured'}
          >
            <p>
              {isOn
                ? 'Start a synchronisation in the identity provider. In Okta, use Force Sync; in Entra ID, use Provision on demand.'
                : 'Capture for 24 hours to see exactly what your identity provider sends, for example when an attribute is missing or a change is refused.'}
            </p>
          </Empty>
        ) : (
          <>
            <Table
              caption="Requests, newest first"
              columns={columnsOf(slug)}
              rows={list}
              keyOf={({ id }) => id}
            />
            <CursorPager
              count={list.length === 1 ? '1 request' : `${list.length} requests`}
              next={next}
              {...pager}
            />
          </>
        )
      }
    </Async>
  );
};

const Requests = ({ slug }: PageProps) => {
  const [isAsking, setAsking] = useState(false);
  const capture = useData('/admin/v1/tenants/{slug}/request-capture', { path: { slug } });
  const isOn = capture.data?.enabled ?? false;
  const set = async (enabled: boolean) => {
    await gateway.put('/admin/v1/tenants/{slug}/request-capture', {
      path: { slug },
      body: { enabled },
    });
    showToast(enabled ? 'Capturing for 24 hours' : 'Stopped capturing');
    capture.reload();
  };
  return (
    <Page
      title="Requests"
      lead="Captured SCIM requests and their responses. Secrets and phone numbers are masked."
      actions={
        capture.data &&
        hasRole('operator') &&
        (isOn ? (
          <button
            type="button"
            class="secondary"
            onClick={() =>
              void set(false).catch((fault: unknown) => showToast(asApiError(fault).message, 'bad'))
            }
          >
            <Icon name="pause" />
            Stop capturing
          </button>
        ) : (
          <button type="button" onClick={() => setAsking(true)}>
            <Icon name="play" />
            Capture for 24 hours
          </button>
        ))
      }
    >
      <Async of={capture} lines={8}>
        {({ enabled, until }) => (
          <>
            {enabled && (
              <Note tone="info" icon="pulse">
                <p>
                  Capturing{' '}
                  {until !== null && (
                    <>
                      until <Time at={until} form="absolute" />
                    </>
                  )}
                  . Each request is deleted after 24 hours.
                </p>
              </Note>
            )}
            <Captured key={String(enabled)} slug={slug} isOn={enabled} />
          </>
        )}
      </Async>
      {isAsking && (
        <ConfirmDialog
          title="Capture requests?"
          action="Capture for 24 hours"
          isDestructive={false}
          onConfirm={() => set(true)}
          onClose={() => setAsking(false)}
        >
          <p>
            For 24 hours, SCIM requests with this tenant's keys are stored, including their bodies.
            They contain personal data such as names and email addresses; keys, passwords and phone
            numbers are masked. Each request is deleted after 24 hours.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
};

export default Requests;
