import type { IncomingMessage } from 'node:http';
import { refuse, type Refusal, RefusalError } from '../../domain/kernel/refusals.js';
import type { Chunked } from '../../domain/kernel/chunked.js';
import { loopScheduler, runCooperatively } from '../../pipeline/loop-scheduler.js';
import { FairSlots } from '../../pipeline/fair-slots.js';

/** After this many bytes, other requests are read. */
const MAX_BYTES_PER_TURN = 256 * 1024;

/**
 * Reads and drops the rest of a refused body, so that the client can read the response instead of
 * seeing a connection reset. Node would do it at full speed: 40 such bodies occupy the event loop
 * with 80 MB in one turn.
 */
export const discardBody = (request: IncomingMessage): void => {
  let taken = 0;
  request.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (taken < MAX_BYTES_PER_TURN) return;
    taken = 0;
    request.pause();
    setImmediate(() => request.resume());
  });
  request.resume();
};

const MEBIBYTE = 1024 * 1024;

/**
 * Larger bodies wait for a slot to be parsed.
 *
 * @internal
 */
export const LARGE_BODY = 64 * 1024;

/** Maximum bytes of bodies that have arrived, until their response is sent. */
export interface BodyLimits {
  readonly overall: number;
  readonly perKey: number;
}

/** Of API keys and operators. */
const BODY_LIMITS: BodyLimits = { overall: 128 * MEBIBYTE, perKey: 32 * MEBIBYTE };
/** Without valid credentials, by address: such bodies have 16 KiB at most. */
const PUBLIC_LIMITS: BodyLimits = { overall: 32 * MEBIBYTE, perKey: 4 * MEBIBYTE };

/** Time until a body without valid credentials must begin to arrive, in milliseconds. */
const BEGIN_MS = 2_000;
/** All bodies that are late share the time that it takes to refuse them. */
const LATE = Symbol('late');

/** The share of each limit that large bodies may use; the rest is kept for small ones. */
const LARGE_BODY_SHARE = 0.75;

/** The memory reserved for the body of one request. */
interface BodyReservation {
  /**
   * Grows the reservation to this many bytes. Throws RefusalError UNAVAILABLE if the limit is
   * reached.
   */
  readonly growTo: (bytes: number) => void;
  /** Releases all of it. Idempotent. */
  readonly release: () => void;
}

interface BodyBudget {
  /** Opens an empty reservation for a body sent with this key. */
  readonly open: (key: string) => BodyReservation;
  /** Bytes reserved at this time. */
  readonly reservedBytes: () => number;
}

const busy = (message: string): Refusal =>
  refuse('UNAVAILABLE', `${message} Nothing was changed; retry shortly.`, { retryAfter: 1 });

const KEY_LIMIT_REACHED = busy('This client has too many large requests in progress.');
const GATEWAY_LIMIT_REACHED = busy('The gateway has too many large requests in progress.');

/**
 * Bounds the memory of bodies, per key and overall (decisions.md 3). Without it, 60 bodies of 8 MiB
 * that stall before their last byte occupy 0.5 GB for 30 s. What was announced does not count: 600
 * connections that send no body would use up the budget.
 *
 * @internal
 */
export const createBodyBudget = ({ overall, perKey }: BodyLimits = BODY_LIMITS): BodyBudget => {
  const byKey = new Map<string, number>();
  let reservedBytes = 0;

  const add = (key: string, bytes: number): void => {
    reservedBytes += bytes;
    const ofKey = (byKey.get(key) ?? 0) + bytes;
    if (ofKey > 0) byKey.set(key, ofKey);
    else byKey.delete(key);
  };

  const requireCapacity = (key: string, more: number, isLarge: boolean): void => {
    const part = isLarge ? LARGE_BODY_SHARE : 1;
    if ((byKey.get(key) ?? 0) + more > perKey * part) throw new RefusalError(KEY_LIMIT_REACHED);
    if (reservedBytes + more > overall * part) throw new RefusalError(GATEWAY_LIMIT_REACHED);
  };

  return {
    reservedBytes: () => reservedBytes,
    open: (key) => {
      let reserved = 0;
      return {
        growTo: (bytes) => {
          if (bytes <= reserved) return;
          requireCapacity(key, bytes - reserved, bytes > LARGE_BODY);
          add(key, bytes - reserved);
          reserved = bytes;
        },
        release: () => {
          add(key, -reserved);
          reserved = 0;
        },
      };
    },
  };
};

const tooLarge = (limit: number): RefusalError =>
  new RefusalError(
    refuse('PAYLOAD_TOO_LARGE', `The body exceeds ${limit} bytes. Split it into several requests.`),
  );

export const incompleteBody = (): RefusalError =>
  new RefusalError(
    refuse('INVALID_REQUEST', 'The body is incomplete: the connection ended before its end.'),
  );

/** Whether the request announces a body (RFC 9112, 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Content-Length; undefined for a chunked body (RFC 9112, 6.3). */
export const announcedLength = ({ headers }: IncomingMessage): number | undefined => {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
};

interface CollectOptions {
  /** In bytes. */
  readonly limit: number;
  readonly reservation: BodyReservation;
  /** Of a client without valid credentials: else it may wait as long as the request may take. */
  readonly mustBeginSoon: boolean;
}

