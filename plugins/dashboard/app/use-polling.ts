import { useEffect, useRef } from 'preact/hooks';

/** Calls it again and again while something is under way and the page is visible. */
export const usePolling = (
  isActive: boolean,
  poll: () => void | Promise<void>,
  everyMs = 1_500,
): void => {
  const latest = useRef(poll);
  latest.current = poll;
  useEffect(() => {
    if (!isActive) return undefined;
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning || document.hidden) return;
      isRunning = true;
      void Promise.resolve(latest.current())
        // The next one may succeed.
        .catch(() => undefined)
        .finally(() => {
          isRunning = false;
        });
    }, everyMs);
    return () => clearInterval(timer);
  }, [isActive]);
};

/** Reads it again every few seconds. */
export const useReloads = (reload: () => void, everyMs = 10_000): void =>
  usePolling(true, reload, everyMs);
