import type { Attempt } from './attempt.js';
import { RETRY_MS, RunFailure } from './run-failure.js';
import type { ReadCheckpoint } from './run-record.js';

/** Clocks of database and gateway may differ by this much. */
const MAX_SKEW_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** An older export, such as one that was copied back, says who was employed then. */
export const requireNewest = async (
  { store, compiled, now }: Attempt,
  { takenAt }: ReadCheckpoint,
): Promise<void> => {
  if (takenAt === undefined) return;
  const isAhead = (at: string): boolean => Date.parse(at) > now().getTime() + MAX_SKEW_MS;
  // It would count as the newest one for so long.
  if (isAhead(takenAt))
    throw new RunFailure(
      `The export is of ${takenAt}, which is ahead of the clock. Nothing was changed. Correct its ` +
        'time, such as the modification time of the file, or export again.',
    );
  const { lastTakenAt } = await store.memory();
  const isOlder =
    lastTakenAt !== undefined &&
    !isAhead(lastTakenAt) &&
    Date.parse(takenAt) < Date.parse(lastTakenAt);
  if (isOlder && !compiled.options.safety.allowOlderExports)
    throw new RunFailure(
      `The export is of ${takenAt}, and the last one that was applied is of ${lastTakenAt}. Nothing ` +
        'was changed. Export again, or allow it with `safety.allowOlderExports`.',
    );
};

/** Dates decide who is deactivated. */
export const requireSaneClock = async ({ store, now, machineNow }: Attempt): Promise<void> => {
  const { lastRunAt } = await store.memory();
  const { resumedAt } = await store.control();
  const at = now().getTime();
  const skewMs = Math.abs(at - machineNow().getTime());
  if (skewMs > MAX_SKEW_MS)
    throw new RunFailure(
      `The clocks of database and gateway differ by ${Math.round(skewMs / 60_000)} min. ` +
        'Dates decide who is deactivated, so nothing was done. Correct the clocks.',
      { retryInMs: RETRY_MS },
    );
  // An operator who resumes the connector says that the clock is right now.
  const isConfirmed = resumedAt !== null && Math.abs(at - Date.parse(resumedAt)) < DAY_MS;
  if (lastRunAt !== null && Date.parse(lastRunAt) - at > MAX_SKEW_MS && !isConfirmed)
    throw new RunFailure(
      `The last run was at ${lastRunAt}, which is ahead of the clock. Nothing was done. ` +
        'Correct the clock, or resume the connector if it is right now.',
      { retryInMs: RETRY_MS },
    );
};
