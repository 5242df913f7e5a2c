import { concat, defer, EMPTY, type Observable, switchMap, timer } from 'rxjs';
import { type Refusal, refuse } from '../domain/refusals.js';
import type { Batch } from './batch.js';
import {
  CommitConflict,
  type CommitStore,
  DuplicateKey,
  StoreUnavailable,
  TurnTaken,
} from './commit-store.js';
import { broken, unavailable } from './fault-refusals.js';
import type { PipelineLog } from './pipeline-log.js';
import { needsTurn } from './turn.js';

export interface RecoverParts {
  readonly run: (batch: Batch) => Observable<unknown>;
  readonly store: Pick<CommitStore, 'yieldTurn'>;
  readonly log: PipelineLog;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** How long a command waits at most for its batch to get through other instances' commits. */
  readonly patienceMs: number;
}

/** A commit whose answer was lost is asked after this often. */
const MOST_REPLAYS = 3;
/** A slug that another tenant has just taken is seen at the second look; what is not, never will be. */
const MAX_DUPLICATES = 2;

/**
 * What becomes of a batch that did not get through its stages. Never an error: every caller is
 * answered, and no command ends the stream.
 */
export const recover = (parts: RecoverParts, batch: Batch, error: unknown): Observable<unknown> => {
  const { run, random } = parts;
  if (isContention(error)) {
    if (hasWaitedFor(parts.patienceMs, batch))
      return refuseAll(parts, batch, { refusal: contended(), error });
    const { wait, next } = retryOf(batch, error);
    return after(random() * wait, () => run(next));
  }
  if (error instanceof StoreUnavailable)
    return error.written === 'unknown' && batch.replays < MOST_REPLAYS
      ? after(100 + random() * 400, () => run({ ...batch, replays: batch.replays + 1 }))
      : refuseAll(parts, batch, { refusal: unavailable(), error });
  // One command may be bad: each on its own, so that it fails alone (pipeline-rules.md 6 and 10).
  if (batch.arrivals.length > 1)
    return concat(
      ...batch.arrivals.map((arrival) => defer(() => run({ ...batch, arrivals: [arrival] }))),
    );
  const { duplicates = 0 } = batch;
  if (error instanceof DuplicateKey && duplicates < MAX_DUPLICATES)
    return defer(() => run({ ...batch, duplicates: duplicates + 1 }));
  return refuseAll(parts, batch, { refusal: broken(), error });
};

const isContention = (error: unknown): error is CommitConflict | TurnTaken =>
  error instanceof CommitConflict || error instanceof TurnTaken;

const hasWaitedFor = (milliseconds: number, { arrivals }: Batch): boolean =>
  performance.now() - (arrivals[0]?.receivedAt ?? 0) > milliseconds;

/** Who lost a race tries again soon, and a little later each time; who waits for a turn, patiently. */
const retryOf = (
  batch: Batch,
  error: CommitConflict | TurnTaken,
): { readonly wait: number; readonly next: Batch } =>
  error instanceof TurnTaken
    ? { wait: 40, next: batch }
    : {
        wait: Math.min(5 + batch.conflicts * 2, 50),
        next: { ...batch, conflicts: batch.conflicts + 1 },
      };

const after = (milliseconds: number, next: () => Observable<unknown>): Observable<unknown> =>
  timer(milliseconds).pipe(switchMap(next));

const refuseAll = (
  { store, log }: RecoverParts,
  batch: Batch,
  { refusal, error }: { readonly refusal: Refusal; readonly error: unknown },
): Observable<never> => {
  const { arrivals, tenantId } = batch;
  log.error(
    { err: error, request_ids: arrivals.slice(0, 10).map(({ envelope }) => envelope.requestId) },
    `a batch of ${arrivals.length} was refused with ${refusal.code}`,
  );
  // A turn that cannot be given up ends by itself.
  if (needsTurn(batch)) store.yieldTurn(tenantId).catch(() => undefined);
  for (const { answer } of arrivals) answer({ ok: false, refusal });
  return EMPTY;
};

const contended = (): Refusal =>
  refuse('UNAVAILABLE', 'Too many changes of this organisation at once. Try again shortly.', {
    retryAfter: 1,
  });
