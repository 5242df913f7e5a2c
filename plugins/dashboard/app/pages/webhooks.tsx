import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { CopyOnce } from '../components/copy-once.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { EventPicker } from '../components/event-picker.tsx';
import { TextField } from '../components/fields.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { HeaderFields, type HeaderRow, headersOf } from '../components/header-fields.tsx';
import { Icon } from '../components/icon.tsx';
import { Page } from '../components/page.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { titleOf, WebhookState } from '../components/webhook-state.tsx';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { describeEvents, type Subscription } from '../webhook-events.ts';

const columnsOf = (slug: string): readonly Column<Schema<'Webhook'>>[] => [
  {
    title: 'Webhook',
    cell: (webhook) => (
      <span class="log-what">
        <Link class="row-link" href={`/t/${slug}/settings/webhooks/${webhook.id}`}>
          <strong>{titleOf(webhook)}</strong>
        </Link>
        {webhook.description !== null && <small>{webhook.url}</small>}
      </span>
    ),
  },
  { title: 'Status', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { title: 'Events', cell: ({ events }) => describeEvents(events) },
  {
    title: 'Created',
    kind: 'figure',
    isMinor: true,
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];

const CreateWebhook = ({
  slug,
  onCreated,
  onClose,
}: {
  readonly slug: string;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}) => {
  const [, go] = useLocation();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<readonly Subscription[]>(['*']);
  const [headers, setHeaders] = useState<readonly HeaderRow[]>([]);
  const [created, setCreated] = useState<Schema<'CreatedWebhook'>>();
  if (created)
    return (
      <Dialog mustAnswer title="Signing secret" onClose={onClose}>
        <p>
          The receiver verifies deliveries with this secret. Next, send a test event from the
          webhook's page.
        </p>
        <CopyOnce
          secret={created.secret}
          what="the signing secret"
          onDone={() => go(`/t/${slug}/settings/webhooks/${created.id}`)}
        />
      </Dialog>
    );
  return (
    <FormDialog
      wide
      title="Add webhook"
      action="Add webhook"
      isBlocked={events.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        setCreated(
          await gateway.post('/admin/v1/tenants/{slug}/webhooks', {
            path: { slug },
            body: {
              url,
              events,
              headers: headersOf(headers),
              ...(description !== '' && { description }),
            },
          }),
        );
        onCreated();
      }}
    >
      <TextField
        label="Endpoint URL"
        hint="Must be HTTPS and publicly reachable, unless the configuration allows otherwise."
        type="url"
        required
        maxLength={2_048}
        placeholder="https://hooks.example.com/rollgate"
        value={url}
        onChange={setUrl}
      />
      <TextField
        label="Name"
        hint="Optional. Shown in this list."
        maxLength={256}
        value={description}
        onChange={setDescription}
      />
      <EventPicker events={events} onChange={setEvents} />
      <HeaderFields rows={headers} onChange={setHeaders} />
    </FormDialog>
  );
};

const Webhooks = ({ slug }: PageProps) => {
  const [isCreating, setCreating] = useState(false);
  const webhooks = useData('/admin/v1/tenants/{slug}/webhooks', { path: { slug } });
  const hasSome = (webhooks.data?.webhooks.length ?? 0) > 0;
  const createButton = hasRole('admin') && (
    <button type="button" onClick={() => setCreating(true)}>
      <Icon name="plus" />
      Add webhook
    </button>
  );
  return (
    <Page
      title="Webhooks"
      lead="Send every change to your programs as a signed event."
      actions={
        hasSome && (
          <>
            <Link class="button-link" href={`/t/${slug}/events`}>
              Event feed
            </Link>
            {createButton}
          </>
        )
      }
    >
      <Async of={webhooks} lines={6}>
        {({ webhooks: list }) =>
          list.length === 0 ? (
            <Empty icon="webhook" title="No webhooks yet">
              <p>
                Add an endpoint to receive changes as they happen. Programs can also poll the{' '}
                <Link href={`/t/${slug}/events`}>event feed</Link>.
              </p>
              {createButton}
            </Empty>
          ) : (
            <Table
              caption="Webhooks"
              columns={columnsOf(slug)}
              rows={list}
              keyOf={({ id }) => id}
            />
          )
        }
      </Async>
      {isCreating && (
        <CreateWebhook slug={slug} onCreated={webhooks.reload} onClose={() => setCreating(false)} />
      )}
    </Page>
  );
};

export default Webhooks;
