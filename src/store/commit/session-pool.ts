import type * as mongo from 'mongodb';
import { withinTime } from '../../process/timers.js';
import { TRANSACTION } from '../concerns.js';

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
/** Timeout of a batch's reads or its transaction, in milliseconds (pipeline-rules.md 15). */
const BATCH_MS = 8_000;

/**
 * A transaction belongs to a session and survives the gateway that started it: if that is killed,
 * its tenant is blocked until the server aborts the transaction. So batches use a few sessions
 * whose ids are registered beforehand, and the instance that evicts another ends its sessions
 * (pipeline-rules.md 15). A session stays in the pool when its work fails: another one would not be
 * registered yet, and its next transaction aborts what is left of the last one.
 */
export const openSessionPool = (
  client: mongo.MongoClient,
  size: number,
  batchMs = BATCH_MS,
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

  const openAnother = (): Session => {
    const another = open();
    all.push(another);
    return another;
  };

  return {
    use: async (work) => {
      const session = idle.pop() ?? openAnother();
      const onHang = (): Error => {
        discard(session);
        return new DriverTimeoutError();
      };
      try {
        return await withinTime(batchMs + GRACE_MS, () => work(session), onHang);
      } finally {
        if (all.includes(session)) idle.push(session);
      }
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
