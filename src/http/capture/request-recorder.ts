import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type {
  CapturedMessage,
  CapturedRequest,
  CapturedRequests,
} from '../../api/captured-requests.js';
import type { Log } from '../../api/log.js';
import type { Metrics } from '../../api/metrics.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import { runCooperatively } from '../../pipeline/loop-scheduler.js';
import { maskBody, maskHeaders, type RawBody } from './mask-message.js';
import { maskText, maskUrl } from './mask-text.js';

interface RawMessage {
  readonly headers: IncomingHttpHeaders | OutgoingHttpHeaders;
  readonly body: RawBody;
}

/** A request as it was sent, with its secrets. */
export interface RawRequest extends Omit<CapturedRequest, 'request' | 'response' | 'obstacle'> {
  readonly request: RawMessage;
  readonly response: RawMessage;
}

/** Masks and stores requests apart from serving them. */
export interface RequestRecorder {
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
