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
import { presentActivity, WebhookActivity } from './activity.js';
import type { OutcomeNotes } from './outcome-notes.js';
import {
  allKeysOf,
  endedKeysOf,
  isActive,
  keyOf,
  readRegistration,
  type Registration,
} from './registration.js';
import { findRegistration, params, routing } from './routing.js';

/** The event log for clients that poll (architecture.md). */
export const listEvents = ({ events }: Pick<PluginHost, 'events'>): Route =>
  nativeRoute({
    ...eventFeed(events),
    scope: WEBHOOKS,
    operationId: 'listEvents',
    tag: 'Events',
  });

type Host = Pick<PluginHost, 'records' | 'deliveries' | 'actions' | 'now'>;
type Outcomes = Pick<OutcomeNotes, 'activity'>;

const deliveryParams = z.object({
  id: webhookId,
  deliveryId: idField('The delivery id, sent as `X-Service-Delivery`.'),
});

const ownerOf = (tenantId: TenantId, ...registrations: Registration[]): DeliveryScope => ({
  tenantId,
  keys: registrations.flatMap(allKeysOf),
  ended: registrations.flatMap(endedKeysOf),
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

const LISTED =
  'Newest event first. Delivered and dropped deliveries are kept for 7 days, failed ones for ' +
  `30; \`total\` is counted up to ${MAX_COUNTED}. Events that wait for their first attempt are ` +
  'listed as pending.';

const listed = {
  200: {
    description: 'The deliveries.',
    body: pageOf('deliveries', WebhookDelivery, 'WebhookDeliveryList'),
  },
};

const listOf = async (
  { deliveries: source }: Host,
  owner: DeliveryScope,
  { event, state, limit, offset, ...filters }: z.output<typeof query>,
) => {
  const [since, until] = [at(filters.since), at(filters.until)];
  const { deliveries, total } = await source.list({
    ...owner,
    ...(event && { events: event }),
    ...(state && { state }),
    ...(since && { since }),
    ...(until && { until }),
    limit,
    offset,
  });
  return {
    status: 200,
    body: { deliveries: deliveries.map(presentDelivery), total, limit, offset },
  };
};

const listAll = (host: Host): Route =>
  readRoute({
    ...routing,
    path: '/deliveries',
    operationId: 'listDeliveries',
    summary: 'List deliveries of all webhooks',
    description: LISTED,
    query,
    responses: listed,
    handler: async ({ caller: { tenant }, query: filters }) => {
      const registrations = (await host.records.list(tenant.id)).map(readRegistration);
      return listOf(host, ownerOf(tenant.id, ...registrations), filters);
    },
  });

const listDeliveries = (host: Host): Route =>
  readRoute({
    ...routing,
    path: '/webhooks/{id}/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries and their attempts',
    description: LISTED,
    params,
    query,
    responses: listed,
    refusals: [WEBHOOK_NOT_FOUND],
    handler: async ({ caller: { tenant }, params: { id }, query: filters }) =>
      listOf(host, ownerOf(tenant.id, await findRegistration(host, { tenant }, id)), filters),
  });

const readActivity = (host: Host, outcomes: Outcomes): Route =>
  readRoute({
    ...routing,
    path: '/webhooks/{id}/activity',
    operationId: 'getWebhookActivity',
    summary: 'Read how deliveries went',
    description:
      'Attempts of the last 24 hours and 7 days, counted within about a second; a gateway that ' +
      'crashes loses those of its last second. Tests are not counted.',
    params,
    responses: { 200: { description: 'The attempts.', body: WebhookActivity } },
    refusals: [WEBHOOK_NOT_FOUND],
    handler: async ({ caller: { tenant }, params: { id } }) => {
      const registration = await findRegistration(host, { tenant }, id);
      const { activity, failing } = await outcomes.activity(tenant.id, registration.id);
      const since = failing?.epoch === registration.epoch ? failing.since : null;
      return { status: 200, body: presentActivity(activity, since, host.now()) };
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
export const deliveryRoutes = (host: Host, outcomes: Outcomes): readonly Route[] =>
  [listAll, listDeliveries, readActivity, readDelivery, redeliver, recover, readRecovery].map(
    (declare) => declare(host, outcomes),
  );
