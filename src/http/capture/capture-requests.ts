import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { callerOf, contextOf } from '../request-context.js';
import { MAX_BODY, type RawBody } from './mask-message.js';
import type { RequestRecorder } from './request-recorder.js';

/** As other servers log it. */
const DISCONNECTED = 499;

const NO_BODY: RawBody = { bytes: Buffer.alloc(0), length: 0 };

/** A copy of the start: the rest of a long body can leave the memory. */
const startOf = (body: Uint8Array): RawBody => ({
  bytes: Buffer.from(body.subarray(0, MAX_BODY)),
  length: body.length,
});

/** Keeps the start of what is written to the response. */
const keepBody = (response: ServerResponse): (() => RawBody) => {
  const kept: Buffer[] = [];
  let size = 0;
  let length = 0;
  const take = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const bytes = Buffer.from(chunk as string);
    length += bytes.length;
    if (size >= MAX_BODY) return;
    const start = bytes.subarray(0, MAX_BODY - size);
    kept.push(start);
    size += start.length;
  };
  for (const name of ['write', 'end'] as const) {
    const send = response[name].bind(response) as (...given: unknown[]) => unknown;
    const sendAndKeep = (...given: unknown[]): unknown => {
      take(given[0]);
      return send(...given);
    };
    Object.assign(response, { [name]: sendAndKeep });
  }
  return () => ({ bytes: Buffer.concat(kept), length });
};

interface CaptureParts {
  readonly recorder: Pick<RequestRecorder, 'add'>;
  /** The database's clock. */
  readonly now: () => Date;
}

/**
 * Captures the requests of tenants that have asked for it, and their responses. It runs after
 * authentication; for other tenants it compares a date. Nothing is masked or stored before the
 * response is complete.
 */
export const captureRequests =
  ({ recorder, now }: CaptureParts): RequestHandler =>
  (request, response, next) => {
    const { tenant, key } = callerOf(request);
    const { captureUntil } = tenant;
    if (captureUntil === null || captureUntil <= now()) {
      next();
      return;
    }
    const context = contextOf(request);
    const at = now();
    let body = NO_BODY;
    context.onBody = (bytes) => {
      body = startOf(bytes);
    };
    const responseBody = keepBody(response);
    response.once('close', () => {
      recorder.add({
        id: randomUUID(),
        tenantId: tenant.id,
        at,
        method: request.method,
        path: request.originalUrl,
        status: response.headersSent ? response.statusCode : DISCONNECTED,
        keyId: key.id,
        userAgent: request.headers['user-agent'] ?? null,
        durationMs: Math.round(performance.now() - context.startedAt),
        requestId: context.requestId,
        bytes: context.bodyBytes ?? 0,
        request: { headers: request.headers, body },
        response: {
          headers: response.getHeaders(),
          body: request.method === 'HEAD' ? NO_BODY : responseBody(),
        },
      });
    });
    next();
  };
