import type { Log } from '../ports/telemetry.js';
import type { SmsListReader } from '../ports/sms-lists.js';
import type { SmsListId } from '../domain/kernel/ids.js';
import { newId, type Submit } from '../pipeline/submit.js';
import { runRegularly } from '../process/timers.js';

interface SweepParts {
  readonly smsLists: Pick<SmsListReader, 'findEnded'>;
  readonly submit: Submit;
  readonly log: Log;
  /** How long a number is kept after the end of its validity, in milliseconds. */
  readonly after: number;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** The maximum of lists that one sweep skips; the query excludes each of them. */
const MAX_SKIPPED = 100;

/**
 * Removes members whose validity ended long ago, list by list in small steps; resolves to their
 * number. A list that refuses (a job is changing it, or its tenant was deleted) is skipped until the
 * next sweep. Several gateways may sweep concurrently.
 */
const sweepSmsMembers = async (parts: SweepParts): Promise<void> => {
  const { smsLists, submit, log, after, now, signal } = parts;
  const endedBy = new Date(now().getTime() - after);
  const skipped: SmsListId[] = [];
  const requestId = newId();
  let removed = 0;
  while (!signal.aborted && skipped.length < MAX_SKIPPED) {
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
};

/** Once an hour, or more often if numbers are kept for less. */
const MAX_INTERVAL_MS = 3_600_000;
const MIN_INTERVAL_MS = 1_000;

/** Sweeps regularly; returns a function that stops and waits for the last sweep. */
export const startSmsSweeps = (parts: Omit<SweepParts, 'signal'>): (() => Promise<void>) =>
  runRegularly((signal) => sweepSmsMembers({ ...parts, signal }), {
    everyMs: Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, parts.after)),
    failure: 'cannot remove expired members of SMS lists',
    log: parts.log,
  });
