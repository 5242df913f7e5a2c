import { Link } from 'wouter-preact';
import { gateway, type Schema, useData, Note, Time, hasRole } from '../ui.ts';
import { StatusBadge } from '../components/badges.tsx';
import { ConfirmButton } from '../components/dialog.tsx';
import { List } from '../components/list.tsx';
import { Async, Page } from '../components/page.tsx';
import { useCursor } from '../components/pager.tsx';
import type { Column } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { WorkButton } from '../components/work-button.tsx';
import type { PageProps } from '../page-route.ts';
import { usePolling } from '../use-polling.ts';

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
  { title: 'Time', time: 'at' },
];

const Captured = ({ slug, isOn }: { readonly slug: string; readonly isOn: boolean }) => {
  const { cursor, paging } = useCursor();
  const requests = useData('/admin/v1/tenants/{slug}/requests', {
    path: { slug },
    query: { limit: 50, cursor },
  });
  usePolling(isOn && paging.isFirst, requests.reload);
  return (
    <List
      of={requests}
      rows={(page) => page.requests}
      caption="Requests, newest first"
      columns={columnsOf(slug)}
      lines={8}
      paging={{ ...paging, one: 'request', isAlways: (requests.data?.requests.length ?? 0) > 0 }}
      empty={{
        icon: 'pulse',
        title: isOn ? 'Waiting for the first request' : 'No requests captured',
        text: isOn
          ? 'Start a synchronisation in the identity provider. In Okta, use Force Sync; in Entra ID, use Provision on demand.'
          : 'Capture for 24 hours to see exactly what your identity provider sends, for example when an attribute is missing or a change is refused.',
      }}
    />
  );
};

const Requests = ({ slug }: PageProps) => {
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
          <WorkButton
            icon="pause"
            label="Stop capturing"
            class="secondary"
            work={() => set(false)}
          />
        ) : (
          <ConfirmButton
            icon="play"
            label="Capture for 24 hours"
            look=""
            title="Capture requests?"
            action="Capture for 24 hours"
            isDestructive={false}
            onConfirm={() => set(true)}
          >
            <p>
              For 24 hours, SCIM requests with this tenant's keys are stored, including their
              bodies. They contain personal data such as names and email addresses; keys, passwords
              and phone numbers are masked. Each request is deleted after 24 hours.
            </p>
          </ConfirmButton>
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
    </Page>
  );
};

export default Requests;
