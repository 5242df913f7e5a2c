import {
  eventFeed,
  nativeRoute,
  type PluginHost,
  type Route,
  DELIVERY_STATES,
  type DeliveryId,
  type DeliveryScope,
  eventsField,
  type Idempotency,
  idField,
  MAX_COUNTED,
  PAGE_FIELDS,
  pageOf,
  parseDeliveryId,
  raise,
  readRoute,
  type TenantId,
  timeField,
  writeRoute,
} from '../../src/plugin/api.js';
import {
  WEBHOOKS,
  DELIVERY_NOT_FOUND,
  WEBHOOK_DISABLED,
  WEBHOOK_NOT_FOUND,
} from './declarations.js';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  presentDelivery,
  presentRecovery,
  presentFullDelivery,
  WebhookDelivery,
  WebhookRecovery,
  FullWebhookDelivery,
} from './delivery-view.js';
import { maskQuery, webhookId } from './bodies.js';
import { allKeysOf, endedKeysOf, isActive, keyOf, type Registration } from './registration.js';
import { findRegistration, params, routing } from './routing.js';

/** The event log for clients that poll (architecture.md). */
export const listEvents = ({ events }: Pick<PluginHost, 'events'>): Route =>
  nativeRoute({
    ...eventFeed(events),
    scope: WEBHOOKS,
    operationId: 'listEvents',
    tag: 'Events',
  });

type Host = Pick<PluginHost, 'records' | 'deliveries' | 'actions'>;

const deliveryParams = z.object({
  id: webhookId,
  deliveryId: idField('The delivery id, sent as `X-Service-Delivery`.'),
});

const ownerOf = (tenantId: TenantId, registration: Registration): DeliveryScope => ({
  tenantId,
  keys: allKeysOf(registration),
  ended: endedKeysOf(registration),
});

const requireActive = (registration: Registration): void => {
  if (!isActive(registration))
    raise(WEBHOOK_DISABLED, 'The registration is disabled. Enable it, then retry.');
};

const deliveryNotFound = (): never =>
  raise(DELIVERY_NOT_FOUND, 'The registration has no delivery with this id.');

type FullDelivery = ReturnType<typeof presentFullDelivery>;

const masked = (delivery: FullDelivery): FullDelivery => ({
  ...delivery,
  attempts: delivery.attempts.map(({ request, ...attempt }) => ({
    ...attempt,
    request: request && { ...request, url: maskQuery(request.url) },
  })),
});

const deliveryIdIn = (text: string): DeliveryId => parseDeliveryId(text) ?? deliveryNotFound();

const at = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

const query = z.strictObject({
  event: eventsField()
    .optional()
    .describe('Only deliveries of events with these names, separated by commas.'),
  state: z.enum(DELIVERY_STATES).optional().describe('Only deliveries in this state.'),
  since: timeField().optional().describe('Only deliveries of events at or after this time.'),
  until: timeField().optional().describe('Only deliveries of events before this time.'),
  limit: PAGE_FIELDS.limit,
  offset: PAGE_FIELDS.offset
    .refine(
      (offset) => offset <= MAX_COUNTED,
      `must be at most ${MAX_COUNTED}: narrow the list with since and until`,
    )
    // The document has no rule for what refine checks.
    .meta({ maximum: MAX_COUNTED }),
});

const listDeliveries = (host: Host): Route =>
  readRoute({
    ...routing,
    path: '/webhooks/{id}/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries and their attempts',
    description:
      'Newest event first. Delivered and dropped deliveries are kept for 7 days, failed ones for ' +
      `30; \`total\` is counted up to ${MAX_COUNTED}. Events that wait for their first attempt are ` +
      'listed as pending.',
    params,
    query,
    responses: {
      200: {
        description: 'The deliveries.',
        body: pageOf('deliveries', WebhookDelivery, 'WebhookDeliveryList'),
      },
    },
    refusals: [WEBHOOK_NOT_FOUND],
    handler: async ({ caller: { tenant }, params: { id }, query: filters }) => {
      const { event, state, limit, offset } = filters;
      const [since, until] = [at(filters.since), at(filters.until)];
      const registration = await findRegistration(host, { tenant }, id);
      const { deliveries, total } = await host.deliveries.list({
        ...ownerOf(tenant.id, registration),
        ...(event && { events: event }),
        ...(state && { state }),
        ...(since && { since }),
        ...(until && { until }),
        limit,
        offset,
      });
      const page = deliveries.map(presentDelivery);
      return { status: 200, body: { deliveries: page, total, limit, offset } };
    },
  });

