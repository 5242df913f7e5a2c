import { mongo } from 'mongoose';
import { RefusalError, refuse } from '../domain/refusals.js';
import { CommitConflict, StoreUnavailable } from '../pipeline/commit-store.js';
import { NeverAnswered } from './session-pool.js';

const DUPLICATE_KEY = 11000;
const MAX_TIME_EXPIRED = 50;

const isLabelled = (error: unknown, label: string): boolean =>
  error instanceof mongo.MongoError && error.hasErrorLabel(label);

/** The server is away, steps down, or does not answer in time; nothing is wrong with the request. */
const isAway = (error: unknown): boolean =>
  error instanceof NeverAnswered ||
  error instanceof mongo.MongoNetworkError ||
  error instanceof mongo.MongoServerSelectionError ||
  error instanceof mongo.MongoOperationTimeoutError ||
  error instanceof mongo.MongoNotConnectedError ||
  error instanceof mongo.MongoTopologyClosedError ||
  error instanceof mongo.MongoClientClosedError ||
  error instanceof mongo.MongoExpiredSessionError ||
  error instanceof mongo.MongoWriteConcernError ||
  isLabelled(error, 'RetryableWriteError') ||
  isLabelled(error, 'PoolRequestedRetry') ||
  (error instanceof mongo.MongoServerError && AWAY_CODES.has(Number(error.code))) ||
  isBrokenSocket(error);

/** A socket that breaks while the driver writes to it shows as Node's own error. */
const isBrokenSocket = (error: unknown): boolean =>
  error instanceof Error && BROKEN_SOCKET.has((error as NodeJS.ErrnoException).code ?? '');

const BROKEN_SOCKET = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'ETIMEDOUT']);

/** NotWritablePrimary, interrupted by step-down or shutdown, and their like. */
const AWAY_CODES = new Set([6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** An error of a read, in the words of the pipeline. */
export const readFault = (error: unknown): unknown =>
  isAway(error) ? new StoreUnavailable('nothing', { cause: error }) : error;

/**
 * Of errors of one transaction, the one that ended it: the others found it gone, which says
 * "transient" whatever the cause was.
 */
export const causeAmong = (errors: readonly unknown[]): unknown =>
  errors.find((error) => !isLabelled(error, 'TransientTransactionError')) ?? errors[0];

/**
 * An error of a transaction, in the words of the pipeline. A conflict may be tried again whole; a
 * commit whose answer was lost may or may not be there (pipeline-rules.md 6).
 */
export const commitFault = (error: unknown, committing: boolean): unknown => {
  if (error instanceof CommitConflict || error instanceof StoreUnavailable) return error;
  const labelledUnknown = isLabelled(error, 'UnknownTransactionCommitResult');
  if (isDuplicateKey(error) || (isLabelled(error, 'TransientTransactionError') && !isAway(error)))
    return new CommitConflict('another commit came first', { cause: error });
  if (labelledUnknown || isAway(error))
    return new StoreUnavailable(committing ? 'unknown' : 'nothing', { cause: error });
  return error;
};

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;

/** Wraps what the edge reads: a database that is away is 503, a filter that costs too much 400. */
export const reading = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (isAway(error))
      throw new RefusalError(
        refuse('UNAVAILABLE', 'The database does not answer. Try again shortly.', {
          retryAfter: 2,
        }),
        { cause: error },
      );
    if (error instanceof mongo.MongoServerError && error.code === MAX_TIME_EXPIRED)
      throw new RefusalError(
        refuse('INVALID_FILTER', 'This filter takes too long; narrow it by an indexed attribute.', {
          scimType: 'tooMany',
        }),
        { cause: error },
      );
    throw error;
  }
};
