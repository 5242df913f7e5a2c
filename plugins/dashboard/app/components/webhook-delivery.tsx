import { gateway, type Schema, useData, hasRole, Empty, Time } from '../ui.ts';
import { usePolling } from '../use-polling.ts';
import { Badge, StateBadge, type StateWords, titleOf } from './badges.tsx';
import { Code, Copyable, headersText } from './copy.tsx';
import { Async, Details, Page, Section } from './page.tsx';
import { showToast } from './toasts.tsx';
import { WorkButton } from './work-button.tsx';

type DeliveryState = Schema<'WebhookDelivery'>['state'];

export const DELIVERY_STATES: Readonly<Record<DeliveryState, StateWords>> = {
  pending: ['accent', 'Pending'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
  dropped: ['neutral', 'Dropped'],
};

/** Pending, after an attempt that failed. */
export const RETRYING: StateWords = ['warning', 'Retrying'];

export interface OfWebhook {
  readonly slug: string;
  readonly webhook: Schema<'Webhook'>;
}

/** The path parameters. */
export const pathOf = ({ slug, webhook }: OfWebhook) => ({ slug, id: webhook.id });

export const NextTry = ({ at }: { readonly at: string }) =>
  // In a moment, it is due.
  Date.parse(at) <= Date.now() + 5_000 ? (
    <>next attempt when the receiver is available</>
  ) : (
    <>
      next attempt <Time at={at} />
    </>
  );

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

/** The event at this place of the feed. */
export const EventBody = ({ slug, seq }: { readonly slug: string; readonly seq: number }) => {
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

/** The page of one delivery: its attempts and what was sent. */
export const DeliveryPage = ({
  slug,
  webhook,
  deliveryId,
}: OfWebhook & { readonly deliveryId: string }) => {
  const path = { ...pathOf({ slug, webhook }), deliveryId };
  const read = useData('/admin/v1/tenants/{slug}/webhooks/{id}/deliveries/{deliveryId}', { path });
  const isUnderway = read.data?.state === 'pending' && read.data.next_attempt_at === null;
  usePolling(isUnderway, read.reload);
  const redeliver = async () => {
    await gateway.post('/admin/v1/tenants/{slug}/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
      path,
    });
    showToast('Queued for redelivery with the same ID');
    read.reload();
  };
  return (
    <Page
      title={read.data?.event ?? 'Delivery'}
      up={{ href: `/t/${slug}/settings/webhooks/${webhook.id}`, title: titleOf(webhook) }}
      lead={read.data && <StateBadge of={DELIVERY_STATES[read.data.state]} />}
      actions={
        hasRole('operator') && (
          <WorkButton
            icon="refresh"
            label="Redeliver"
            disabled={webhook.status === 'disabled'}
            work={redeliver}
          />
        )
      }
    >
      <Async of={read} lines={8}>
        {(delivery) => (
          <div class="columns">
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
            <div>
              <Details
                of={[
                  ['Event time', <Time key="h" at={delivery.happened_at} form="absolute" />],
                  ['Sequence', delivery.seq],
                  ['Delivery ID', <Copyable key="d" text={delivery.id} what="the delivery ID" />],
                  ['Event ID', <Copyable key="e" text={delivery.event_id} what="the event ID" />],
                ]}
              />
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
