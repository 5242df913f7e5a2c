import type { DomainEvent } from '../../domain/events.js';
import type { ApiKeyId } from '../../domain/kernel/ids.js';
import { isJsonObject } from '../../domain/kernel/json.js';
import { maskNumbersIn } from '../../domain/kernel/names.js';
import type { Refusal } from '../../domain/kernel/refusals.js';
import {
  CYCLE_GAP_MS,
  type ConnectionRefusal,
  MAX_CYCLE_MS,
} from '../../domain/tenant/connection.js';
import { isSlug } from '../../domain/tenant/tenant.js';
import type {
  ConnectionStore,
  CountedFailure,
  FailureReason,
  KeyActivity,
} from '../../ports/connections.js';
import type { Log } from '../../ports/telemetry.js';
import type { Request, Response } from 'express';
import { contextOf } from '../request-context.js';
import { createBoundedCache } from './bounded-cache.js';
import { addressKeyOf, type ClientAddress } from './refuse-credentials.js';

/** A request with a valid key, after its response. */
interface EndedRequest {
  readonly userAgent: string | undefined;
  readonly durationMs: number;
  readonly requestId: string;
  /** Undefined: it was not refused. */
  readonly refusal: Refusal | undefined;
  /** The client disconnected before the response. */
  readonly isAborted: boolean;
}

/** A request that was not authenticated. */
interface Failure {
  /** From the path; it may be that of no tenant. */
  readonly slug: string;
  readonly address: string;
  readonly keyPrefix: string | null;
  readonly reason: FailureReason;
  readonly scope?: string | undefined;
  readonly keyHash?: string | undefined;
}

/**
 * Counts the requests of each API key, and failed authentications, in memory. The counts are stored
 * twice a minute and when the gateway stops: nothing is written while a request waits.
 */
