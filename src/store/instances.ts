import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type * as mongo from 'mongodb';
import type { Log } from '../ports/telemetry.js';
import type { Collections } from './tables/collections.js';
import { guardDriver, type SessionPool } from './commit/session-pool.js';
import { type InstanceDocument, instances } from './tables/gateways.js';
import { LOCAL_READ, PRIMARY_WRITE } from './concerns.js';

/** The database's time, extrapolated by a monotonic clock. */
export interface ServerClock {
  /** Never earlier than before, unless the server's clock was set back by more than a minute. */
  readonly now: () => Date;
  /** A reading of the server's clock, and when it was read by the monotonic clock. */
  readonly set: (time: Date, at: number) => void;
}

/**
 * A new reading may be earlier because of network latency or another primary. Up to this much the
 * clock stands still rather than going back. More is a clock that was corrected: standing still
 * would leave it wrong for that long.
 */
const MAX_HOLD_MS = 60_000;

/** @internal */
export const createServerClock = (
  monotonic: () => number = () => performance.now(),
): ServerClock => {
  let known = { time: Date.now(), at: monotonic() };
  let latest = -Infinity;
  return {
    now: () => {
      const time = known.time + monotonic() - known.at;
      const standsStill = time < latest && latest - time <= MAX_HOLD_MS;
      if (!standsStill) latest = time;
      return new Date(latest);
    },
    set: (time, at) => {
      known = { time: time.getTime(), at };
    },
  };
};

export interface Instances {
  /** Number of gateways with a recent heartbeat, including this one; at least 1. */
  readonly alive: () => number;
  /** Their ids. */
  readonly living: () => readonly string[];
  /**
   * The database's time at the last heartbeat plus the time since then by a monotonic clock; it
   * never goes back.
   */
  readonly databaseTime: () => Date;
  /**
   * How often the other gateways have evicted this one, or may have: its heartbeat was late.
   * Undefined: they may be evicting it now, so it must not use what it holds.
   */
  readonly timesEvicted: () => number | undefined;
  /** Whether no heartbeat has succeeded for so long that only a restart may help. */
  readonly isOverdue: () => boolean;
  /** Stores the ids of the sessions that may have a transaction open, as each heartbeat does. */
  readonly registerSessions: () => Promise<void>;
  /** Stops the heartbeat and leaves, so that the others need not wait for it to expire. */
  readonly leave: () => Promise<void>;
}

interface InstanceParts {
  readonly collections: Collections;
  readonly sessions: SessionPool;
  /** This process: a new UUID each time it starts. */
  readonly instanceId: string;
  /** Of Rollgate; absent in tests. */
  readonly version?: string;
  /** Releases what an evicted instance holds. */
  readonly onExpired: (instanceId: string) => Promise<void>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

const HEARTBEAT_MS = 1_000;
/**
 * A gateway that is alone reads the list only after another one has announced itself, which its own
 * heartbeat returns, and at this interval: gateways of earlier versions do not announce themselves.
 */
const ALONE_LIST_MS = 10_000;
/**
 * Without a heartbeat for this long an instance is evicted and its sessions are ended
 * (pipeline-rules.md 15).
 */
const EXPIRY_MS = 3_000;

/** A gateway stops trusting what it holds before the others may evict it. */
const TRUSTED_MS = EXPIRY_MS - 500;

/** Without a heartbeat for this long, a gateway is not ready (`/readyz`). */
const OVERDUE_MS = 30_000;

type Collection = mongo.Collection<InstanceDocument>;
type Seen = InstanceDocument & { readonly now: Date };

/** Registers this gateway, sends its heartbeat, and evicts gateways whose heartbeat has stopped. */
export const joinInstances = async (parts: InstanceParts): Promise<Instances> => {
  const { collections, instanceId, log } = parts;
  const instances: Collection = collections.instances;
  const leaving = new AbortController();
  let alive: readonly string[] = [instanceId];
  let joined = 0;
  let lastListAt = -Infinity;
  const clock = createServerClock();
  let evictions = 0;
  /** When the last successful heartbeat was sent: the database received it no earlier. */
  let lastHeartbeatAt = performance.now();
  const silentMs = (): number => performance.now() - lastHeartbeatAt;
  const mayBeEvicted = (): boolean => silentMs() > TRUSTED_MS;
  let failing = false;

  /** One after the other: an earlier one must not overwrite the sessions of a later one. */
  let lastWrite: Promise<unknown> = Promise.resolve();
  const write = (): ReturnType<typeof writeHeartbeat> => {
    const next = lastWrite.then(() => guardDriver(() => writeHeartbeat(instances, parts)));
    lastWrite = next.catch(() => undefined);
    return next;
  };

  const heartbeat = async (): Promise<void> => {
    const sentAt = performance.now();
    const own = await write();
    const wasLate = mayBeEvicted();
    if (wasLate) evictions += 1;
    lastHeartbeatAt = sentAt;
    // The server read its clock between request and response; the middle has the smallest error.
    clock.set(own.heartbeatAt, (sentAt + performance.now()) / 2);
    const isKnown = own.joined === joined && sentAt - lastListAt < ALONE_LIST_MS;
    if (alive.length === 1 && isKnown && !wasLate) return;
    lastListAt = -Infinity;
    const [living, expired] = partition(await readAll(instances), instanceId);
    alive = [...new Set([instanceId, ...living.map(({ _id }) => _id)])];
    for (const dead of expired) await evict(instances, dead, parts);
    joined = own.joined;
    lastListAt = sentAt;
  };

  const runHeartbeats = async (): Promise<void> => {
    while (await pause(leaving.signal)) {
      try {
        await guardDriver(heartbeat);
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'heartbeat write failed');
        failing = true;
      }
    }
  };

