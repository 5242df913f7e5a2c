import {
  type Cursor,
  type CursorAddress,
  type MovedCursor,
  type StreamStore,
} from '../../ports/event-stream.js';
import type { Clock } from '../contract/clock.js';
import type { Subscription } from '../contract/contract.js';
import { createLane, type Group, type Job, type Lane } from './lane.js';
import type { LogCache } from './log-cache.js';
import type { Outage } from './outage.js';
import type { StreamLimits } from './stream-limits.js';

export interface GroupParts {
  readonly store: Pick<StreamStore, 'claim'>;
  readonly log: LogCache;
  readonly clock: Clock;
  readonly limits: StreamLimits;
  readonly outage: Outage;
  /** Events that wait, over all keys. */
  readonly queued: () => number;
  /** Whether so many results wait to be written that no delivery may be given up. */
  readonly isBehind: () => boolean;
  /** How old an event may be while its receiver does not respond, in milliseconds. */
  readonly overdueMs: number;
  readonly databaseTime: () => Date;
  /** Something can be sent. */
  readonly onReady: (lane: Lane) => void;
  /** The events of a job are to be given up. */
  readonly onOverdue: (job: Job) => void;
  /** A key is no longer served. */
  readonly onEnded: (lane: Lane | undefined, key: string) => void;
  /** The log no longer has events that were not delivered. */
  readonly onExpired: (lane: Lane, events: number) => void;
  /** A later owner has claimed it. */
  readonly onLost: (group: Group) => void;
  readonly onOpen: (group: Group) => void;
  /** Retries have been forgotten. */
  readonly onForgotten: (jobs: readonly Job[]) => void;
}

const NO_CURSOR: Cursor = { base: 0, keys: [] };
/** Events that a key reads ahead while all keys together have read ahead enough. */
const SCARCE = 4;
/** Empty pages after which the rest of the log counts as expired. */
const MAX_EMPTY_PAGES = 5;

