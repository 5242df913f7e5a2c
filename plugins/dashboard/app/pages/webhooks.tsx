import { Link, useLocation } from 'wouter-preact';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useOpen } from '../address.ts';
import { useData } from '../api/use-data.ts';
import { titleOf, WebhookState } from '../components/badges.tsx';
import { Button } from '../components/button.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { EventPicker } from '../components/event-picker.tsx';
import { TextField, useFields } from '../components/fields.tsx';
import {
  HeaderFields,
  IncludeField,
  type HeaderRow,
  headersOf,
} from '../components/header-fields.tsx';
import { ListPage } from '../components/list.tsx';
import { showOnce } from '../components/shown-once.tsx';
import { type Column, RowTitle } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { describeEvents, type Subscription } from '../webhook-events.ts';

const columnsOf = (slug: string): readonly Column<Schema<'Webhook'>>[] => [
  {
    title: 'Webhook',
    cell: (webhook) => (
      <RowTitle
        href={`/t/${slug}/settings/webhooks/${webhook.id}`}
        title={titleOf(webhook)}
        detail={webhook.description !== null && webhook.url}
      />
    ),
  },
  { title: 'Status', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { title: 'Events', cell: ({ events }) => describeEvents(events) },
  { title: 'Created', time: 'created_at', isMinor: true },
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
  const { values, field } = useFields({
    url: '',
    description: '',
    events: ['*'] as readonly Subscription[],
    headers: [] as readonly HeaderRow[],
    include: [] as readonly 'user.custom'[],
  });
  const { url, description, events, headers, include } = values;
  return (
    <FormDialog
      wide
      title="Add webhook"
      action="Add webhook"
      isBlocked={events.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        const body = {
          url,
          events,
          headers: headersOf(headers),
          include: [...include],
          ...(description !== '' && { description }),
        };
        const { id, secret } = await gateway.post('/admin/v1/tenants/{slug}/webhooks', {
          path: { slug },
          body,
        });
        showOnce({
          title: 'Signing secret',
          secret,
          what: 'the signing secret',
          about: (
            <p>
              The receiver verifies deliveries with this secret. Next, send a test event from the
              webhook's page.
            </p>
          ),
          onStored: () => go(`/t/${slug}/settings/webhooks/${id}`),
        });
        onCreated();
        onClose();
      }}
    >
      <TextField
        label="Endpoint URL"
        hint="Must be HTTPS and publicly reachable, unless the configuration allows otherwise."
        type="url"
        required
        maxLength={2_048}
        placeholder="https://hooks.example.com/rollgate"
        {...field('url')}
      />
      <TextField
        label="Name"
        hint="Optional. Shown in this list."
        maxLength={256}
        {...field('description')}
      />
      <EventPicker {...field('events')} />
      <IncludeField {...field('include')} />
      <HeaderFields {...field('headers')} />
    </FormDialog>
  );
};

const Webhooks = ({ slug }: PageProps) => {
  const [isCreating, setCreating] = useOpen('create');
  const webhooks = useData('/admin/v1/tenants/{slug}/webhooks', { path: { slug } });
  const feed = `/t/${slug}/events`;
  return (
    <ListPage
      title="Webhooks"
      lead="Send every change to your programs as a signed event."
      actions={
        (webhooks.data?.webhooks.length ?? 0) > 0 && (
          <Link class="button-link" href={feed}>
            Event feed
          </Link>
        )
      }
      create={
        hasRole('admin') && (
          <Button icon="plus" label="Add webhook" onClick={() => setCreating(true)} />
        )
      }
      of={webhooks}
      rows={(page) => page.webhooks}
      isWhole
      caption="Webhooks"
      columns={columnsOf(slug)}
      empty={{
        icon: 'webhook',
        title: 'No webhooks yet',
        text: (
          <>
            Add an endpoint to receive changes as they happen. Programs can also poll the{' '}
            <Link href={feed}>event feed</Link>.
          </>
        ),
      }}
    >
      {isCreating && (
        <CreateWebhook slug={slug} onCreated={webhooks.reload} onClose={() => setCreating(false)} />
      )}
    </ListPage>
  );
};

export default Webhooks;
