import { signal } from '@preact/signals';
import { type ApiError, asApiError } from './api/api-error.ts';

/** The reads that are being repeated. */
const failing = new Map<object, ApiError>();
/** Those of them whose page has closed, or that another read has replaced. */
const left = new Set<object>();

/** Why reads are being repeated: the gateway or its database is away. Undefined: all is well. */
export const outage = signal<ApiError | undefined>(undefined);

const show = (): void => {
  [outage.value] = failing.values();
};

const end = (...reads: readonly object[]): void => {
  for (const read of reads) {
    failing.delete(read);
    left.delete(read);
  }
  show();
};

const isOutage = ({ code, status }: ApiError): boolean => code === 'UNREACHABLE' || status >= 502;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * Repeats a read during an outage, so that pages recover by themselves. Other errors reject, and so
 * does the abort of the signal.
 */
export const untilAnswered = async <Result>(
  read: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> => {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const result = await read();
      end(read, ...left);
      return result;
    } catch (fault) {
      const error = asApiError(fault);
      if (signal?.aborted) {
        // The next read of a page that polls would show the message again: it stays until then.
        if (failing.has(read)) left.add(read);
        setTimeout(() => end(read), LONGEST_WAIT_MS);
        throw fault;
      }
      if (!isOutage(error)) {
        end(read);
        throw fault;
      }
      failing.set(read, error);
      show();
      await pause(Math.max(wait, (error.retryAfterSeconds ?? 0) * 1_000), signal);
    }
  }
};
