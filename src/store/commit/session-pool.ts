import type * as mongo from 'mongodb';
import { withinTime } from '../../process/timers.js';
import { DRIVER_TIMEOUT_MS, TRANSACTION } from '../concerns.js';
import { wrapMethods } from '../wrap-methods.js';

type Session = mongo.ClientSession;

/** Sessions for batches, whose ids are registered. */
export interface SessionPool {
  /** Runs work in a session of the pool; it must not leave anything in progress. */
  readonly use: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;
  /** Ids of all sessions that may have an open transaction. */
  readonly ids: () => readonly mongo.Binary[];
  readonly close: () => Promise<void>;
}

/**
 * The driver returned neither a result nor an error. It waits forever if it writes to a socket that
 * was destroyed a moment ago and has not reported that yet (seen with mongodb 7.8.0), and nothing
 * may block a lane.
 */
export class DriverTimeoutError extends Error {
  override readonly name = 'DriverTimeoutError';
  constructor() {
    super('The database driver neither returned nor failed.');
  }
}

/** Lets the driver's own timeouts fire first. */
const GRACE_MS = 1_000;

/** Ends the wait for work that the driver never ends, whatever its own timeouts are. */
export const guardDriver = <Result>(
  work: () => Promise<Result>,
  onHang: () => void = () => undefined,
  timeoutMs = DRIVER_TIMEOUT_MS,
): Promise<Result> =>
  withinTime(timeoutMs + GRACE_MS, work, () => {
    onHang();
    return new DriverTimeoutError();
  });

/** The same port, each of whose operations ends. */
export const guardPort = <Port extends object>(port: Port): Port =>
  wrapMethods(port, (call) => guardDriver(() => call() as Promise<unknown>));

interface SessionPoolOptions {
  /** Stores the ids of all sessions, including one that is about to be used for the first time. */
  readonly register?: () => Promise<void>;
  /** Timeout of a batch's reads or its transaction, in milliseconds. */
  readonly batchMs?: number;
}

/**
 * A transaction belongs to a session and survives the gateway that started it: if that is killed,
 * its tenant is blocked until the server aborts the transaction. So batches use a few sessions
 * whose ids are registered beforehand, and the instance that evicts another ends its sessions
 * (pipeline-rules.md 15). A session stays in the pool when its work fails: another one would have to
 * be registered, and its next transaction aborts what is left of the last one.
 */
export const openSessionPool = (
  client: mongo.MongoClient,
  size: number,
  { register = () => Promise.resolve(), batchMs = DRIVER_TIMEOUT_MS }: SessionPoolOptions = {},
): SessionPool => {
  const open = (): Session =>
    client.startSession({ causalConsistency: true, defaultTimeoutMS: batchMs });
  const all = Array.from({ length: size }, open);
  const idle = [...all];

  /** Drops a session whose work never ends. */
  const discard = (session: Session): void => {
    all.splice(all.indexOf(session), 1);
    session.endSession().catch(() => undefined);
  };

  const useAnother: SessionPool['use'] = async (work) => {
    const another = open();
    all.push(another);
    try {
      await guardDriver(register);
    } catch (error) {
      discard(another);
      throw error;
    }
    return useSession(another, work);
  };

  const useSession = async <Result>(
    session: Session,
    work: (session: Session) => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await guardDriver(
        () => work(session),
        () => discard(session),
        batchMs,
      );
    } finally {
      if (all.includes(session)) idle.push(session);
    }
  };

  return {
    use: (work) => {
      const session = idle.pop();
      return session ? useSession(session, work) : useAnother(work);
    },
    ids: () => all.flatMap((session) => session.id?.id ?? []),
    close: async () => {
      await Promise.allSettled(all.map((session) => session.endSession()));
    },
  };
};

/** Runs the work in a transaction, again after a conflict: the driver's own loop. */
export const inTransaction = <Result>(
  sessions: SessionPool,
  work: (session: mongo.ClientSession) => Promise<Result>,
): Promise<Result> => sessions.use((session) => session.withTransaction(work, TRANSACTION));
