import type { TenantId } from '../../src/domain/ids.js';
import type { HttpSender, OutboundAnswer } from '../../src/plugin/index.js';
import type { Registration } from './registration.js';
import { signatureHeaders, type SigningKeys } from './signature.js';

/** One POST to a registration: an attempt of a delivery, or a test call. */
export interface Posting {
  readonly tenantId: TenantId;
  readonly registration: Pick<Registration, 'url' | 'secret'>;
  /** The delivery's id, the same in every attempt: receivers dedupe on it. */
  readonly id: string;
  readonly event: string;
  readonly body: Uint8Array;
  /** How many bytes of the answer's body are wanted. */
  readonly bodyLimit: number;
}

export type PostDelivery = (posting: Posting, signal?: AbortSignal) => Promise<OutboundAnswer>;

export interface PostDeliveryParts {
  readonly http: HttpSender;
  readonly keysOf: (sealed: string) => SigningKeys;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

/** Signs and sends (interface.md, Delivery headers; decisions.md 7). */
export const createPostDelivery =
  ({ http, keysOf, timeoutMs, now }: PostDeliveryParts): PostDelivery =>
  async ({ tenantId, registration, id, event, body, bodyLimit }, signal) => {
    const headers = {
      'Content-Type': 'application/json',
      'X-Service-Event': event,
      'X-Service-Delivery': id,
      ...signatureHeaders(keysOf(registration.secret), { id, body, at: now() }),
    };
    const { url } = registration;
    return http.post({ url, headers, body, timeoutMs, bodyLimit, pool: tenantId }, signal);
  };

/** Only a status in the 2xx range is success; a redirect is not (interface.md). */
export const isSuccess = (answer: OutboundAnswer): boolean =>
  answer.kind === 'answered' && answer.status >= 200 && answer.status < 300;
