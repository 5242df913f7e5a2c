import { signal } from '@preact/signals';
import { type ApiError, asApiError } from './api/api-error.ts';

const failing = new Map<object, ApiError>();

/** Why reads are being repeated: the gateway or its database is down. Undefined: all is well. */
export const outage = signal<ApiError | undefined>(undefined);

const set = (read: object, error: ApiError | undefined): void => {
  if (error) failing.set(read, error);
  else failing.delete(read);
  [outage.value] = failing.values();
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
      set(read, undefined);
      return result;
    } catch (fault) {
      const error = asApiError(fault);
      if (signal?.aborted || !isOutage(error)) {
        // A page that polls begins another read at once, which would hide the message for a moment.
        setTimeout(() => set(read, undefined), signal?.aborted ? LONGEST_WAIT_MS : 0);
        throw fault;
      }
      set(read, error);
      await pause(Math.max(wait, (error.retryAfterSeconds ?? 0) * 1_000), signal);
    }
  }
};
