import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { oneOf, useParams } from '../address.ts';
import { gateway, type Schema, useData, Button, Filters, Note, Sentence, Time } from '../ui.ts';
import { StateBadge, titleOf, WebhookState } from '../components/badges.tsx';
import { Code, Copyable } from '../components/copy.tsx';
import { ConfirmButton, Dialog, DialogButton } from '../components/dialog.tsx';
import { List } from '../components/list.tsx';
import { Details, Page, PendingPage, Section } from '../components/page.tsx';
import { RotateSecret } from '../components/rotate-secret.tsx';
import { SendAgainDialog } from '../components/send-again-dialog.tsx';
import { type Column, RowTitle, TwoLines } from '../components/table.tsx';
import { showToast } from '../components/toasts.tsx';
import {
  DELIVERY_STATES,
  DeliveryPage,
  NextTry,
  type OfWebhook,
  pathOf,
  RETRYING,
} from '../components/webhook-delivery.tsx';
import { WebhookActivity } from '../components/webhook-activity.tsx';
import { WebhookForm } from '../components/webhook-form.tsx';
import { WorkButton } from '../components/work-button.tsx';
import { counted } from '../counted.ts';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { usePolling } from '../use-polling.ts';
import { describeEvents, EVENT_NAMES } from '../webhook-events.ts';

type Webhook = Schema<'Webhook'>;
type Delivery = Schema<'WebhookDelivery'>;
type WebhookTest = Schema<'WebhookTestResult'>;

const FILTERS = [
  {
    name: 'state',
    label: 'Status',
    all: 'All statuses',
    choices: Object.entries(DELIVERY_STATES).map(([key, [, title]]) => [key, title] as const),
  },
  { name: 'event', label: 'Event', all: 'All events', choices: EVENT_NAMES },
] as const;

const STATE_NAMES = Object.keys(DELIVERY_STATES) as readonly Delivery['state'][];

const attemptsText = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1);
  if (!last) return 'not sent yet';
  return `${counted(attempts.length, 'attempt')}: ${last.error ?? `${last.status}`}`;
};

const stateOf = ({ state, attempts }: Delivery) =>
  state === 'pending' && attempts.length > 0 ? RETRYING : DELIVERY_STATES[state];

/** While the webhook fails, what has failed comes first. */
const inOrder = (page: readonly Delivery[], isFailing: boolean): readonly Delivery[] => {
  const hasFailed = ({ state, attempts }: Delivery) =>
    state === 'failed' || (state === 'pending' && attempts.length > 0);
  if (!isFailing) return page;
  return [...page.filter(hasFailed), ...page.filter((one) => !hasFailed(one))];
};

const columnsOf = ({ slug, webhook }: OfWebhook): readonly Column<Delivery>[] => [
  {
    title: 'Event',
    cell: ({ id, event, seq, subject }) => (
      <RowTitle
        href={`/t/${slug}/settings/webhooks/${webhook.id}?delivery=${id}`}
        title={event}
        detail={subject || `#${seq}`}
      />
    ),
  },
  { title: 'Status', cell: (delivery) => <StateBadge of={stateOf(delivery)} /> },
  {
    title: 'Attempts',
    cell: (delivery) => (
      <TwoLines
        detail={delivery.next_attempt_at !== null && <NextTry at={delivery.next_attempt_at} />}
      >
        {attemptsText(delivery)}
      </TwoLines>
    ),
  },
  { title: 'Time', time: 'happened_at' },
];

const Deliveries = ({ slug, webhook, onSent }: OfWebhook & { readonly onSent: () => void }) => {
  const [{ offset, ...filters }, change] = useParams('offset', 'state', 'event');
  const { state, event } = filters;
  const path = pathOf({ slug, webhook });
  const name = oneOf(EVENT_NAMES, event);
  const deliveries = useData('/admin/v1/tenants/{slug}/webhooks/{id}/deliveries', {
    path,
    query: {
      limit: 50,
      offset,
      state: oneOf(STATE_NAMES, state),
      event: name && [name],
    },
  });
  const isWaiting = deliveries.data?.deliveries.some((one) => one.state === 'pending') ?? false;
  const changed = () => {
    deliveries.reload();
    onSent();
  };
  usePolling(isWaiting, changed);
  return (
    <Section
      title="Deliveries"
      lead="Kept for 7 days; failed deliveries for 30."
      flush
      actions={
        hasRole('operator') &&
        webhook.status === 'active' && (
          <DialogButton icon="refresh" label="Send again now" class="secondary small">
            {(close) => <SendAgainDialog path={path} onChanged={changed} onClose={close} />}
          </DialogButton>
        )
      }
    >
      <Filters
        of={FILTERS}
        values={filters}
        onChange={(changes) => change({ ...changes, offset: '' })}
      >
        <Button
          icon="refresh"
          class="icon-button"
          aria-label="Refresh deliveries"
          title="Refresh"
          onClick={deliveries.reload}
        />
      </Filters>
      <List
        of={deliveries}
        rows={(page) => inOrder(page.deliveries, webhook.last_trigger_status === 'failed')}
        caption={`Deliveries to ${titleOf(webhook)}`}
        columns={columnsOf({ slug, webhook })}
        empty={{
          icon: 'inbox',
          ...(state === '' && event === ''
            ? {
                title: 'No deliveries yet',
                text: 'The next subscribed event appears here. Send a test event to check the receiver now.',
              }
            : { title: 'No matching deliveries', text: 'Clear a filter to see more.' }),
        }}
      />
    </Section>
  );
};

