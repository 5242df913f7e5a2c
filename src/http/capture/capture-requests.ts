import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type {
  CapturedMessage,
  CapturedRequest,
  CapturedRequests,
} from '../../ports/command-log.js';
import type { Log, Metrics } from '../../ports/telemetry.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import { maskBody, maskHeaders, type RawBody, MAX_BODY } from './mask-message.js';
import { maskText, maskUrl } from '../../process/mask-json.js';
import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { callerOf, contextOf } from '../request-context.js';

interface RawMessage {
  readonly headers: IncomingHttpHeaders | OutgoingHttpHeaders;
  readonly body: RawBody;
}

/** A request as it was sent, with its secrets. */
interface RawRequest extends Omit<CapturedRequest, 'request' | 'response' | 'obstacle'> {
  readonly request: RawMessage;
  readonly response: RawMessage;
}

/** Masks and stores requests apart from serving them. */
interface RequestRecorder {
  /** Never throws and never waits: requests that it has no space for are left out. */
  readonly add: (request: RawRequest) => void;
  /** Stores what is waiting. Never rejects. */
  readonly stop: () => Promise<void>;
}

interface RecorderParts {
  readonly store: Pick<CapturedRequests, 'add'>;
  readonly metrics: Metrics;
  readonly log: Pick<Log, 'warn'>;
}

/** Soon enough for a person who waits for it. */
const WAIT_MS = 200;
const BATCH = 50;
/** Requests in memory, and bytes of their bodies. */
const MAX_WAITING = 500;
const MAX_BYTES = 16_000_000;

const sizeOf = ({ request, response }: RawRequest): number =>
  request.body.bytes.length + response.body.bytes.length;

const MAX_AGENT = 256;
const MAX_PATH = 4_096;

const obstacleOf = (raw: RawRequest, path: string, ofBody: string | null): string | null => {
  if (path !== raw.path) return 'its path was masked';
  return ofBody;
};

const masked = function* (raw: RawRequest): Chunked<CapturedRequest> {
  const path = maskUrl(raw.path).slice(0, MAX_PATH);
  const { obstacle, ...requestBody } = yield* maskBody(raw.request.body);
  const { obstacle: _obstacle, ...responseBody } = yield* maskBody(raw.response.body);
  const message = (
    { headers }: RawMessage,
    body: Omit<CapturedMessage, 'headers'>,
  ): CapturedMessage => ({ headers: maskHeaders(headers), ...body });
  return {
    ...raw,
    path,
    userAgent: raw.userAgent === null ? null : maskText(raw.userAgent.slice(0, MAX_AGENT)),
    request: message(raw.request, requestBody),
    response: message(raw.response, responseBody),
    obstacle: obstacleOf(raw, path, obstacle),
  };
};

/** Other requests are served in between (decision 0011). */
const allMasked = function* (batch: readonly RawRequest[]): Chunked<CapturedRequest[]> {
  const requests: CapturedRequest[] = [];
  for (const raw of batch) {
    requests.push(yield* masked(raw));
    yield;
  }
  return requests;
};

/** Stores requests in batches; a full queue or an unreachable database loses some. */
export const startRequestRecorder = ({ store, metrics, log }: RecorderParts): RequestRecorder => {
  const countDropped = metrics.counter({
    name: 'rollgate_request_captures_dropped_total',
    help: 'Requests that should have been captured, but were not: the gateway or its database was behind.',
  });
  const waiting: RawRequest[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;

  const takeBatch = (): readonly RawRequest[] => {
    const batch = waiting.splice(0, BATCH);
    for (const raw of batch) bytes -= sizeOf(raw);
    return batch;
  };

  const storeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = takeBatch();
      try {
        await store.add(await runCooperatively(allMasked(batch)));
      } catch (error) {
        countDropped({}, batch.length);
        log.warn({ err: error, requests: batch.length }, 'could not store captured requests');
      }
    }
  };

  const start = (): Promise<void> =>
    (storing ??= storeAll().finally(() => {
      storing = undefined;
    }));

  const schedule = (): void => {
    if (storing) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      void start();
    }, WAIT_MS);
    timer.unref();
  };

  return {
    add: (raw) => {
      if (waiting.length >= MAX_WAITING || bytes + sizeOf(raw) > MAX_BYTES) {
        countDropped();
        return;
      }
      waiting.push(raw);
      bytes += sizeOf(raw);
      schedule();
    },
    stop: async () => {
      clearTimeout(timer);
      await storing;
      await start();
    },
  };
};

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