export const createGroup = (
  address: CursorAddress & Pick<Group, 'subscriber' | 'token'>,
  parts: GroupParts,
): Group => {
  const { plugin, tenantId, subscriber, token } = address;
  const { store, log, clock, limits, outage } = parts;
  const lanes = new Map<string, Lane>();
  const reading = new Set<Lane>();
  const emptyPages = new Map<Lane, number>();
  let cursor: Cursor | undefined;
  let head = 0;
  /** Subscriptions are known as of this position, and were read at this time. */
  let knownTo = -1;
  let freshAt = -Infinity;
  let version: number | undefined;
  /** Of which the subscriptions must be read. */
  let nextVersion: number | undefined;
  let isRefreshing = false;
  let isClosed = false;
  let isLost = false;
  let usedAt = clock.now();
  let lastWritten = '';

  const isOpen = (): boolean => knownTo >= 0 && !isClosed;

  const startOf = ({ key, after }: Subscription, { base, keys }: Cursor) => {
    const stored = keys.find((one) => one.key === key);
    if (stored && stored.at >= (after ?? 0)) return stored;
    const at = after ?? base;
    return { key, at, upTo: at, open: [] };
  };

  const endLane = (key: string): void => {
    const lane = lanes.get(key);
    if (lane) lane.isEnded = true;
    parts.onEnded(lane, key);
    lanes.delete(key);
  };

  const applySubscriptions = (subscriptions: readonly Subscription[], known: Cursor): void => {
    const byKey = new Map(subscriptions.map((one) => [one.key, one]));
    const before = new Set([...lanes.keys(), ...known.keys.map(({ key }) => key)]);
    for (const key of before) if (!byKey.has(key)) endLane(key);
    if (known !== NO_CURSOR)
      cursor = { ...known, keys: known.keys.filter(({ key }) => byKey.has(key)) };
    for (const [key, subscription] of byKey) {
      const lane = lanes.get(key);
      if (lane) lane.subscription = subscription;
      else {
        const position = startOf(subscription, known);
        lanes.set(key, createLane({ group, subscription, position, limits }));
      }
    }
  };

  const readSubscriptions = async (): Promise<void> => {
    const startedAt = clock.now();
    const [headBefore, versionBefore] = [head, nextVersion];
    const wasOpen = isOpen();
    const subscriptions = await subscriber.subscriptions(tenantId);
    // A tenant that never had any has no cursor.
    const needsCursor = subscriptions.length > 0 || (nextVersion ?? 0) > 0;
    const known = cursor ?? (needsCursor ? await store.claim(address, token) : NO_CURSOR);
    if (isClosed) return;
    if (!known) {
      parts.onLost(group);
      return;
    }
    applySubscriptions(subscriptions, known);
    freshAt = startedAt;
    version = versionBefore;
    knownTo = Math.max(knownTo, headBefore);
    outage.succeeded();
    if (!wasOpen) parts.onOpen(group);
  };

  /** Failures are retried by the next round. */
  const refresh = (): void => {
    if (isRefreshing || isClosed) return;
    isRefreshing = true;
    readSubscriptions()
      .then(() => {
        isRefreshing = false;
        pump();
      })
      .catch((cause: unknown) => {
        isRefreshing = false;
        outage.failed(cause);
      });
  };

  const hasRoom = (lane: Lane): boolean => {
    const now = clock.now();
    const most = parts.queued() < limits.maxQueued ? limits.readAhead : SCARCE;
    const room = Math.min(most, lane.breaker.capacity(now) - lane.inFlight());
    const mayGiveUp = lane.breaker.isClosed() || !parts.isBehind();
    return !lane.isEnded && mayGiveUp && lane.queued() < room;
  };

  const takeNext = (lane: Lane): boolean => {
    const cached = log.get(tenantId, lane.readTo() + 1);
    if (!cached) return false;
    const { event, isLive } = cached;
    const ageMs = parts.databaseTime().getTime() - event.at.getTime();
    const isOverdue = !lane.breaker.isClosed() && ageMs > parts.overdueMs;
    const givenUp = lane.take(event, { isLive, isOverdue });
    if (givenUp) parts.onOverdue(givenUp);
    return true;
  };

  const noteGap = (lane: Lane, first: number | undefined): void => {
    const pages = first === undefined ? (emptyPages.get(lane) ?? 0) + 1 : 0;
    emptyPages.set(lane, pages);
    if (first === undefined && pages < MAX_EMPTY_PAGES) return;
    const last = first === undefined ? knownTo : first - 1;
    if (last > lane.readTo()) parts.onExpired(lane, lane.skipTo(last));
  };

  const readPage = (lane: Lane): void => {
    if (reading.has(lane)) return;
    reading.add(lane);
    const after = lane.readTo();
    log
      .read(tenantId, after)
      .then((first) => {
        outage.succeeded();
        reading.delete(lane);
        if (first !== undefined) emptyPages.delete(lane);
        // Without a page now, the next round reads again.
        if (lane.readTo() === after && first !== after + 1) noteGap(lane, first);
        if (first !== undefined) pumpLane(lane);
      })
      .catch((cause: unknown) => {
        reading.delete(lane);
        outage.failed(cause);
      });
  };

  const pumpLane = (lane: Lane): void => {
    if (isClosed) return;
    while (lane.readTo() < knownTo && hasRoom(lane)) {
      if (takeNext(lane)) continue;
      readPage(lane);
      break;
    }
    if (lane.isReady()) parts.onReady(lane);
  };

  const pump = (changed?: Lane): void => {
    if (isClosed) return;
    if (head > knownTo) refresh();
    if (changed) pumpLane(changed);
    else for (const lane of lanes.values()) pumpLane(lane);
  };

  const moved = (): MovedCursor | undefined => {
    if (!cursor || isLost) return undefined;
    const keys = [...lanes.values()].map((lane) => lane.position());
    const low = keys.length === 0 ? knownTo : Math.min(...keys.map(({ at }) => at));
    if (JSON.stringify([low, keys]) === lastWritten) return undefined;
    return { plugin, tenantId, token, low, keys };
  };

  const group: Group = {
    plugin,
    tenantId,
    subscriber,
    token,
    usedAt: () => usedAt,
    lanes: () => lanes.values(),
    find: (key) => lanes.get(key),
    extend: ({ seq, confirms }) => {
      usedAt = clock.now();
      head = Math.max(head, seq);
      if (confirms && confirms.version === version && knownTo >= 0) {
        knownTo = Math.max(knownTo, seq);
        freshAt = Math.max(freshAt, confirms.at);
      } else if (confirms) {
        nextVersion = confirms.version;
        freshAt = -Infinity;
        knownTo = Math.min(knownTo, head - 1);
      }
      pump();
    },
    isOpen,
    isFresh: () => {
      if (isOpen() && clock.now() - freshAt < limits.freshMs) return true;
      refresh();
      return false;
    },
    freshAt: () => freshAt,
    refresh,
    pump,
    close: (given = { isLost: false }) => {
      isClosed = true;
      isLost ||= given.isLost;
      for (const lane of lanes.values()) parts.onForgotten(lane.rewind());
    },
    isClosed: () => isClosed,
    isLost: () => isLost,
    isIdle: () =>
      !isRefreshing &&
      reading.size === 0 &&
      head <= knownTo &&
      [...lanes.values()].every((lane) => lane.readTo() >= knownTo && lane.isSettled()),
    moved,
    written: ({ low, keys }) => {
      lastWritten = JSON.stringify([low, keys]);
    },
  };
  return group;
};
