import { z } from 'zod';
import {
  type StoredAttempt,
  type OutboundResponse,
  type AttemptRecord,
  DELIVERY_STATES,
  type DeliveryRecord,
  EVENT_NAMES,
  idField,
  instantField,
  isJsonObject,
  isSuccess,
  type JsonObject,
  type Recovery,
  RECOVERY_STATES,
  textLike,
} from '../../src/plugin/api.js';
import type { Exchange } from './post-delivery.js';
import { idOfKey } from './registration.js';

/** How much of the response body of a failed attempt is stored; for a successful one, nothing. */
export const MAX_STORED_BODY = 4 * 1_024;

const MAX_STORED_HEADERS = 32;
const MAX_STORED_VALUE = 512;

/** The kind of failure; `status` if there was a response. */
const FAULTS = ['status', 'blocked', 'url', 'dns', 'connect', 'tls', 'timeout', 'broken'] as const;

const Headers = z.record(z.string(), z.string());

/** What lists show of an attempt. */
const AttemptSummary = z.object({
  status: z.int().nullable(),
  fault: z.enum(FAULTS).nullable(),
});

/** What is shown of it beside that. */
const AttemptDetails = z.object({
  request: z.object({ url: z.string(), headers: Headers }),
  response: z.object({ headers: Headers, body: z.string().nullable() }).nullable(),
});
export type AttemptDetails = z.output<typeof AttemptDetails>;

/** Cookies may hold secrets of the receiver. */
const SECRET = new Set(['set-cookie', 'set-cookie2', 'authorization']);

const storedHeaders = (received: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(received)
      .slice(0, MAX_STORED_HEADERS)
      .map(([name, value]) => [name, SECRET.has(name) ? '***' : value.slice(0, MAX_STORED_VALUE)]),
  );

const faultOf = (response: OutboundResponse): z.output<typeof AttemptSummary>['fault'] => {
  if (response.kind === 'unreachable') return response.fault;
  return isSuccess(response) ? null : 'status';
};

/** What is stored of an attempt, for the list of deliveries; no secrets. */
export const storedAttempt = ({ request, response }: Exchange): StoredAttempt => ({
  summary: {
    status: response.kind === 'responded' ? response.status : null,
    fault: faultOf(response),
  },
  details: {
    request: { url: request.url, headers: { ...request.headers } },
    response:
      response.kind === 'responded'
        ? {
            headers: storedHeaders(response.headers),
            body: isSuccess(response) ? null : response.body,
          }
        : null,
  },
});

const attempt = {
  at: instantField('When the attempt started.'),
  duration_ms: z.int().min(0),
  status: z.int().nullable().describe('The HTTP status of the response; null without a response.'),
  fault: z
    .enum(FAULTS)
    .nullable()
    .describe('The kind of failure; null if the attempt succeeded or the kind is unknown.'),
  error: z.string().nullable().describe('The failure as a message; null if the attempt succeeded.'),
};

const details = {
  request: z
    .object({ url: z.string(), headers: Headers })
    .nullable()
    .describe('The request; signatures, values of your headers and the query are masked as `***`.'),
  response: z
    .object({
      headers: Headers,
      body: z.string().nullable().describe('The first 4 KiB; null if the attempt succeeded.'),
    })
    .nullable()
    .describe('The response; null if there was none.'),
};

const delivery = {
  id: idField('The value of `X-Service-Delivery`.'),
  webhook_id: idField('The id of the webhook.'),
  event: z.enum(EVENT_NAMES),
  event_id: idField('The id in the envelope.'),
  seq: z.int().describe('The position of the event in the log.'),
  subject: textLike('Ada Lovelace')
    .nullable()
    .describe('What the event is about, by name; null if the event has been deleted.'),
  happened_at: instantField('When the event happened.'),
  state: z
    .enum(DELIVERY_STATES)
    .describe('`dropped`: the registration was disabled before the delivery.'),
  next_attempt_at: instantField(
    'When the next attempt will be due; null if it is due or in flight, or the delivery has ended.',
  ).nullable(),
  error: z.string().nullable().describe('Why it has not been delivered, if known.'),
};

/** A delivery as lists show it. */
export const WebhookDelivery = z
  .strictObject({ ...delivery, attempts: z.array(z.strictObject(attempt)) })
  .meta({ id: 'WebhookDelivery' });

/** A delivery with all that is kept of its attempts. */
export const FullWebhookDelivery = z
  .strictObject({ ...delivery, attempts: z.array(z.strictObject({ ...attempt, ...details })) })
  .meta({ id: 'WholeWebhookDelivery' });

export const WebhookRecovery = z
  .strictObject({
    id: idField('The id of the recovery.'),
    since: instantField('Deliveries that failed at or after this time are retried.'),
    state: z.enum(RECOVERY_STATES).describe('`stopped`: the registration was disabled or deleted.'),
    recovered: z.int().min(0).describe('Number of deliveries queued again; 0 until it has ended.'),
    created_at: instantField('When the recovery was requested.'),
    finished_at: instantField('When the recovery ended; null while it runs.').nullable(),
  })
  .meta({
    id: 'WebhookRecovery',
    examples: [
      {
        id: '3f2e1d0c-9b8a-4c7d-8e6f-5a4b3c2d1e0f',
        since: '2026-01-31T10:00:00.000Z',
        state: 'done',
        recovered: 500,
        created_at: '2026-01-31T12:00:00.000Z',
        finished_at: '2026-01-31T12:00:01.204Z',
      },
    ],
  });

const presentAttempt = ({ at, ms, reason, kept }: AttemptRecord) => {
  const { status, fault } = AttemptSummary.catch({ status: null, fault: null }).parse(
    kept?.summary,
  );
  return { at: at.toISOString(), duration_ms: ms, status, fault, error: reason };
};

const presentFullAttempt = (record: AttemptRecord) => {
  const { request, response } = AttemptDetails.nullable()
    .catch(null)
    .parse(record.kept?.details ?? null) ?? { request: null, response: null };
  return { ...presentAttempt(record), request, response };
};

/** A person and where to: `Ada Lovelace → Dispatch`; or the name of what has changed. */
const subjectOf = ({ user, room, group, list }: JsonObject): string => {
  const names = [user, room, group, list].flatMap((part) => {
    const { name, display_name: displayName } = isJsonObject(part) ? part : {};
    const shown = name ?? displayName;
    return typeof shown === 'string' ? [shown] : [];
  });
  return names.join(' → ');
};

const presentFields = ({ id, key, event, state, nextAt, last }: DeliveryRecord) => ({
  id,
  webhook_id: idOfKey(key),
  event: event.name,
  event_id: event.id,
  seq: event.seq,
  subject: event.data ? subjectOf(event.data) : null,
  happened_at: event.at.toISOString(),
  state,
  next_attempt_at: nextAt?.toISOString() ?? null,
  error: state === 'delivered' ? null : (last?.reason ?? null),
});

export const presentDelivery = (record: DeliveryRecord): z.output<typeof WebhookDelivery> => ({
  ...presentFields(record),
  attempts: record.attempts.map(presentAttempt),
});

export const presentFullDelivery = (
  record: DeliveryRecord,
): z.output<typeof FullWebhookDelivery> => ({
  ...presentFields(record),
  attempts: record.attempts.map(presentFullAttempt),
});

export const presentRecovery = (recovery: Recovery): z.output<typeof WebhookRecovery> => ({
  id: recovery.id,
  since: recovery.since.toISOString(),
  state: recovery.state,
  recovered: recovery.recovered,
  created_at: recovery.createdAt.toISOString(),
  finished_at: recovery.finishedAt?.toISOString() ?? null,
});
