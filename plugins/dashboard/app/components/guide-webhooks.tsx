import { useState } from 'preact/hooks';
import { gateway, type Schema, useData, Button } from '../ui.ts';
import { attempt } from '../use-action.ts';
import { describeEvents } from '../webhook-events.ts';
import { titleOf, WebhookState } from './badges.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { ConfirmButton } from './dialog.tsx';
import { ListPage } from './list.tsx';
import { type Column, TwoLines } from './table.tsx';
import { showToast } from './toasts.tsx';

type Webhook = Schema<'Webhook'>;

const test = async (slug: string, id: string): Promise<void> => {
  const { delivered, status, error } = await gateway.post(
    '/admin/v1/tenants/{slug}/webhooks/{id}/test',
    { path: { slug, id } },
  );
  if (delivered) showToast('Delivered the test event');
  else showToast(error ?? `The receiver responded with ${status ?? 'nothing'}.`, 'bad');
};

const columnsOf = (slug: string, onChanged: () => void): readonly Column<Webhook>[] => [
  {
    title: 'Webhook',
    cell: (webhook) => (
      <TwoLines detail={webhook.description !== null && webhook.url}>{titleOf(webhook)}</TwoLines>
    ),
  },
  { title: 'Status', cell: (webhook) => <WebhookState webhook={webhook} /> },
  { title: 'Events', isMinor: true, cell: ({ events }) => describeEvents(events) },
  {
    title: 'Actions',
    kind: 'actions',
    cell: (webhook) => (
      <>
        <Button
          label="Send a test"
          class="secondary small"
          aria-label={`Send a test to ${titleOf(webhook)}`}
          onClick={() => void attempt(() => test(slug, webhook.id)).then(onChanged)}
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

/** Webhooks of the customer; those of the operator are not listed. */
const Webhooks = ({ slug }: { readonly slug: string }) => {
  const [isCreating, setCreating] = useState(false);
  const webhooks = useData('/admin/v1/tenants/{slug}/webhooks', { path: { slug } });
  return (
    <ListPage
      title="Webhooks"
      lead="Send every change to your programs as a signed event."
      create={<Button icon="plus" label="Add webhook" onClick={() => setCreating(true)} />}
      of={webhooks}
      rows={(page) => page.webhooks}
      isWhole
      caption="Webhooks"
      columns={columnsOf(slug, webhooks.reload)}
      empty={{
        icon: 'webhook',
        title: 'No webhooks yet',
        text: 'Add an endpoint to receive changes as they happen.',
      }}
    >
      {isCreating && (
        <CreateWebhook
          slug={slug}
          onCreated={webhooks.reload}
          onStored={() => undefined}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  );
};

export default Webhooks;