/**
 * Throws PAYLOAD_TOO_LARGE, or UNAVAILABLE if no memory is available for the body now. It is reserved
 * only as the body arrives.
 */
export const admitBody = (
  request: IncomingMessage,
  { limit, reservation }: Omit<CollectOptions, 'mustBeginSoon'>,
): void => {
  const announced = announcedLength(request);
  if (announced !== undefined && announced > limit) throw tooLarge(limit);
  reservation.growTo(announced ?? 0);
  reservation.release();
};

/**
 * One buffer that grows. A list of chunks would cost an object per chunk, and a client that sends
 * single bytes would create eight million of them with 8 MiB.
 */
const growingBuffer = (maxBytes: number, { limit, reservation }: CollectOptions) => {
  let bytes = Buffer.alloc(0);
  let size = 0;

  const grow = (needed: number): void => {
    const capacity = Math.min(maxBytes, Math.max(needed, 2 * bytes.length));
    reservation.growTo(capacity);
    const larger = Buffer.allocUnsafe(capacity);
    bytes.copy(larger, 0, 0, size);
    bytes = larger;
  };

  return {
    add: (chunk: Buffer): void => {
      const needed = size + chunk.length;
      if (needed > limit) throw tooLarge(limit);
      if (needed > bytes.length) grow(needed);
      chunk.copy(bytes, size);
      size = needed;
    },
    whole: (): Uint8Array => bytes.subarray(0, size),
  };
};

const TOO_LATE = refuse(
  'REQUEST_TIMEOUT',
  `The body did not begin within ${BEGIN_MS / 1_000} seconds. Send it with the headers.`,
);

/**
 * Calls `onLate` if no data arrives in time. Before that, what has arrived while the event loop was
 * busy is read; and thousands of connections at once take turns.
 */
const awaitBegin = (request: IncomingMessage, onLate: () => void): void => {
  let hasBegun = false;
  const refuseLate = (): void => (hasBegun ? undefined : onLate());
  const enter = (): void => loopScheduler.enter(LATE, refuseLate);
  const timer = setTimeout(() => setImmediate(enter), BEGIN_MS);
  const stop = (): void => {
    hasBegun = true;
    clearTimeout(timer);
  };
  for (const event of ['data', 'end', 'close']) request.once(event, stop);
};

/**
 * Reads a body of at most `limit` bytes. A longer one is refused as soon as that is known, and the
 * rest is discarded, so that the client can read the response instead of seeing a connection reset.
 * The server's request timeout ends clients that do not stop.
 */
export const collectBody = (
  request: IncomingMessage,
  options: CollectOptions,
): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const buffer = growingBuffer(announcedLength(request) ?? options.limit, options);
    const refuseBody = (error: unknown): void => {
      request.removeListener('data', take);
      discardBody(request);
      reject(error instanceof Error ? error : incompleteBody());
    };
    const take = (chunk: Buffer): void => {
      try {
        buffer.add(chunk);
      } catch (error) {
        refuseBody(error);
      }
    };
    request.on('data', take);
    if (options.mustBeginSoon) awaitBegin(request, () => refuseBody(new RefusalError(TOO_LATE)));
    request.once('end', () => resolve(buffer.whole()));
    request.once('error', () => reject(incompleteBody()));
    request.once('close', () => {
      if (!request.readableEnded) reject(incompleteBody());
    });
  });

/** Large bodies that are parsed and checked concurrently, over all keys. */
const MAX_CONCURRENT_LARGE_BODIES = 2;

/** What all requests with a body share: memory, and slots for parsing. */
export interface BodyIntake {
  /** Opens an empty memory reservation for a body of this key or operator. */
  readonly open: (key: string) => BodyReservation;
  /** The same for a body without valid credentials: it has a budget of its own, by address. */
  readonly openPublic: (request: IncomingMessage) => BodyReservation;
  /** Bytes reserved at this time. */
  readonly reservedBytes: () => number;
  /**
   * Runs the work of parsing a body: immediately for a small body, else when a slot is free.
   * Rejects with the signal's reason if it is aborted first.
   */
  readonly read: <Result>(body: WaitingBody, work: () => Chunked<Result>) => Promise<Result>;
}

interface WaitingBody {
  readonly key: string;
  /** The tenant or operator whose share of the event loop parsing takes, if known. */
  readonly owner: string | undefined;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

export const createBodyIntake = (
  addressKey: (request: IncomingMessage) => string,
  limits?: BodyLimits,
): BodyIntake => {
  const budget = createBodyBudget(limits);
  const publicBudget = createBodyBudget(PUBLIC_LIMITS);
  const slots = new FairSlots({ overall: MAX_CONCURRENT_LARGE_BODIES });
  return {
    open: budget.open,
    openPublic: (request) => publicBudget.open(addressKey(request)),
    reservedBytes: () => budget.reservedBytes() + publicBudget.reservedBytes(),
    read: ({ key, owner, bytes, signal }, work) =>
      bytes <= LARGE_BODY
        ? runCooperatively(work(), owner)
        : slots.run(key, signal, () => runCooperatively(work(), owner)),
  };
};
