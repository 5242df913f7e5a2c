import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { asApiError } from '../api/api-error.ts';
import { gateway } from '../api/gateway.ts';
import type { Schema } from '../api/schema.ts';
import { useData } from '../api/use-data.ts';
import { Async } from '../components/async.tsx';
import { Badge, type Tone } from '../components/badge.tsx';
import { Code } from '../components/code.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { Copyable } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Empty } from '../components/empty.tsx';
import { EventPicker } from '../components/event-picker.tsx';
import { TextField } from '../components/fields.tsx';
import { ChoiceFilter, Filters } from '../components/filters.tsx';
import { FormDialog } from '../components/form-dialog.tsx';
import { headerChangesOf, HeaderFields, knownHeaders } from '../components/header-fields.tsx';
import { Icon } from '../components/icon.tsx';
import { Note } from '../components/note.tsx';
import { Facts, Page, Section } from '../components/page.tsx';
import { Pager } from '../components/pager.tsx';
import { PendingPage } from '../components/pending-page.tsx';
import { RecoverDialog } from '../components/recover-dialog.tsx';
import { RotateSecret } from '../components/rotate-secret.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { titleOf, WebhookState } from '../components/webhook-state.tsx';
import { oneOf } from '../one-of.ts';
import type { PageProps } from '../page-route.ts';
import { hasRole } from '../session.ts';
import { showToast } from '../toasts.ts';
import { useParams } from '../use-params.ts';
import { usePolling } from '../use-polling.ts';
import { describeEvents, EVENT_NAMES } from '../webhook-events.ts';

const LIMIT = 50;

type Webhook = Schema<'Webhook'>;
type Delivery = Schema<'WebhookDelivery'>;
type DeliveryState = Delivery['state'];
type WebhookTest = Schema<'WebhookTestResult'>;

const STATES: Readonly<Record<DeliveryState, readonly [tone: Tone, title: string]>> = {
  pending: ['accent', 'Pending'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
  dropped: ['neutral', 'Dropped'],
};

const STATE_NAMES = Object.keys(STATES) as readonly DeliveryState[];

const StateBadge = ({ state }: { readonly state: DeliveryState }) => {
  const [tone, title] = STATES[state];
  return <Badge tone={tone}>{title}</Badge>;
};

interface OfWebhook {
  readonly slug: string;
  readonly webhook: Webhook;
}

/** The path parameters. */
const pathOf = ({ slug, webhook }: OfWebhook) => ({ slug, id: webhook.id });

const attemptsText = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1);
  if (!last) return 'not sent yet';
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  return `${count}, ${last.status ?? last.fault ?? 'no response'}`;
};

const NextTry = ({ at }: { readonly at: string }) =>
  Date.parse(at) <= Date.now() ? (
    <>next attempt when the receiver is available</>
  ) : (
    <>
      next attempt <Time at={at} />
    </>
  );

const columnsOf = ({ slug, webhook }: OfWebhook): readonly Column<Delivery>[] => [
  {
    title: 'Event',
    cell: ({ id, event, seq }) => (
      <span class="log-what">
        <Link class="row-link" href={`/t/${slug}/settings/webhooks/${webhook.id}?delivery=${id}`}>
          <strong>{event}</strong>
        </Link>
        <small>{`#${seq}`}</small>
      </span>
    ),
  },
  { title: 'Status', cell: ({ state }) => <StateBadge state={state} /> },
  {
    title: 'Attempts',
    cell: (delivery) => (
      <span class="log-what">
        {attemptsText(delivery)}
        {delivery.next_attempt_at !== null && (
          <small>
            <NextTry at={delivery.next_attempt_at} />
          </small>
        )}
      </span>
    ),
  },
  { title: 'Time', kind: 'figure', cell: ({ happened_at: at }) => <Time at={at} /> },
];