export interface ConnectionTracker {
  readonly requestEnded: (id: ApiKeyId, request: EndedRequest) => void;
  readonly authenticationFailed: (failure: Failure) => void;
  /** Counts the user that a committed event is about. */
  readonly eventCommitted: (event: Pick<DomainEvent, 'apiKeyId' | 'data'>) => void;
  /** Stores what was counted. Never rejects. */
  readonly flush: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface TrackerParts {
  readonly store: Pick<ConnectionStore, 'add' | 'addFailures'>;
  /** The database's clock: several gateways add to one cycle. */
  readonly now: () => Date;
  readonly log: Log;
}

const INTERVAL_MS = 30_000;
const HOUR_MS = 3_600_000;
/** Keys that are counted between two writes. */
const MAX_KEYS = 50_000;
/** Users that are counted once per cycle, over all keys. */
const MAX_USERS = 20_000;
/** Different failures that are counted between two writes. */
const MAX_FAILURES = 1_000;
/** Addresses whose key prefixes are counted separately, and prefixes of each in an hour. */
const MAX_ADDRESSES = 10_000;
const MAX_PREFIXES = 5;
const MAX_AGENT = 256;
const MAX_MESSAGE = 500;

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

interface Counted extends Omit<Writable<KeyActivity>, 'lastRefusal'> {
  refused: number;
  lastRefusal?: Omit<ConnectionRefusal, 'message' | 'code'> & { readonly refusal: Refusal };
}

const activityOf = ({ lastRefusal, ...counted }: Counted): KeyActivity => {
  if (!lastRefusal) return counted;
  const { refusal, ...when } = lastRefusal;
  const message = maskNumbersIn(refusal.logMessage ?? refusal.message).slice(0, MAX_MESSAGE);
  return { ...counted, lastRefusal: { ...when, code: refusal.code, message } };
};

interface Counts<Counted> {
  /** What was counted since the last call. */
  readonly take: () => Counted;
}

/** The requests of each API key, and the users that they changed. */
const countActivities = (
  now: () => Date,
): Pick<ConnectionTracker, 'requestEnded' | 'eventCommitted'> &
  Counts<ReadonlyMap<ApiKeyId, KeyActivity>> => {
  let activities = new Map<ApiKeyId, Counted>();
  /** The cycle of a key, as far as this gateway sees it. */
  const cycles = createBoundedCache<ApiKeyId, { readonly from: number; until: number }>(MAX_KEYS);
  const changedUsers = createBoundedCache<string, true>(MAX_USERS);

  /** The start of the cycle that a request belongs to. */
  const cycleAt = (id: ApiKeyId, at: number): number => {
    const open = cycles.get(id);
    if (open && at - open.until <= CYCLE_GAP_MS && at - open.from <= MAX_CYCLE_MS) {
      open.until = at;
      return open.from;
    }
    cycles.set(id, { from: at, until: at });
    return at;
  };

  const countedOf = (id: ApiKeyId, from: Date): Counted | undefined => {
    const known = activities.get(id);
    if (known) return known;
    if (activities.size >= MAX_KEYS) return undefined;
    const counted = { from, until: from, requests: 0, refused: 0, usersChanged: 0 };
    activities.set(id, counted);
    return counted;
  };

  return {
    requestEnded: (id, { userAgent, durationMs, requestId, refusal, isAborted }) => {
      const at = now();
      cycleAt(id, at.getTime());
      const from = new Date(at.getTime() - Math.ceil(durationMs));
      const counted = countedOf(id, from);
      if (!counted) return;
      // Its events, or a request that began later, may have been first.
      if (from < counted.from) counted.from = from;
      counted.until = at;
      counted.requests += 1;
      if (userAgent !== undefined) counted.userAgent = userAgent.slice(0, MAX_AGENT);
      if (refusal) {
        counted.refused += 1;
        counted.lastRefusal = { at, requestId, refusal };
      } else if (!isAborted) counted.lastSuccessAt = at;
    },
    eventCommitted: ({ apiKeyId: id, data: { user } }) => {
      if (id === null || !isJsonObject(user) || typeof user['id'] !== 'string') return;
      const at = now();
      const change = `${id} ${cycleAt(id, at.getTime())} ${user['id']}`;
      const counted = countedOf(id, at);
      if (!counted || changedUsers.has(change)) return;
      changedUsers.set(change, true);
      counted.until = at;
      counted.usersChanged += 1;
    },
    take: () => {
      const taken = activities;
      activities = new Map();
      return new Map([...taken].map(([id, counted]) => [id, activityOf(counted)]));
    },
  };
};

/** Requests that were not authenticated. */
const countFailures = (
  now: () => Date,
): Pick<ConnectionTracker, 'authenticationFailed'> & Counts<readonly CountedFailure[]> => {
  let failures = new Map<string, Writable<CountedFailure>>();
  const prefixes = createBoundedCache<string, Set<string>>(MAX_ADDRESSES);

  /** Of an address that tries many keys, the prefixes of the first ones. */
  const shownPrefix = ({ slug, address, keyPrefix }: Failure, at: Date): string | null => {
    if (keyPrefix === null) return null;
    const hour = Math.floor(at.getTime() / HOUR_MS);
    const place = `${slug} ${address} ${hour}`;
    const seen = prefixes.get(place) ?? new Set();
    prefixes.set(place, seen);
    if (!seen.has(keyPrefix) && seen.size >= MAX_PREFIXES) return null;
    seen.add(keyPrefix);
    return keyPrefix;
  };

  return {
    authenticationFailed: (failure) => {
      const { slug, address, reason, scope = null, keyHash } = failure;
      if (!isSlug(slug)) return;
      const at = now();
      const keyPrefix = shownPrefix(failure, at);
      const place = [slug, address, keyPrefix, reason, scope].join('|');
      const known = failures.get(place);
      if (known) {
        known.count += 1;
        known.lastAt = at;
      } else if (failures.size < MAX_FAILURES)
        failures.set(place, {
          ...{ slug, address, keyPrefix, reason, scope, firstAt: at, lastAt: at, count: 1 },
          ...(keyPrefix !== null && keyHash !== undefined && { keyHash }),
        });
    },
    take: () => {
      const taken = failures;
      failures = new Map();
      return [...taken.values()];
    },
  };
};

export const startConnectionTracker = ({ store, now, log }: TrackerParts): ConnectionTracker => {
  const { take: takeActivities, ...activities } = countActivities(now);
  const { take: takeFailures, ...failures } = countFailures(now);

  const storeCounted = async (): Promise<void> => {
    const [counted, failed] = [takeActivities(), takeFailures()];
    const lost = (what: string) => (error: unknown) =>
      log.warn({ err: error }, `could not store ${what}`);
    if (counted.size > 0) await store.add(counted).catch(lost('the requests of API keys'));
    if (failed.length > 0) await store.addFailures(failed).catch(lost('failed authentications'));
  };

  let stored = Promise.resolve();
  /** One after another: who reads next must find what an earlier flush has taken. */
  const flush = (): Promise<void> => (stored = stored.then(storeCounted));
  const timer = setInterval(() => void flush(), INTERVAL_MS);
  timer.unref();

  return {
    ...activities,
    ...failures,
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};

/** Counts a request when its response is complete or aborted, unless it was not authenticated. */
export const trackRequests =
  (
    { requestEnded, authenticationFailed }: ConnectionTracker,
    addressOf: ClientAddress,
  ): ((request: Request, response: Response) => void) =>
  (request, response) => {
    const { caller, refusal, partRefusal, requestId, startedAt } = contextOf(request);
    if (!caller) return;
    const { key, tenant } = caller;
    requestEnded(key.id, {
      userAgent: request.headers['user-agent'],
      durationMs: performance.now() - startedAt,
      requestId,
      refusal: refusal ?? partRefusal,
      isAborted: !response.writableFinished,
    });
    if (refusal?.code === 'INSUFFICIENT_SCOPE')
      authenticationFailed({
        slug: tenant.slug,
        address: addressKeyOf(addressOf(request)),
        keyPrefix: key.prefix,
        reason: 'missing_scope',
        scope: refusal.scope,
      });
  };