const readDelivery = (host: Host): Route =>
  readRoute({
    ...routing,
    path: '/webhooks/{id}/deliveries/{deliveryId}',
    operationId: 'getWebhookDelivery',
    summary: 'Get a delivery with its attempts',
    params: deliveryParams,
    responses: { 200: { description: 'The delivery.', body: FullWebhookDelivery } },
    refusals: [WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND],
    handler: async ({ caller: { tenant, isMasked }, params: { id, deliveryId } }) => {
      const owner = ownerOf(tenant.id, await findRegistration(host, { tenant }, id));
      const found = await host.deliveries.find(owner, deliveryIdIn(deliveryId));
      const shown = presentFullDelivery(found ?? deliveryNotFound());
      return { status: 200, body: isMasked ? masked(shown) : shown };
    },
  });

const redeliver = (host: Host): Route =>
  writeRoute({
    ...routing,
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    role: 'operator',
    operationId: 'redeliverWebhookDelivery',
    summary: 'Redeliver a delivery',
    description:
      'Queues the delivery again, with the same id and the full retry schedule. If it is waiting for ' +
      'a retry, it is sent now; if it is being sent, it is sent again after that. A receiver that stores delivery ids may ignore it as a duplicate.',
    params: deliveryParams,
    responses: {
      202: { description: 'The delivery, queued.', body: FullWebhookDelivery },
    },
    refusals: [WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, WEBHOOK_DISABLED],
    handler: async ({ caller, params: { id, deliveryId }, idempotency }) => {
      const { tenant, isMasked } = caller;
      const requeue = async (): Promise<FullDelivery> => {
        const registration = await findRegistration(host, { tenant }, id);
        const [owner, wanted] = [ownerOf(tenant.id, registration), deliveryIdIn(deliveryId)];
        requireActive(registration);
        const isRequeued = await host.deliveries.redeliver({
          ...owner,
          id: wanted,
          to: keyOf(registration),
        });
        if (!isRequeued) deliveryNotFound();
        const found = await host.deliveries.find(owner, wanted);
        return presentFullDelivery(found ?? deliveryNotFound());
      };
      const target = { tenantId: tenant.id, ...(idempotency && { idempotency }) };
      const { result, isReplay } = await host.actions.once(target, requeue);
      return { status: 202, body: isMasked ? masked(result as FullDelivery) : result, isReplay };
    },
  });

const RecoverBody = z
  .strictObject({
    since: timeField().describe('Deliveries that failed at or after this time are retried.'),
  })
  .meta({ id: 'RecoverWebhook', examples: [{ since: '2026-01-31T10:00:00.000Z' }] });

/** A UUID derived from a hash: a repeated request is the same recovery. */
const recoveryIdOf = (idempotency: Idempotency | undefined): string =>
  idempotency
    ? idempotency.id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
    : randomUUID();

const recover = (host: Host): Route =>
  writeRoute({
    ...routing,
    method: 'POST',
    path: '/webhooks/{id}/recover',
    role: 'operator',
    operationId: 'recoverWebhook',
    summary: 'Redeliver failed deliveries',
    description:
      'Queues all deliveries that failed since then, in the background: oldest first, with the same ' +
      'ids, each with the full retry schedule. Events that were dropped while the registration was ' +
      'disabled are not included; read them with `GET /events`.',
    params,
    body: RecoverBody,
    responses: { 202: { description: 'The recovery, which has started.', body: WebhookRecovery } },
    refusals: [WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED],
    handler: async ({ caller: { tenant }, params: { id }, body, idempotency }) => {
      const registration = await findRegistration(host, { tenant }, id);
      requireActive(registration);
      const since = new Date(body.since);
      const recovery = await host.deliveries.recover({
        ...ownerOf(tenant.id, registration),
        id: recoveryIdOf(idempotency),
        to: keyOf(registration),
        since,
      });
      if (recovery.since.getTime() !== since.getTime())
        raise('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used with another body.');
      return { status: 202, body: presentRecovery(recovery) };
    },
  });

const readRecovery = (host: Host): Route =>
  readRoute({
    ...routing,
    path: '/webhooks/{id}/recoveries/{recoveryId}',
    operationId: 'getWebhookRecovery',
    summary: 'Read the progress of a recovery',
    description: 'A recovery can be read for 7 days after it ends.',
    params: z.object({ id: webhookId, recoveryId: idField('The id of the recovery.') }),
    responses: { 200: { description: 'The recovery.', body: WebhookRecovery } },
    refusals: [WEBHOOK_NOT_FOUND, 'JOB_NOT_FOUND'],
    handler: async ({ caller: { tenant }, params: { id, recoveryId } }) => {
      const owner = ownerOf(tenant.id, await findRegistration(host, { tenant }, id));
      const found = await host.deliveries.findRecovery(owner, recoveryId.toLowerCase());
      const recovery =
        found ?? raise('JOB_NOT_FOUND', 'The registration has no recovery with this id.');
      return { status: 200, body: presentRecovery(recovery) };
    },
  });

/** What became of deliveries, and trying them again (decisions.md 7). */
export const deliveryRoutes = (host: Host): readonly Route[] =>
  [listDeliveries, readDelivery, redeliver, recover, readRecovery].map((declare) => declare(host));