  await heartbeat();
  await announce(instances, instanceId);
  const running = runHeartbeats();
  return {
    alive: () => alive.length,
    living: () => alive,
    databaseTime: clock.now,
    timesEvicted: () => (mayBeEvicted() ? undefined : evictions),
    isOverdue: () => silentMs() > OVERDUE_MS,
    registerSessions: async () => {
      await write();
    },
    leave: async () => {
      leaving.abort();
      await running;
      await instances.deleteOne({ _id: instanceId }, PRIMARY_WRITE).catch(() => undefined);
    },
  };
};

/** Waits for the next heartbeat; false when this gateway leaves. */
const pause = async (leaving: AbortSignal): Promise<boolean> => {
  await wait(HEARTBEAT_MS, undefined, { signal: leaving }).catch(() => undefined);
  return !leaving.aborted;
};

const writeHeartbeat = async (
  instances: Collection,
  { instanceId, sessions, version }: InstanceParts,
): Promise<{ readonly heartbeatAt: Date; readonly joined: number }> => {
  const own = await instances.findOneAndUpdate(
    { _id: instanceId },
    [
      {
        $set: {
          startedAt: { $ifNull: ['$startedAt', '$$NOW'] },
          heartbeatAt: '$$NOW',
          sessions: sessions.ids(),
          host: { $literal: hostname() },
          ...(version !== undefined && { version: { $literal: version } }),
        },
      },
    ],
    {
      upsert: true,
      returnDocument: 'after',
      projection: { heartbeatAt: 1, joined: 1 },
      ...PRIMARY_WRITE,
    },
  );
  if (!own) throw new Error('the heartbeat was not stored');
  return { heartbeatAt: own.heartbeatAt, joined: own.joined ?? 0 };
};

/** Makes the other gateways read the list with their next heartbeat. */
const announce = async (instances: Collection, instanceId: string): Promise<void> => {
  await instances.updateMany({ _id: { $ne: instanceId } }, { $inc: { joined: 1 } }, PRIMARY_WRITE);
};

const readAll = (instances: Collection): Promise<Seen[]> =>
  instances.aggregate<Seen>([{ $addFields: { now: '$$NOW' } }], LOCAL_READ).toArray();

/** A gateway as seen by another process. */
export interface SeenInstance {
  readonly instanceId: string;
  readonly startedAt: Date;
  /** Time since its last heartbeat, by the database's clock. */
  readonly silentMs: number;
  readonly isAlive: boolean;
}

/** All registered gateways, for `rollgate doctor`. */
export const readInstances = async (database: mongo.Db): Promise<readonly SeenInstance[]> => {
  const seen = await readAll(instances.in(database));
  return seen.map(({ _id, startedAt, heartbeatAt, now }) => {
    const silentMs = Math.max(0, now.getTime() - heartbeatAt.getTime());
    return { instanceId: _id, startedAt, silentMs, isAlive: silentMs <= EXPIRY_MS };
  });
};

const partition = (seen: readonly Seen[], instanceId: string): readonly [Seen[], Seen[]] => {
  const isExpired = ({ _id, heartbeatAt, now }: Seen): boolean =>
    _id !== instanceId && now.getTime() - heartbeatAt.getTime() > EXPIRY_MS;
  return [seen.filter((instance) => !isExpired(instance)), seen.filter(isExpired)];
};

/** Several gateways may evict one at the same time: everything here can be done twice. */
const evict = async (
  instances: Collection,
  dead: Seen,
  { collections, onExpired, log }: InstanceParts,
): Promise<void> => {
  const sessions = dead.sessions.map((id) => ({ id }));
  if (sessions.length > 0)
    await collections.database.command({ killSessions: sessions }).catch((error: unknown) => {
      log.warn({ err: error }, 'cannot end the sessions of an evicted gateway');
    });
  await onExpired(dead._id);
  const { deletedCount } = await instances.deleteOne({
    _id: dead._id,
    heartbeatAt: dead.heartbeatAt,
  });
  if (deletedCount > 0)
    log.info({ instance: dead._id }, 'evicted a gateway whose heartbeat stopped');
};
