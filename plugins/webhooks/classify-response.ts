import { type DeliveryOutcome, type OutboundResponse, retryAfterMs } from '../../src/plugin/api.js';
import { isSuccess } from './post-delivery.js';

const GONE = 410;
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
  const reason = `The receiver responded with ${status}.`;
  if (status === GONE) return { ...failed, retry: false, reason };
  const requested = retryAfterMs(headers['retry-after'], now);
  const waitMs = requested ?? (status === TOO_MANY_REQUESTS ? EXTRA_WAIT_MS : undefined);
  return { ...failed, reason, ...(waitMs !== undefined && { waitMs }) };
};