const TestDialog = ({
  result: { delivered, status, body, duration_ms: duration, error },
  onClose,
}: {
  readonly result: WebhookTest;
  readonly onClose: () => void;
}) => (
  <Dialog title="Test result" onClose={onClose}>
    <Note
      tone={delivered ? 'good' : 'bad'}
      title={
        delivered
          ? `The receiver accepted the test with ${status ?? 'no status'}.`
          : status === null
            ? 'The receiver did not respond.'
            : `The receiver rejected the test with ${status}.`
      }
      text={
        error ??
        (delivered
          ? `It responded in ${duration} ms.`
          : 'A receiver must respond with a status from 200 to 299.')
      }
    />
    {body !== null && body !== '' && <Code of={body} what="the response body" />}
    <footer>
      <Button label="Close" onClick={onClose} />
    </footer>
  </Dialog>
);

const Actions = ({ slug, webhook, onChanged }: OfWebhook & { readonly onChanged: () => void }) => {
  const [, go] = useLocation();
  const [result, setResult] = useState<WebhookTest>();
  const path = pathOf({ slug, webhook });
  const setStatus = async (status: Webhook['status']) => {
    await gateway.patch('/admin/v1/tenants/{slug}/webhooks/{id}', { path, body: { status } });
    showToast(status === 'active' ? 'Resumed the webhook' : 'Paused the webhook');
    onChanged();
  };
  const name = titleOf(webhook);
  return (
    <>
      {hasRole('operator') && (
        <WorkButton
          icon="bolt"
          label="Send test"
          class="secondary"
          work={async () => {
            setResult(await gateway.post('/admin/v1/tenants/{slug}/webhooks/{id}/test', { path }));
            onChanged();
          }}
        />
      )}
      {hasRole('admin') && (
        <>
          {webhook.status === 'active' ? (
            <ConfirmButton
              icon="pause"
              label="Pause"
              title={`Pause ${name}?`}
              action={`Pause webhook ${name}`}
              onConfirm={() => setStatus('disabled')}
            >
              <Note tone="warning">
                <p>
                  <strong>Events are dropped while the webhook is paused.</strong> They are not
                  queued, and pending retries are dropped too.
                </p>
              </Note>
              <p>
                To catch up later, the receiver can read the{' '}
                <Link href={`/t/${slug}/events`}>event feed</Link> from the last event it received.
              </p>
            </ConfirmButton>
          ) : (
            <WorkButton icon="play" label="Resume" work={() => setStatus('active')} />
          )}
          <DialogButton label="Edit" class="secondary">
            {(close) => (
              <WebhookForm slug={slug} webhook={webhook} onSaved={onChanged} onClose={close} />
            )}
          </DialogButton>
          <DialogButton label="Rotate secret" class="secondary">
            {(close) => <RotateSecret path={path} name={name} onClose={close} />}
          </DialogButton>
          <ConfirmButton
            label="Delete"
            look="secondary danger-text"
            title={`Delete ${name}?`}
            action={`Delete webhook ${name}`}
            onConfirm={async () => {
              await gateway.delete('/admin/v1/tenants/{slug}/webhooks/{id}', { path });
              showToast(`Deleted webhook ${name}`);
              go(`/t/${slug}/settings/webhooks`);
            }}
          >
            <p>
              The receiver gets no more events, and pending retries are dropped. This cannot be
              undone.
            </p>
          </ConfirmButton>
        </>
      )}
      {result && <TestDialog result={result} onClose={() => setResult(undefined)} />}
    </>
  );
};

const WebhookPage = ({ slug, id }: PageProps) => {
  const [{ delivery }] = useParams('delivery');
  const read = useData('/admin/v1/tenants/{slug}/webhooks/{id}', { path: { slug, id } });
  const up = { href: `/t/${slug}/settings/webhooks`, title: 'Webhooks' };
  if (!read.data) return <PendingPage of={read} kind="Webhook" up={up} />;
  const webhook = read.data;
  if (delivery !== '')
    return <DeliveryPage key={delivery} slug={slug} webhook={webhook} deliveryId={delivery} />;
  return (
    <Page
      key="webhook"
      title={titleOf(webhook)}
      up={up}
      lead={<WebhookState webhook={webhook} />}
      actions={<Actions slug={slug} webhook={webhook} onChanged={read.reload} />}
    >
      {webhook.status === 'disabled' && (
        <Note tone="warning">
          <p>
            <strong>Events are being dropped.</strong>{' '}
            <Sentence text={webhook.disabled_reason ?? 'The webhook is paused.'} /> After you resume
            it, the receiver can read missed events in the{' '}
            <Link href={`/t/${slug}/events`}>event feed</Link>.
          </p>
        </Note>
      )}
      {webhook.secret_rotation && (
        <Note>
          <p>
            <strong>The signing secret is being rotated.</strong> Both secrets sign until{' '}
            <Time at={webhook.secret_rotation.until} form="absolute" />.{' '}
            {webhook.secret_rotation.signed_with === 'old'
              ? 'Until then, X-Service-Signature is signed with the old secret; afterwards, with the new one.'
              : 'X-Service-Signature is signed with the new secret already.'}
          </p>
        </Note>
      )}
      <div class="columns">
        <div>
          <WebhookActivity key={webhook.last_trigger_status} slug={slug} webhook={webhook} />
          <Deliveries slug={slug} webhook={webhook} onSent={read.reload} />
        </div>
        <Details
          of={[
            ['Endpoint URL', <Copyable key="a" text={webhook.url} what="the URL" />],
            ['Events', describeEvents(webhook.events)],
            ['Includes', webhook.include?.join(', ')],
            [
              'Headers',
              webhook.header_names?.join(', ') ?? <span class="quiet">default headers only</span>,
            ],
            ['Created', <Time key="c" at={webhook.created_at} form="absolute" />],
            ['ID', <Copyable key="i" text={webhook.id} what="the webhook ID" />],
          ]}
        />
      </div>
    </Page>
  );
};

export default WebhookPage;
