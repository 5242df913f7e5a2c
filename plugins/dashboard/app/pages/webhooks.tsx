import { Link, useLocation } from 'wouter-preact';
import { type Schema, useData, Button, hasRole, gateway, isSetupSession } from '../ui.ts';
import { useOpen } from '../address.ts';
import { titleOf, WebhookState } from '../components/badges.tsx';
import { ListPage } from '../components/list.tsx';
import { ConfirmButton } from '../components/dialog.tsx';
import { type Column, RowTitle } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import { WebhookForm } from '../components/webhook-form.tsx';
import { WorkButton } from '../components/work-button.tsx';
import type { PageProps } from '../page-route.ts';
import { describeEvents } from '../webhook-events.ts';

type Webhook = Schema<'Webhook'>;

const test = async (slug: string, id: string): Promise<void> => {
  const { delivered, status, error } = await gateway.post(
    '/admin/v1/tenants/{slug}/webhooks/{id}/test',
    { path: { slug, id } },
  );
  if (delivered) showToast('Delivered the test event');
  else showToast(error ?? `The receiver responded with ${status ?? 'nothing'}.`, 'bad');
};

const columnsOf = (slug: string): readonly Column<Webhook>[] => [
  {
    title: 'Webhook',
    cell: (webhook) => (
      <RowTitle
        // A customer's administrator has no page of a webhook.
        {...(!isSetupSession() && { href: `/t/${slug}/settings/webhooks/${webhook.id}` })}
        title={titleOf(webhook)}
        detail={webhook.description !== null && webhook.url}
      />
    ),
  },
  { title: 'Status', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { title: 'Events', cell: ({ events }) => describeEvents(events) },
  { title: 'Created', time: 'created_at', isMinor: true },
];

const customersColumns = (slug: string, onChanged: () => void): readonly Column<Webhook>[] => [
  ...columnsOf(slug),
  {
    title: 'Actions',
    kind: 'actions',
    cell: (webhook) => (
      <>
        <WorkButton
          label="Send a test"
          class="secondary small"
          aria-label={`Send a test to ${titleOf(webhook)}`}
          work={() => test(slug, webhook.id).finally(onChanged)}
        />
        <ConfirmButton
          label="Delete"
          about={`Delete ${titleOf(webhook)}`}
          look="secondary small"
          title={`Delete ${titleOf(webhook)}?`}
          action="Delete webhook"
          onConfirm={async () => {
            await gateway.delete('/admin/v1/tenants/{slug}/webhooks/{id}', {
              path: { slug, id: webhook.id },
            });
            onChanged();
          }}
        >
          <p>Pending deliveries are dropped.</p>
        </ConfirmButton>
      </>
    ),
  },
];

/** The webhooks of a tenant; of those, a customer gets the ones that they have added. */
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
        !isSetupSession() &&
        (webhooks.data?.webhooks.length ?? 0) > 0 && <Link href={feed}>Event feed</Link>
      }
      create={
        (hasRole('admin') || isSetupSession()) && (
          <Button icon="plus" label="Add webhook" onClick={() => setCreating(true)} />
        )
      }
      of={webhooks}
      rows={(page) => page.webhooks}
      isWhole
      caption="Webhooks"
      columns={isSetupSession() ? customersColumns(slug, webhooks.reload) : columnsOf(slug)}
      empty={{
        icon: 'webhook',
        title: 'No webhooks yet',
        text: (
          <>
            Add an endpoint to receive changes as they happen.{' '}
            {!isSetupSession() && (
              <>
                Programs can also poll the <Link href={feed}>event feed</Link>.
              </>
            )}
          </>
        ),
      }}
    >
      {isCreating && (
        <WebhookForm
          slug={slug}
          onSaved={webhooks.reload}
          onStored={(id) => isSetupSession() || go(`/t/${slug}/settings/webhooks/${id}`)}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  );
};

export default Webhooks;
