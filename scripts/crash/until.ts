import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 5;
const GIVE_UP_MS = 60_000;

/** Resolves when it is so; rejects after a minute, with what is said then. */
export const until = async (
  isSo: () => boolean | Promise<boolean>,
  otherwise: () => string,
): Promise<void> => {
  const latest = performance.now() + GIVE_UP_MS;
  while (!(await isSo())) {
    if (performance.now() > latest) throw new Error(otherwise());
    await pause(LOOK_MS);
  }
};
