import { Link, useLocation } from 'wouter-preact';
import { type Schema, useData, Button, hasRole } from '../ui.ts';
import { useOpen } from '../address.ts';
import { titleOf, WebhookState } from '../components/badges.tsx';
import { CreateWebhook } from '../components/create-webhook.tsx';
import { ListPage } from '../components/list.tsx';
import { type Column, RowTitle } from '../components/table.tsx';
import type { PageProps } from '../page-route.ts';
import { describeEvents } from '../webhook-events.ts';

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

const Webhooks = ({ slug }: PageProps) => {
  const [, go] = useLocation();
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
        <CreateWebhook
          slug={slug}
          onCreated={webhooks.reload}
          onStored={(id) => go(`/t/${slug}/settings/webhooks/${id}`)}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  );
};

export default Webhooks;
