import type { Log } from './api/log.js';
import type { SmsListReader } from './api/sms-lists.js';
import type { SmsListId } from './domain/ids.js';
import { newId } from './pipeline/new-id.js';
import type { Submit } from './pipeline/submit.js';

interface SweepParts {
  readonly smsLists: Pick<SmsListReader, 'findEnded'>;
  readonly submit: Submit;
  readonly log: Log;
  /** How long after the end of its window a number is kept, in milliseconds. */
  readonly after: number;
  readonly now: () => Date;
  readonly isStopping: () => boolean;
}

/** Lists that one sweep passes over at most, for what is asked of the database must stay short. */
const MOST_REFUSED = 100;

/**
 * Removes the members whose window ended long ago, list by list, some at a time; answers with how
 * many went. Whatever refuses (a job still changes the list, the tenant has been deleted) is passed
 * over until the next sweep. Several gateways may sweep at once: each command finds what is left.
 */
export const sweepSmsMembers = async (parts: SweepParts): Promise<number> => {
  const { smsLists, submit, log, after, now, isStopping } = parts;
  const endedBy = new Date(now().getTime() - after);
  const refused: SmsListId[] = [];
  const requestId = newId();
  let removed = 0;
  while (!isStopping() && refused.length < MOST_REFUSED) {
    const found = await smsLists.findEnded(endedBy, refused);
    if (!found) break;
    const { tenantId, listId } = found;
    const outcome = await submit<'sms-member.sweep'>({
      tenantId,
      command: { type: 'sms-member.sweep', listId, endedBy },
      actor: { kind: 'system', name: 'sms-sweep' },
      source: 'system',
      requestId,
    });
    if (outcome.ok && outcome.result.removed > 0) removed += outcome.result.removed;
    else refused.push(listId);
  }
  if (removed > 0) log.info({ removed }, 'removed members of SMS lists whose window had ended');
  return removed;
};

/** Once an hour, and at least as often as a number may be kept. */
const MOST_BETWEEN_MS = 3_600_000;
const LEAST_BETWEEN_MS = 1_000;

/** Sweeps now and then, one sweep at a time; returns how to stop, which waits for one under way. */
export const sweepRegularly = (parts: Omit<SweepParts, 'isStopping'>): (() => Promise<void>) => {
  let isStopping = false;
  let running: Promise<unknown> | undefined;
  const sweep = (): void => {
    running ??= sweepSmsMembers({ ...parts, isStopping: () => isStopping })
      .catch((error: unknown) => {
        parts.log.warn(
          { err: error },
          'ended members of SMS lists could not be removed; trying again',
        );
      })
      .finally(() => (running = undefined));
  };
  const between = Math.min(MOST_BETWEEN_MS, Math.max(LEAST_BETWEEN_MS, parts.after));
  sweep();
  const timer = setInterval(sweep, between);
  timer.unref();
  return async () => {
    isStopping = true;
    clearInterval(timer);
    await running;
  };
};
