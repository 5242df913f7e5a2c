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

/**
 * Neither an answer nor an error came. The driver waits for ever where it writes to a socket that
 * was destroyed a moment ago and has not said so yet (seen, mongodb 7.8.0): nothing may hang a lane.
 */
export class DriverTimeoutError extends Error {
  override readonly name = 'NeverAnswered';
  constructor() {
    super('The database driver neither answered nor failed.');
  }
}

/** Resolves with false where the work is still under way after this time. */
const settlesWithin = async (work: Promise<unknown>, timeoutMs: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const ended = work.then(
    () => true as const,
    () => true as const,
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** What the driver's own limits come first by. */
const GRACE_MS = 1_000;
/** A batch's reads or its transaction end after this long, in milliseconds (pipeline-rules.md 15). */
const BATCH_MS = 8_000;

/**
 * A transaction belongs to a session, and outlives the gateway that began it: killed, it blocks its
 * tenant until the server gives up. So batches run in few sessions whose ids are written down
 * beforehand, and whoever finds an instance silent ends its sessions (pipeline-rules.md 15). A
 * session stays in the pool though the work in it failed: another one would not be written down
 * yet, and the next transaction of the same ends on the server what is left of the last.
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

  /** The work will never end: the session is not to be had back. */
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
      const result = work(session);
      const isSettled = await settlesWithin(result, batchMs + GRACE_MS);
      if (isSettled) idle.push(session);
      else discard(session);
      return isSettled ? result : Promise.reject(new DriverTimeoutError());
    },
    ids: () => all.flatMap((session) => session.id?.id ?? []),
    close: async () => {
      await Promise.allSettled(all.map((session) => session.endSession()));
    },
  };
};
