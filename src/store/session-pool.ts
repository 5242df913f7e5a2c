import type { mongo } from 'mongoose';

type Session = mongo.ClientSession;

/** Sessions that batches run in, kept and known by name. */
export interface SessionPool {
  /** Runs the work in a session of the pool; the session goes back where the work ended well. */
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
 * beforehand, and whoever finds an instance silent ends its sessions (pipeline-rules.md 15).
 */
export const openSessionPool = (client: mongo.MongoClient, size: number): SessionPool => {
  const open = (): Session =>
    client.startSession({ causalConsistency: true, defaultTimeoutMS: BATCH_MS });
  const idle = Array.from({ length: size }, open);
  const all = new Set(idle);

  const replace = (session: Session): void => {
    all.delete(session);
    const fresh = open();
    all.add(fresh);
    idle.push(fresh);
    // The server forgets it by itself; nothing waits for that.
    session.endSession().catch(() => undefined);
  };

  const take = (): Session => {
    const session = idle.pop() ?? open();
    all.add(session);
    return session;
  };

  return {
    use: async (work) => {
      const session = take();
      try {
        const result = await work(session);
        idle.push(session);
        return result;
      } catch (error) {
        replace(session);
        throw error;
      }
    },
    ids: () => [...all].flatMap((session) => session.id?.id ?? []),
    close: async () => {
      await Promise.allSettled([...all].map((session) => session.endSession()));
    },
  };
};
