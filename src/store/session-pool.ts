import type { mongo } from 'mongoose';

type Session = mongo.ClientSession;

/** Sessions that batches run in, kept and known by name. */
export interface SessionPool {
  /** Runs the work in a session of the pool; nothing of it may be under way when it ends. */
  readonly use: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;
  /** The ids of all sessions that may have a transaction open. */
  readonly ids: () => readonly mongo.Binary[];
  readonly close: () => Promise<void>;
}

/** A batch's reads or its transaction end after this long, in milliseconds (pipeline-rules.md 15). */
const BATCH_MS = 8_000;

/**
 * A transaction belongs to a session, and outlives the gateway that began it: killed, it blocks its
 * tenant until the server gives up. So batches run in few sessions whose ids are written down
 * beforehand, and whoever finds an instance silent ends its sessions (pipeline-rules.md 15). A
 * session stays in the pool though the work in it failed: another one would not be written down
 * yet, and the next transaction of the same ends on the server what is left of the last.
 */
export const openSessionPool = (client: mongo.MongoClient, size: number): SessionPool => {
  const open = (): Session =>
    client.startSession({ causalConsistency: true, defaultTimeoutMS: BATCH_MS });
  const all = Array.from({ length: size }, open);
  const idle = [...all];

  const openAnother = (): Session => {
    const another = open();
    all.push(another);
    return another;
  };

  return {
    use: async (work) => {
      const session = idle.pop() ?? openAnother();
      try {
        return await work(session);
      } finally {
        idle.push(session);
      }
    },
    ids: () => all.flatMap((session) => session.id?.id ?? []),
    close: async () => {
      await Promise.allSettled(all.map((session) => session.endSession()));
    },
  };
};
