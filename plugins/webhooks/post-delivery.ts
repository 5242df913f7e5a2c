import type { HttpSender, OutboundResponse, TenantId } from '../../src/plugin/api.js';
import { hideQuery, openUrl } from './stored-url.js';
import type { Registration } from './registration.js';
import { secretsAt } from './signing-secrets.js';
import { signatureHeaders, type SigningKeys } from './signature.js';

/** What of a registration a POST to it needs. */
export type Target = Pick<
  Registration,
  'url' | 'query' | 'secret' | 'previous' | 'next' | 'headers'
>;

/** One POST to a registration: an attempt of a delivery, or a test call. */
export interface Posting {
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

export interface PostDeliveryParts {
  readonly http: Pick<HttpSender, 'post'>;
  readonly keysOf: (sealed: string) => SigningKeys;
  /** Says what a sealed text says. */
  readonly open: (sealed: string) => string;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

/** In place of what is kept to itself. */
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

/** Signs and sends (interface.md, Delivery headers; decisions.md 7). */
export const createPostDelivery = (parts: PostDeliveryParts): PostDelivery => {
  const { http, keysOf, open, timeoutMs, now } = parts;

  const sign = (target: Target, { eventId, body }: Posting) => {
    const at = now();
    const { secret, previous, next } = secretsAt(target, at);
    return signatureHeaders(
      keysOf(secret),
      { id: eventId, body, at },
      {
        previous: previous.map((each) => keysOf(each.secret)),
        ...(next && { next: keysOf(next.secret) }),
      },
    );
  };

  return async (posting, signal) => {
    const { tenantId, registration, id, event, body, bodyLimit } = posting;
    const custom = Object.fromEntries(
      registration.headers.map(({ name, value }) => [name, open(value)]),
    );
    const standard = {
      'Content-Type': 'application/json',
      'X-Service-Event': event,
      'X-Service-Delivery': id,
      ...sign(registration, posting),
    };
    const headers = { ...custom, ...standard };
    const response = await http.post(
      { url: openUrl(registration, open), headers, body, timeoutMs, bodyLimit, pool: tenantId },
      signal,
    );
    const shown = { ...hideAll(custom), ...hideSignatures(standard) };
    return { request: { url: hideQuery(registration), headers: shown }, response };
  };
};

/** Only a status in the 2xx range is success; a redirect is not (interface.md). */
export const isSuccess = (response: OutboundResponse): boolean =>
  response.kind === 'responded' && response.status >= 200 && response.status < 300;
