import type { DeliveryOutcome } from './contract.js';
import { type OutboundResponse, retryAfterMs } from './http-sender.js';

/** Only a status in the 2xx range is success; a redirect is not (interface.md). */
export const isSuccess = (response: OutboundResponse): boolean =>
  response.kind === 'responded' && response.status >= 200 && response.status < 300;

const GONE = 410;
const responded = (status: number): string => `The receiver responded with ${status}.`;
/** Why a delivery failed whose receiver wants no more. */
export const GONE_REASON = responded(GONE);
const TOO_MANY_REQUESTS = 429;

/** Extra time for receivers that are overloaded or do not respond; the engine at most doubles a step. */
const EXTRA_WAIT_MS = 60_000;

/** What a response means for the delivery (interface.md, Delivery outcome rules; decisions.md 7). */
export const classifyResponse = (response: OutboundResponse, now: Date): DeliveryOutcome => {
  if (isSuccess(response)) return { kind: 'delivered' };
  const failed = { kind: 'failed', retry: true } as const;
  if (response.kind === 'unreachable') {
    const { fault, message: reason } = response;
    if (fault === 'blocked' || fault === 'url') return { ...failed, retry: false, reason };
    return { ...failed, reason, ...(fault === 'timeout' && { waitMs: EXTRA_WAIT_MS }) };
  }
  const { status, headers } = response;
  const reason = responded(status);
  if (status === GONE) return { ...failed, retry: false, reason };
  const requested = retryAfterMs(headers['retry-after'], now);
  const waitMs = requested ?? (status === TOO_MANY_REQUESTS ? EXTRA_WAIT_MS : undefined);
  return { ...failed, reason, ...(waitMs !== undefined && { waitMs }) };
};
