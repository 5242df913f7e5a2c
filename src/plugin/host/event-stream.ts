import { type Observable, config } from 'rxjs';
import type { DomainEvent } from '../../domain/events.js';
import type { PluginLog } from '../contract/extension.js';

/** How many events a slow reader may be behind. */
const MAX_BEHIND = 1_000;

/**
 * The events of the stream from now on, until the signal aborts or the reader stops. A reader that is
 * too far behind misses the oldest ones.
 */
export const liveEvents = (
  events$: Observable<DomainEvent>,
  signal: AbortSignal,
): AsyncIterable<DomainEvent> => {
  const waiting: DomainEvent[] = [];
  let isOver = signal.aborted;
  let wake = (): void => undefined;
  const end = (): void => {
    isOver = true;
    subscription.unsubscribe();
    signal.removeEventListener('abort', end);
    wake();
  };
  const subscription = events$.subscribe({
    next: (event) => {
      if (waiting.push(event) > MAX_BEHIND) waiting.shift();
      wake();
    },
    error: () => end(),
    complete: () => end(),
  });
  if (signal.aborted) end();
  else signal.addEventListener('abort', end);

  const read = async function* (): AsyncGenerator<DomainEvent> {
    try {
      while (!isOver) {
        const event = waiting.shift();
        if (event) yield event;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      end();
    }
  };
  return { [Symbol.asyncIterator]: read };
};

/**
 * In RxJS what a listener throws is thrown again outside of every call, and so ends the process
 * (architecture.md, "No plugin gets the raw Subject"). From now on it is a line in the log; the
 * stream and its other listeners continue. The setting is RxJS's own and holds for the process.
 */
export const logStreamFaults = (log: PluginLog): void => {
  config.onUnhandledError = (error: unknown) => {
    log.error({ err: error }, 'a listener of the event stream threw');
  };
};
