import * as mongo from 'mongodb';
import { databaseUnavailable, RefusalError } from '../domain/kernel/refusals.js';
import { CommitConflict, DuplicateKey, StoreUnavailable } from '../pipeline/commit-store.js';
import { DriverTimeoutError } from './commit/session-pool.js';
import { wrapMethods } from './wrap-methods.js';

export const DUPLICATE_KEY = 11_000;
const MAX_TIME_EXPIRED = 50;

const isLabelled = (error: unknown, label: string): boolean =>
  error instanceof mongo.MongoError && error.hasErrorLabel(label);

/**
 * The error that ended a bulk write. The driver wraps every error, even a broken connection, in a
 * MongoBulkWriteError that has neither its code nor its class.
 */
const unwrap = (error: unknown): unknown =>
  error instanceof mongo.MongoBulkWriteError && error.errorResponse instanceof Error
    ? error.errorResponse
    : error;

/** The server is unreachable, steps down or times out: nothing is wrong with the request. */
const isUnavailable = (error: unknown): boolean => indicatesUnavailable(unwrap(error));

const indicatesUnavailable = (error: unknown): boolean =>
  error instanceof DriverTimeoutError ||
  error instanceof mongo.MongoNetworkError ||
  error instanceof mongo.MongoServerSelectionError ||
  error instanceof mongo.MongoOperationTimeoutError ||
  error instanceof mongo.MongoNotConnectedError ||
  error instanceof mongo.MongoServerClosedError ||
  error instanceof mongo.MongoTopologyClosedError ||
  error instanceof mongo.MongoClientClosedError ||
  error instanceof mongo.MongoExpiredSessionError ||
  error instanceof mongo.MongoWriteConcernError ||
  UNAVAILABLE_LABELS.some((label) => isLabelled(error, label)) ||
  POOL_ERRORS.has((error as Error | undefined)?.name ?? '') ||
  (error instanceof mongo.MongoServerError && UNAVAILABLE_CODES.has(Number(error.code))) ||
  isBrokenSocket(error);

/** A socket that breaks while the driver writes to it raises an error of Node.js. */
const isBrokenSocket = (error: unknown): boolean =>
  error instanceof Error && BROKEN_SOCKET.has((error as NodeJS.ErrnoException).code ?? '');

const BROKEN_SOCKET = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

const UNAVAILABLE_LABELS = [
  'RetryableWriteError',
  'RetryableError',
  'PoolRequestedRetry',
  'SystemOverloadedError',
] as const;

/** Errors of the driver's pool, which it does not export (mongodb 7.8.0). */
const POOL_ERRORS = new Set([
  'MongoPoolClosedError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
]);

/**
 * Codes of MongoDB (src/mongo/base/error_codes.yml) that concern the state of the server, not the
 * request.
 */
const UNAVAILABLE_CODES = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: ended with its session, or the server is no longer the primary
  63, // StaleShardVersion
  64, // WriteConcernFailed
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern: too few members are left
  133, // FailedToSatisfyReadPreference
  134, // ReadConcernMajorityNotAvailableYet
  150, // StaleEpoch
  175, // QueryPlanKilled
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  216, // ElectionInProgress
  237, // CursorKilled
  239, // SnapshotTooOld
  246, // SnapshotUnavailable
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11601, // Interrupted: another instance ended our sessions
  11602, // InterruptedDueToReplStateChange
  13388, // StaleConfig
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
  14031, // OutOfDiskSpace
]);

/** The query exceeded its `maxTimeMS`. */
export const isTimeLimitExceeded = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === MAX_TIME_EXPIRED;

/** The pipeline's error for a failed read; the pipeline sets no time limit on single reads. */
export const toReadError = (error: unknown): unknown =>
  isUnavailable(error) || isTimeLimitExceeded(error)
    ? new StoreUnavailable('nothing', { cause: error })
    : error;

/**
 * The pipeline's error for a failed transaction. A conflict can be retried as a whole. After a
 * duplicate key the version is unchanged, because the transaction had taken it already: a command
 * of the batch fails again however often it is gathered (pipeline-rules.md 10). If the response to
 * a commit is lost, it may or may not have been committed (pipeline-rules.md 6).
 */
export const toCommitError = (error: unknown, committing: boolean): unknown => {
  if (error instanceof CommitConflict || error instanceof StoreUnavailable) return error;
  if (isDuplicateKey(error)) return new DuplicateKey('a unique key is taken', { cause: error });
  if (isLabelled(error, 'TransientTransactionError') && !isUnavailable(error))
    return new CommitConflict('another commit came first', { cause: error });
  if (committing) return new StoreUnavailable('unknown', { cause: error });
  return toReadError(error);
};

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;

/** Runs a read for the edge: 503 if the database is unavailable or too slow. */
export const guardRead = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (isUnavailable(error) || isTimeLimitExceeded(error))
      throw new RefusalError(databaseUnavailable(), { cause: error });
    throw error;
  }
};

/** A store of which every method that returns a promise is guarded by `guardRead`; streams guard their own reads. */
export const guarded = <Store extends object>(store: Store): Store =>
  wrapMethods(store, (call) => {
    const result = call();
    return result instanceof Promise ? guardRead(() => result) : result;
  });
