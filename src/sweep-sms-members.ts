import type { Log } from './api/log.js';
import type { SmsListReader } from './api/sms-lists.js';
import type { SmsListId } from './domain/kernel/ids.js';
import { newId } from './pipeline/new-id.js';
import type { Submit } from './pipeline/submit.js';

interface SweepParts {
  readonly smsLists: Pick<SmsListReader, 'findEnded'>;
  readonly submit: Submit;
  readonly log: Log;
  /** How long a number is kept after the end of its validity, in milliseconds. */
  readonly after: number;
  readonly now: () => Date;
  readonly isStopping: () => boolean;
}

/** The maximum of lists that one sweep skips; the query excludes each of them. */
const MAX_SKIPPED = 100;

/**
 * Removes members whose validity ended long ago, list by list in small steps; resolves to their
 * number. A list that refuses (a job is changing it, or its tenant was deleted) is skipped until the
 * next sweep. Several gateways may sweep concurrently.
 */
const sweepSmsMembers = async (parts: SweepParts): Promise<number> => {
  const { smsLists, submit, log, after, now, isStopping } = parts;
  const endedBy = new Date(now().getTime() - after);
  const skipped: SmsListId[] = [];
  const requestId = newId();
  let removed = 0;
  while (!isStopping() && skipped.length < MAX_SKIPPED) {
    const found = await smsLists.findEnded(endedBy, skipped);
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
    else skipped.push(listId);
  }
  if (removed > 0) log.info({ removed }, 'removed expired members of SMS lists');
  return removed;
};

/** Once an hour, or more often if numbers are kept for less. */
const MAX_INTERVAL_MS = 3_600_000;
const MIN_INTERVAL_MS = 1_000;

/** Sweeps regularly, one sweep at a time; returns a function that stops and waits for the last. */
export const startSmsSweeps = (parts: Omit<SweepParts, 'isStopping'>): (() => Promise<void>) => {
  let isStopping = false;
  let running: Promise<unknown> | undefined;
  const sweep = (): void => {
    running ??= sweepSmsMembers({ ...parts, isStopping: () => isStopping })
      .catch((error: unknown) => {
        parts.log.warn({ err: error }, 'cannot remove expired members of SMS lists; will retry');
      })
      .finally(() => (running = undefined));
  };
  const interval = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, parts.after));
  sweep();
  const timer = setInterval(sweep, interval);
  timer.unref();
  return async () => {
    isStopping = true;
    clearInterval(timer);
    await running;
  };
};
