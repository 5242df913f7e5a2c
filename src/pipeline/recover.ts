import {
  concat,
  defer,
  EMPTY,
  type Observable,
  switchMap,
  timer,
  firstValueFrom,
  Subject,
} from 'rxjs';
import {
  databaseUnavailable,
  internalError,
  type Refusal,
  refuse,
} from '../domain/kernel/refusals.js';
import { type Arrival, type Batch, needsPriorityLock } from './batch.js';
import {
  CommitConflict,
  type CommitStore,
  DuplicateKey,
  StoreUnavailable,
  PriorityLockHeld,
} from './commit-store.js';
import type { PipelineLog } from './pipeline-log.js';

interface RecoverParts {
  readonly run: (batch: Batch) => Observable<unknown>;
  readonly store: CommitStore;
  readonly log: PipelineLog;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Decides a command again later, or refuses it if it has waited long enough. */
  readonly postpone: Postponements['postpone'];
  /** How long a command is tried again after conflicts or a lost result, in milliseconds. */
  readonly maxWaitMs: number;
}

/** A slug that another tenant has just taken is found by the second attempt. */
const MAX_DUPLICATES = 2;

/** Retries or refuses a batch whose stages failed. Never errors: every caller gets a result. */
export const recover = (parts: RecoverParts, batch: Batch, error: unknown): Observable<unknown> => {
  const { run, random } = parts;
  if (isConflict(error)) {
    const arrivals = refuseLate(parts, batch.arrivals, error);
    if (arrivals.length === 0) return releaseLock(parts, batch);
    const { wait, next } = retryOf(batch, error);
    return after(random() * wait, () => run({ ...next, arrivals }));
  }
  if (error instanceof StoreUnavailable) return recoverUnavailable(parts, batch, error);
  if (error instanceof DuplicateKey && !batch.looksUpAll)
    return defer(() => run({ ...batch, looksUpAll: true }));
  // Possibly one bad command: run each alone, so that it fails alone (pipeline-rules.md 6 and 10).
  if (batch.arrivals.length > 1)
    return concat(
      ...batch.arrivals.map((arrival) => defer(() => run({ ...batch, arrivals: [arrival] }))),
    );
  const { duplicates = 0 } = batch;
  if (error instanceof DuplicateKey && duplicates < MAX_DUPLICATES)
    return defer(() => run({ ...batch, duplicates: duplicates + 1 }));
  return refuseAll(parts, batch, { refusal: internalError(), error });
};

/**
 * A command may be refused as not done only if no commit of it was lost: a retry would find its own
 * change (pipeline-rules.md 6). The lane waits for the first look at what was committed, so that no
 * later command undoes it before. While the database does not respond, each looks again on its own.
 */
const recoverUnavailable = (
  parts: RecoverParts,
  batch: Batch,
  error: StoreUnavailable,
): Observable<unknown> => {
  const isLost = error.written === 'unknown';
  const lost = batch.arrivals.filter(({ mayBeCommitted }) => isLost || mayBeCommitted);
  const refused = batch.arrivals.filter((arrival) => !lost.includes(arrival));
  if (refused.length > 0) refuseThese(parts, refused, { refusal: databaseUnavailable(), error });
  const arrivals = lost.map((arrival) => ({ ...arrival, mayBeCommitted: true as const }));
  if (!isLost) for (const arrival of arrivals) parts.postpone(arrival, resultUnknown());
  const next = isLost ? refuseLate(parts, arrivals, error) : [];
  return next.length === 0
    ? releaseLock(parts, batch)
    : after(100 + parts.random() * 400, () => parts.run({ ...batch, arrivals: next }));
};

const isConflict = (error: unknown): error is CommitConflict | PriorityLockHeld =>
  error instanceof CommitConflict || error instanceof PriorityLockHeld;

/** Refuses the commands that have waited too long, each by its own age, and returns the others. */
const refuseLate = (
  parts: RecoverParts,
  arrivals: readonly Arrival[],
  error: unknown,
): readonly Arrival[] => {
  const oldest = performance.now() - parts.maxWaitMs;
  const isLate = ({ receivedAt }: Arrival): boolean => receivedAt < oldest;
  const late = arrivals.filter(isLate);
  if (late.length > 0) refuseThese(parts, late, { refusal: tooManyConflicts(), error });
  return late.length === 0 ? arrivals : arrivals.filter((one) => !isLate(one));
};

/** After a lost race: soon, then a little later each time. While another instance has the lock: later. */
const retryOf = (
  batch: Batch,
  error: CommitConflict | PriorityLockHeld,
): { readonly wait: number; readonly next: Batch } =>
  error instanceof PriorityLockHeld
    ? { wait: 40, next: batch }
    : {
        wait: Math.min(5 + batch.conflicts * 2, 50),
        next: { ...batch, conflicts: batch.conflicts + 1 },
      };

const after = (milliseconds: number, next: () => Observable<unknown>): Observable<unknown> =>
  timer(milliseconds).pipe(switchMap(next));

interface Reason {
  readonly refusal: Refusal;
  readonly error: unknown;
}

const refuseAll = (parts: RecoverParts, batch: Batch, reason: Reason): Observable<never> => {
  refuseThese(parts, batch.arrivals, reason);
  return releaseLock(parts, batch);
};

const refuseThese = (
  { log }: RecoverParts,
  arrivals: readonly Arrival[],
  { refusal, error }: Reason,
): void => {
  log.error(
    { err: error, request_ids: arrivals.slice(0, 10).map(({ envelope }) => envelope.requestId) },
    `a batch of ${arrivals.length} was refused with ${refusal.code}`,
  );
  for (const { resolve, mayBeCommitted } of arrivals)
    resolve({ ok: false, refusal: mayBeCommitted ? resultUnknown() : refusal });
};

/** For a batch of which nothing is left to run. If the lock cannot be released, it expires. */
const releaseLock = ({ store }: RecoverParts, batch: Batch): Observable<never> => {
  if (needsPriorityLock(batch)) store.releasePriorityLock(batch.tenantId).catch(() => undefined);
  return EMPTY;
};

const tooManyConflicts = (): Refusal =>
  refuse('UNAVAILABLE', 'Too many concurrent changes in this organisation. Try again shortly.', {
    retryAfter: 1,
  });

const resultUnknown = (): Refusal =>
  refuse(
    'UNAVAILABLE',
    'The database failed during the commit, so the change may have been made. Read the current ' +
      'state before you try again.',
    { retryAfter: 2 },
  );

/** How long a command that waits for a job or the database is set aside before it is decided again. */
const POSTPONE_MS = 100;

interface Postponements {
  /** Commands that are due to be decided again. */
  readonly due$: Observable<Arrival>;
  /** Sets a command aside, or refuses it if it has waited long enough. */
  readonly postpone: (arrival: Arrival, refusal: Refusal) => void;
}

export const createPostponements = ({
  isStopping,
  maxWaitMs,
}: {
  readonly isStopping: () => boolean;
  readonly maxWaitMs: number;
}): Postponements => {
  const due$ = new Subject<Arrival>();
  return {
    due$,
    postpone: (arrival, refusal) => {
      const hasWaited = performance.now() - arrival.receivedAt > maxWaitMs;
      if (hasWaited || (isStopping() && !arrival.mayBeCommitted))
        arrival.resolve({ ok: false, refusal });
      else void firstValueFrom(timer(POSTPONE_MS)).then(() => due$.next(arrival));
    },
  };
};
