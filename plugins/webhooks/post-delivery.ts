import {
  type DomainEvent,
  envelopeOf,
  type EventEnvelope,
  type Includable,
  type Tenant,
  type HttpSender,
  type OutboundResponse,
  type TenantId,
  signatureHeaders,
  type SigningKeys,
} from '../../src/plugin/api.js';
import { type Registration, hideQuery, openUrl } from './registration.js';
import { secretsAt } from './signing.js';

const bytesOf = (envelope: EventEnvelope): Buffer => Buffer.from(JSON.stringify(envelope), 'utf8');

type Bodies = WeakMap<DomainEvent, Buffer>;

/** Caches for events in delivery: an event for twenty registrations is serialised once. */
const usualBodies: Bodies = new WeakMap();
const bodiesWithCustom: Bodies = new WeakMap();

/**
 * The body of an event's deliveries (interface.md, Envelope). Made from the event and what the
 * registration includes: every attempt, on whichever gateway, signs and sends the same bytes. Not to
 * be changed.
 */
export const eventBody = (event: DomainEvent, include: readonly Includable[] = []): Buffer => {
  const bodies = include.includes('user.custom') ? bodiesWithCustom : usualBodies;
  const known = bodies.get(event);
  if (known) return known;
  const body = bytesOf(envelopeOf(event, include));
  bodies.set(event, body);
  return body;
};

export const TEST_EVENT = 'webhook.test';

/**
 * The body of a test call. `seq` is there and null: nothing happened, so the event has no place in
 * the tenant's log, and a receiver that keeps the highest `seq` it has seen must not be misled.
 */
export const testBody = (
  id: string,
  { id: webhookId, description }: Registration,
  tenant: Pick<Tenant, 'id' | 'slug'>,
  at: Date,
): Buffer =>
  bytesOf({
    id,
    event: TEST_EVENT,
    tenant_id: tenant.id,
    tenant_slug: tenant.slug,
    timestamp: at.toISOString(),
    seq: null,
    data: { webhook: { id: webhookId, description } },
  });

/** What of a registration a POST to it needs. */
export type Target = Pick<
  Registration,
  'url' | 'query' | 'secret' | 'previous' | 'next' | 'headers'
>;

/** One POST to a registration: an attempt of a delivery, or a test call. */
interface Posting {
  readonly tenantId: TenantId;
  readonly registration: Target;
  /** The delivery's id, the same in every attempt: receivers dedupe on it. */
  readonly id: string;
  readonly eventId: string;
  readonly event: string;
  readonly body: Uint8Array;
  /** How many bytes of the response body are kept. */
  readonly bodyLimit: number;
}

/** What was sent and what came back. */
export interface Exchange {
  /** As it may be shown: of headers that prove or open something the name alone, and no query. */
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  readonly response: OutboundResponse;
}

export type PostDelivery = (posting: Posting, signal?: AbortSignal) => Promise<Exchange>;

interface PostDeliveryParts {
  readonly http: Pick<HttpSender, 'post'>;
  readonly keysOf: (sealed: string) => SigningKeys;
  /** Decrypts a sealed text. */
  readonly open: (sealed: string) => string;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

/** Shown in place of secrets. */
const HIDDEN = '***';

const hideAll = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));

const hideSignatures = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.toLowerCase().includes('signature') ? HIDDEN : value,
    ]),
  );

/** The headers of every delivery, beside those of the registration. */
export const deliveryHeaders = (
  keys: SigningKeys,
  {
    id,
    eventId,
    event,
    body,
    at,
  }: Pick<Posting, 'id' | 'eventId' | 'event' | 'body'> & { readonly at: Date },
  others: Parameters<typeof signatureHeaders>[2] = {},
): Readonly<Record<string, string>> => ({
  'Content-Type': 'application/json',
  'X-Service-Event': event,
  'X-Service-Delivery': id,
  ...signatureHeaders(keys, { id: eventId, body, at }, others),
});

/** Signs and sends (interface.md, Delivery headers; decisions.md 7). */
export const createPostDelivery = (parts: PostDeliveryParts): PostDelivery => {
  const { http, keysOf, open, timeoutMs, now } = parts;

  const headersOf = (posting: Posting) => {
    const at = now();
    const { secret, previous, next } = secretsAt(posting.registration, at);
    return deliveryHeaders(
      keysOf(secret),
      { ...posting, at },
      {
        previous: previous.map((each) => keysOf(each.secret)),
        ...(next && { next: keysOf(next.secret) }),
      },
    );
  };

  return async (posting, signal) => {
    const { tenantId, registration, body, bodyLimit } = posting;
    const custom = Object.fromEntries(
      registration.headers.map(({ name, value }) => [name, open(value)]),
    );
    const standard = headersOf(posting);
    const headers = { ...custom, ...standard };
    const response = await http.post(
      { url: openUrl(registration, open), headers, body, timeoutMs, bodyLimit, pool: tenantId },
      signal,
    );
    const shown = { ...hideAll(custom), ...hideSignatures(standard) };
    return { request: { url: hideQuery(registration), headers: shown }, response };
  };
};
