import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The items, and undefined at intervals until the first one is there: Workday may compute a report for
 * many minutes before it sends a row, and a read that says nothing is ended by the host.
 */
export async function* whileWaiting<Item>(
  items: AsyncIterable<Item>,
  intervalMs: number,
): AsyncGenerator<Item | undefined> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    const first = iterator.next();
    // If this read ends before.
    first.catch(() => undefined);
    while (!(await settlesWithin(first, intervalMs))) yield undefined;
    for (let next = await first; !next.done; next = await iterator.next()) yield next.value;
  } finally {
    // Not awaited: while the first item is pending, only the read's signal ends it.
    iterator.return?.().catch(() => undefined);
  }
}

const settlesWithin = async (promise: Promise<unknown>, ms: number): Promise<boolean> => {
  const timer = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  try {
    return await Promise.race([settled, late]);
  } finally {
    timer.abort();
  }
};
