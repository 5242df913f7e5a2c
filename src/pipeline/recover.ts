import { concat, defer, EMPTY, type Observable, switchMap, timer } from 'rxjs';
import { type Refusal, refuse } from '../domain/refusals.js';
import type { Batch } from './batch.js';
import { CommitConflict, StoreUnavailable } from './commit-store.js';
import type { PipelineLog } from './pipeline-log.js';
import { NeedMore } from './workspace.js';

export interface RecoverParts {
  readonly run: (batch: Batch) => Observable<unknown>;
  readonly log: PipelineLog;
  /** A number in [0, 1). */
  readonly random: () => number;
}

/** Other commits of the tenant may come first this often before the batch gives up. */
const MOST_CONFLICTS = 50;
/** A commit whose answer was lost is asked after this often. */
const MOST_REPLAYS = 3;

/**
 * What becomes of a batch that did not get through its stages. Never an error: every caller is
 * answered, and no command ends the stream.
 */
export const recover = (
  { run, log, random }: RecoverParts,
  batch: Batch,
  error: unknown,
): Observable<unknown> => {
  if (error instanceof NeedMore) return run({ ...batch, needs: [...batch.needs, ...error.needs] });
  if (error instanceof CommitConflict && batch.conflicts < MOST_CONFLICTS)
    return after(random() * Math.min(5 + batch.conflicts * 2, 50), () =>
      run({ ...batch, conflicts: batch.conflicts + 1 }),
    );
  if (error instanceof StoreUnavailable)
    return error.written === 'unknown' && batch.conflicts < MOST_REPLAYS
      ? after(100 + random() * 400, () =>
          run({ ...batch, replay: true, conflicts: batch.conflicts + 1 }),
        )
      : refuseAll(batch, { refusal: unavailable(), error, log });
  if (error instanceof CommitConflict)
    return refuseAll(batch, { refusal: contended(), error, log });
  // One command may be bad: each on its own, so that it fails alone (pipeline-rules.md 6).
  if (batch.arrivals.length > 1)
    return concat(
      ...batch.arrivals.map((arrival) => defer(() => run({ ...batch, arrivals: [arrival] }))),
    );
  return refuseAll(batch, { refusal: broken(), error, log });
};

const after = (milliseconds: number, next: () => Observable<unknown>): Observable<unknown> =>
  timer(milliseconds).pipe(switchMap(next));

const refuseAll = (
  { arrivals }: Batch,
  { refusal, error, log }: { refusal: Refusal; error: unknown; log: PipelineLog },
): Observable<never> => {
  log.error(
    { err: error, request_ids: arrivals.slice(0, 10).map(({ envelope }) => envelope.requestId) },
    `a batch of ${arrivals.length} was refused with ${refusal.code}`,
  );
  for (const { answer } of arrivals) answer({ ok: false, refusal });
  return EMPTY;
};

const unavailable = (): Refusal =>
  refuse('UNAVAILABLE', 'The database does not answer. Try again shortly.', { retryAfter: 2 });

const contended = (): Refusal =>
  refuse('UNAVAILABLE', 'Too many changes of this organisation at once. Try again shortly.', {
    retryAfter: 1,
  });

const broken = (): Refusal => refuse('INTERNAL', 'Something went wrong here. Nothing was changed.');
