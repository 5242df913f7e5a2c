import { z } from 'zod';
import type { StoredAttempt, OutboundResponse } from '../../src/plugin/api.js';
import { type Exchange, isSuccess } from './post-delivery.js';

/** How much of the response body of a failed attempt is stored; for a successful one, nothing. */
export const MAX_STORED_BODY = 4 * 1_024;

const MAX_STORED_HEADERS = 32;
const MAX_STORED_VALUE = 512;

/** The kind of failure; `status` if there was a response. */
export const FAULTS = [
  'status',
  'blocked',
  'url',
  'dns',
  'connect',
  'tls',
  'timeout',
  'broken',
] as const;

const headers = z.record(z.string(), z.string());

/** What lists show of an attempt. */
export const AttemptSummary = z.object({
  status: z.int().nullable(),
  fault: z.enum(FAULTS).nullable(),
});

/** What is shown of it beside that. */
export const AttemptDetails = z.object({
  request: z.object({ url: z.string(), headers }),
  response: z.object({ headers, body: z.string().nullable() }).nullable(),
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
