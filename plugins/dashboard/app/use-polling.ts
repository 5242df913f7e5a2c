import { useEffect, useRef } from 'preact/hooks';

const EVERY_MS = 1_500;

/** Calls it again and again while something is under way and the page is visible. */
export const usePolling = (isActive: boolean, poll: () => void | Promise<void>): void => {
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
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [isActive]);
};

/** Reads it again every few milliseconds while the page is visible. */
export const useReloads = (reload: () => void, everyMs: number): void => {
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs]);
};