const Deliveries = ({ slug, webhook }: OfWebhook) => {
  const [{ offset, state, event }, change] = useParams('offset', 'state', 'event');
  const [isRecovering, setRecovering] = useState(false);
  const deliveries = useData('/admin/v1/tenants/{slug}/webhooks/{id}/deliveries', {
    path: pathOf({ slug, webhook }),
    query: {
      limit: LIMIT,
      offset,
      state: oneOf(STATE_NAMES, state),
      event: oneOf(EVENT_NAMES, event),
    },
  });
  const isFiltered = state !== '' || event !== '';
  return (
    <Section
      title="Deliveries"
      lead="Kept for 7 days; failed deliveries for 30."
      flush
      actions={
        hasRole('operator') &&
        webhook.status === 'active' && (
          <button type="button" class="secondary small" onClick={() => setRecovering(true)}>
            Redeliver failed…
          </button>
        )
      }
    >
      <div class="card-filters">
        <Filters>
          <ChoiceFilter
            label="Status"
            all="All statuses"
            value={state}
            choices={Object.entries(STATES).map(([key, [, title]]) => [key, title] as const)}
            onChange={(next) => change({ state: next, offset: '' })}
          />
          <ChoiceFilter
            label="Event"
            all="All events"
            value={event}
            choices={EVENT_NAMES}
            onChange={(next) => change({ event: next, offset: '' })}
          />
          <button
            type="button"
            class="icon-button"
            aria-label="Refresh deliveries"
            title="Refresh"
            onClick={deliveries.reload}
          >
            <Icon name="refresh" />
          </button>
        </Filters>
      </div>
      <Async of={deliveries} lines={6}>
        {(page) =>
          page.deliveries.length === 0 ? (
            <Empty icon="inbox" title={isFiltered ? 'No matching deliveries' : 'No deliveries yet'}>
              <p>
                {isFiltered
                  ? 'Clear a filter to see more.'
                  : 'The next subscribed event appears here. Send a test event to check the receiver now.'}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption={`Deliveries to ${titleOf(webhook)}`}
                columns={columnsOf({ slug, webhook })}
                rows={page.deliveries}
                keyOf={({ id }) => id}
              />
              <Pager page={page} shown={page.deliveries.length} />
            </>
          )
        }
      </Async>
      {isRecovering && (
        <RecoverDialog
          path={pathOf({ slug, webhook })}
          onChanged={deliveries.reload}
          onClose={() => setRecovering(false)}
        />
      )}
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
    <Note tone={delivered ? 'good' : 'bad'}>
      <p>
        <strong>
          {delivered
            ? `The receiver accepted the test with ${status ?? 'no status'}.`
            : status === null
              ? 'The receiver did not respond.'
              : `The receiver rejected the test with ${status}.`}
        </strong>
      </p>
      <p>
        {error ??
          (delivered
            ? `It responded in ${duration} ms.`
            : 'A receiver must respond with a status from 200 to 299.')}
      </p>
    </Note>
    {body !== null && body !== '' && <Code of={body} what="the response body" />}
    <footer>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </footer>
  </Dialog>
);

const EditWebhook = ({
  slug,
  webhook,
  onChanged,
  onClose,
}: OfWebhook & { readonly onChanged: () => void; readonly onClose: () => void }) => {
  const [url, setUrl] = useState(webhook.url);
  const [description, setDescription] = useState(webhook.description ?? '');
  const [events, setEvents] = useState(webhook.events);
  const [headers, setHeaders] = useState(() => knownHeaders(webhook.header_names));
  return (
    <FormDialog
      wide
      title={`Edit ${titleOf(webhook)}`}
      action="Save changes"
      isBlocked={events.length === 0}
      onClose={onClose}
      onSubmit={async () => {
        await gateway.patch('/admin/v1/tenants/{slug}/webhooks/{id}', {
          path: pathOf({ slug, webhook }),
          body: {
            ...(url !== webhook.url && { url }),
            description: description === '' ? null : description,
            events,
            headers: headerChangesOf(headers),
          },
        });
        showToast('Saved the webhook');
        onChanged();
        onClose();
      }}
    >
      <TextField
        label="Endpoint URL"
        hint="Pending deliveries are sent to the new URL too. The query string is masked here and kept unless you change the URL."
        type="url"
        required
        maxLength={2_048}
        value={url}
        onChange={setUrl}
      />
      <TextField label="Name" maxLength={256} value={description} onChange={setDescription} />
      <EventPicker events={events} onChange={setEvents} />
      <HeaderFields rows={headers} onChange={setHeaders} />
      {webhook.header_names !== undefined && (
        <p class="quiet">
          If the URL changes to another host, re-enter or remove each header value.
        </p>
      )}
    </FormDialog>
  );
};

type Open = 'pause' | 'delete' | 'edit' | 'secret' | WebhookTest;

const Actions = ({ slug, webhook, onChanged }: OfWebhook & { readonly onChanged: () => void }) => {
  const [, go] = useLocation();
  const [open, setOpen] = useState<Open>();
  const [isTesting, setTesting] = useState(false);
  const path = pathOf({ slug, webhook });
  const close = () => setOpen(undefined);
  const test = async () => {
    setTesting(true);
    try {
      setOpen(await gateway.post('/admin/v1/tenants/{slug}/webhooks/{id}/test', { path }));
      onChanged();
    } catch (fault) {
      showToast(asApiError(fault).message, 'bad');
    } finally {
      setTesting(false);
    }
  };
  const setStatus = async (status: Webhook['status']) => {
    await gateway.patch('/admin/v1/tenants/{slug}/webhooks/{id}', { path, body: { status } });
    showToast(status === 'active' ? 'Resumed the webhook' : 'Paused the webhook');
    onChanged();
  };
  const name = titleOf(webhook);
  return (
    <>
      {hasRole('operator') && (
        <button
          type="button"
          class="secondary"
          aria-busy={isTesting}
          disabled={isTesting}
          onClick={() => void test()}
        >
          {!isTesting && <Icon name="bolt" />}
          Send test
        </button>
      )}
      {hasRole('admin') && (
        <>
          {webhook.status === 'active' ? (
            <button type="button" class="secondary" onClick={() => setOpen('pause')}>
              <Icon name="pause" />
              Pause
            </button>
          ) : (
            <button
              type="button"
              onClick={() =>
                void setStatus('active').catch((fault: unknown) =>
                  showToast(asApiError(fault).message, 'bad'),
                )
              }
            >
              <Icon name="play" />
              Resume
            </button>
          )}
          <button type="button" class="secondary" onClick={() => setOpen('edit')}>
            Edit
          </button>
          <button type="button" class="secondary" onClick={() => setOpen('secret')}>
            Rotate secret
          </button>
          <button type="button" class="secondary danger-text" onClick={() => setOpen('delete')}>
            Delete
          </button>
        </>
      )}
      {open === 'pause' && (
        <ConfirmDialog
          title={`Pause ${name}?`}
          action={`Pause webhook ${name}`}
          onConfirm={() => setStatus('disabled')}
          onClose={close}
        >
          <Note tone="warning">
            <p>
              <strong>Events are dropped while the webhook is paused.</strong> They are not queued,
              and pending retries are dropped too.
            </p>
          </Note>
          <p>
            To catch up later, the receiver can read the{' '}
            <Link href={`/t/${slug}/events`}>event feed</Link> from the last event it received.
          </p>
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action={`Delete webhook ${name}`}
          onConfirm={async () => {
            await gateway.delete('/admin/v1/tenants/{slug}/webhooks/{id}', { path });
            showToast(`Deleted webhook ${name}`);
            go(`/t/${slug}/settings/webhooks`);
          }}
          onClose={close}
        >
          <p>
            The receiver gets no more events, and pending retries are dropped. This cannot be
            undone.
          </p>
        </ConfirmDialog>
      )}
      {open === 'edit' && (
        <EditWebhook slug={slug} webhook={webhook} onChanged={onChanged} onClose={close} />
      )}
      {open === 'secret' && <RotateSecret path={path} name={name} onClose={close} />}
      {typeof open === 'object' && <TestDialog result={open} onClose={close} />}
    </>
  );
};

const headersText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const AttemptDetails = ({
  attempt: { at, duration_ms: duration, status, error, request: sent, response },
  number,
  isLast,
}: {
  readonly attempt: Schema<'WholeWebhookDelivery'>['attempts'][number];
  readonly number: number;
  readonly isLast: boolean;
}) => (
  <details class="event" open={isLast}>
    <summary>
      <Badge tone={error === null ? 'good' : 'bad'}>{status ?? 'No response'}</Badge>
      <span>
        {`Attempt ${number}, `}
        <Time at={at} form="absolute" />
      </span>
      <small>{`${duration} ms`}</small>
    </summary>
    {error !== null && <p>{error}</p>}
    {sent && (
      <>
        <h3>Request</h3>
        <Code of={`POST ${sent.url}\n${headersText(sent.headers)}`} what="the request" />
      </>
    )}
    {response && (
      <>
        <h3>Response</h3>
        <Code
          of={`${headersText(response.headers)}${response.body === null ? '' : `\n\n${response.body}`}`}
          what="the response"
        />
      </>
    )}
  </details>
);

const EventBody = ({ slug, seq }: { readonly slug: string; readonly seq: number }) => {
  const feed = useData('/admin/v1/tenants/{slug}/events', {
    path: { slug },
    query: { after: seq - 1, limit: 1 },
  });
  return (
    <Async of={feed} lines={6}>
      {({ events: [event] }) =>
        event?.seq === seq ? (
          <Code of={event} what="the event" />
        ) : (
          <p class="quiet">This event has been deleted.</p>
        )
      }
    </Async>
  );
};

const DeliveryPage = ({
  slug,
  webhook,
  deliveryId,
}: OfWebhook & { readonly deliveryId: string }) => {
  const [isBusy, setBusy] = useState(false);
  const path = { ...pathOf({ slug, webhook }), deliveryId };
  const read = useData('/admin/v1/tenants/{slug}/webhooks/{id}/deliveries/{deliveryId}', { path });
  const isUnderway = read.data?.state === 'pending' && read.data.next_attempt_at === null;
  usePolling(isUnderway || isBusy, read.reload);
  const redeliver = async () => {
    setBusy(true);
    try {
      await gateway.post(
        '/admin/v1/tenants/{slug}/webhooks/{id}/deliveries/{deliveryId}/redeliver',
        { path },
      );
      showToast('Queued for redelivery with the same ID');
      read.reload();
    } catch (fault) {
      showToast(asApiError(fault).message, 'bad');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Page
      title={read.data?.event ?? 'Delivery'}
      up={{ href: `/t/${slug}/settings/webhooks/${webhook.id}`, title: titleOf(webhook) }}
      lead={read.data && <StateBadge state={read.data.state} />}
      actions={
        hasRole('operator') && (
          <button
            type="button"
            aria-busy={isBusy}
            disabled={isBusy || webhook.status === 'disabled'}
            onClick={() => void redeliver()}
          >
            {!isBusy && <Icon name="refresh" />}
            Redeliver
          </button>
        )
      }
    >
      <Async of={read} lines={8}>
        {(delivery) => (
          <div class="columns">
            <div>
              <Section
                title="Attempts"
                lead={
                  delivery.next_attempt_at === null ? undefined : (
                    <NextTry at={delivery.next_attempt_at} />
                  )
                }
              >
                {delivery.attempts.length === 0 ? (
                  <Empty icon="clock" title="Not sent yet">
                    {delivery.error !== null && <p>{delivery.error}</p>}
                  </Empty>
                ) : (
                  delivery.attempts
                    .map((attempt, index) => (
                      <AttemptDetails
                        key={attempt.at}
                        attempt={attempt}
                        number={index + 1}
                        isLast={index + 1 === delivery.attempts.length}
                      />
                    ))
                    .toReversed()
                )}
              </Section>
            </div>
            <div>
              <Section title="Details">
                <Facts
                  of={[
                    ['Event time', <Time key="h" at={delivery.happened_at} form="absolute" />],
                    ['Sequence', delivery.seq],
                    ['Delivery ID', <Copyable key="d" text={delivery.id} what="the delivery ID" />],
                    ['Event ID', <Copyable key="e" text={delivery.event_id} what="the event ID" />],
                  ]}
                />
              </Section>
              <Section title="Payload" lead="Sent to the receiver.">
                <EventBody slug={slug} seq={delivery.seq} />
              </Section>
            </div>
          </div>
        )}
      </Async>
    </Page>
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
            {webhook.disabled_reason ?? 'The webhook is paused.'} After you resume it, the receiver
            can read missed events in the <Link href={`/t/${slug}/events`}>event feed</Link>.
          </p>
        </Note>
      )}
      <div class="columns">
        <div>
          <Deliveries slug={slug} webhook={webhook} />
        </div>
        <div>
          <Section title="Details">
            <Facts
              of={[
                ['Endpoint URL', <Copyable key="a" text={webhook.url} what="the URL" />],
                ['Events', describeEvents(webhook.events)],
                [
                  'Headers',
                  webhook.header_names?.join(', ') ?? (
                    <span class="quiet">default headers only</span>
                  ),
                ],
                ['Created', <Time key="c" at={webhook.created_at} form="absolute" />],
                ['ID', <Copyable key="i" text={webhook.id} what="the webhook ID" />],
              ]}
            />
          </Section>
        </div>
      </div>
    </Page>
  );
};

export default WebhookPage;
