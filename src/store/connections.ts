import type * as mongo from 'mongodb';
import type { ApiKeyId, TenantId } from '../domain/kernel/ids.js';
import {
  type Connection,
  CYCLE_GAP_MS,
  MAX_CYCLE_MS,
  MAX_CYCLES,
  RECENT_CYCLES,
} from '../domain/tenant/connection.js';
import type {
  ConnectionStore,
  CountedFailure,
  FailedAuthentication,
  KeyActivity,
} from '../ports/connections.js';
import { bindReads, type Reads } from './bind-reads.js';
import type { Collections } from './tables/collections.js';
import type { ConnectionDocument, FailedAuthenticationDocument } from './tables/connections.js';

type Used = Pick<Collections, 'connections' | 'failedAuthentications' | 'tenants'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** One more than are counted, so that no hour of the last day is overwritten. */
const HOUR_PLACES = 25;
const KEEP_FAILURES_MS = 30 * DAY_MS;
const MAX_FAILURES = 100;

const hourOf = (time: Date): number => Math.floor(time.getTime() / HOUR_MS);

/** A value from a request, which the database must not evaluate. */
const literal = (value: unknown): object => ({ $literal: value });

/**
 * Adds to the document what a gateway has counted. The database computes it from what it has, so that
 * gateways add up: a cycle goes on if any of them had a request of it.
 */
const additionOf = ({ from, until, requests, refused, ...activity }: KeyActivity): object[] => {
  const { usersChanged, userAgent, lastSuccessAt, lastRefusal } = activity;
  const hour = hourOf(until);
  const place = `hours.${hour % HOUR_PLACES}`;
  const isSameHour = { $eq: [`$${place}.hour`, hour] };
  const inHour = (name: string, count: number): object => ({
    $cond: [isSameHour, { $add: [`$${place}.${name}`, count] }, count],
  });
  const isCurrent = {
    $and: [
      { $gt: ['$current', null] },
      { $lte: [from, { $add: ['$current.until', CYCLE_GAP_MS] }] },
      { $lte: [until, { $add: ['$current.from', MAX_CYCLE_MS] }] },
    ],
  };
  const ended = { $cond: [{ $gt: ['$current', null] }, ['$current'], []] };
  const past = { $concatArrays: [{ $ifNull: ['$cycles', []] }, ended] };
  const extended = {
    from: { $min: ['$current.from', from] },
    until: { $max: ['$current.until', until] },
    requests: { $add: ['$current.requests', requests] },
    refused: { $add: ['$current.refused', refused] },
    usersChanged: { $add: ['$current.usersChanged', usersChanged] },
  };
  const set = {
    ...(userAgent !== undefined && { userAgent: literal(userAgent) }),
    ...(lastSuccessAt && { lastSuccessAt: { $max: ['$lastSuccessAt', lastSuccessAt] } }),
    ...(lastRefusal && {
      lastRefusal: {
        $cond: [{ $gt: [lastRefusal.at, '$lastRefusal.at'] }, literal(lastRefusal), '$lastRefusal'],
      },
    }),
    [place]: { hour, requests: inHour('requests', requests), refused: inHour('refused', refused) },
    cycles: { $cond: [isCurrent, '$cycles', { $slice: [past, 1 - MAX_CYCLES] }] },
    current: { $cond: [isCurrent, extended, { from, until, requests, refused, usersChanged }] },
  };
  return [{ $set: set }];
};

const fromDocument = (document: ConnectionDocument, now: Date): Connection => {
  const { userAgent = null, lastSuccessAt = null, lastRefusal = null } = document;
  const { hours = {}, cycles = [], current } = document;
  const first = hourOf(now) - 23;
  const counted = Object.values(hours).filter(({ hour }) => hour >= first);
  const sum = (of: 'requests' | 'refused'): number =>
    counted.reduce((total, one) => total + one[of], 0);
  return {
    userAgent,
    lastRequestAt: current?.until ?? null,
    lastSuccessAt,
    lastRefusal,
    requests: sum('requests'),
    refused: sum('refused'),
    cycles: [...cycles, ...(current ? [current] : [])],
  };
};

/** The same failure in the same hour is one document, whichever gateway counts it. */
const failureIdOf = (
  tenant: string,
  { address, keyPrefix, reason, scope, lastAt }: CountedFailure,
): string => [tenant, hourOf(lastAt), address, keyPrefix, reason, scope].join('|');

const fromFailure = ({
  _id,
  tenant,
  expireAt: _expireAt,
  ...failure
}: FailedAuthenticationDocument): FailedAuthentication => ({
  tenantId: tenant as TenantId,
  ...failure,
});

const tenantsOf = async (
  { tenants }: Used,
  slugs: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const found = await tenants
    .find({ slug: { $in: [...slugs] } }, { projection: { slug: 1 } })
    .toArray();
  return new Map(found.flatMap(({ _id, slug }) => (slug === undefined ? [] : [[slug, _id]])));
};

/** `tenant hash` of the keys that were deleted lately, of these hashes. */
const deletedKeys = async (
  { connections }: Used,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (hashes.length === 0) return new Set();
  const found = await connections
    .find({ hash: { $in: [...hashes] } }, { projection: { tenant: 1, hash: 1 } })
    .toArray();
  return new Set(found.map(({ tenant, hash }) => `${tenant} ${hash}`));
};

const trim = async ({ failedAuthentications }: Used, tenant: string): Promise<void> => {
  const [surplus] = await failedAuthentications
    .find({ tenant }, { projection: { lastAt: 1 } })
    .sort({ lastAt: -1 })
    .skip(MAX_FAILURES)
    .limit(1)
    .toArray();
  if (surplus) await failedAuthentications.deleteMany({ tenant, lastAt: { $lte: surplus.lastAt } });
};

const addFailures: Reads<ConnectionStore, Used>['addFailures'] = async (used, failures) => {
  const idOf = await tenantsOf(used, [...new Set(failures.map(({ slug }) => slug))]);
  const known = failures.filter(({ slug }) => idOf.has(slug));
  if (known.length === 0) return;
  const deleted = await deletedKeys(
    used,
    known.flatMap(({ keyHash }) => keyHash ?? []),
  );
  const touched = new Set<string>();
  const updates = known.map((given): mongo.AnyBulkWriteOperation<FailedAuthenticationDocument> => {
    const { slug, keyHash, firstAt, lastAt, count, ...failure } = given;
    const tenant = idOf.get(slug) ?? '';
    touched.add(tenant);
    const reason = deleted.has(`${tenant} ${keyHash}`) ? 'deleted_key' : failure.reason;
    return {
      updateOne: {
        filter: { _id: failureIdOf(tenant, { ...given, reason }) },
        update: {
          $setOnInsert: { tenant, ...failure, reason },
          $min: { firstAt },
          $max: { lastAt, expireAt: new Date(lastAt.getTime() + KEEP_FAILURES_MS) },
          $inc: { count },
        },
        upsert: true,
      },
    };
  });
  await used.failedAuthentications.bulkWrite(updates, { ordered: false });
  for (const tenant of touched) await trim(used, tenant);
};

const READS: Reads<ConnectionStore, Used> = {
  add: async ({ connections }, activities) => {
    if (activities.size === 0) return;
    await connections.bulkWrite(
      [...activities].map(([_id, activity]) => ({
        updateOne: { filter: { _id }, update: additionOf(activity), upsert: true },
      })),
      { ordered: false },
    );
  },
  addFailures,
  find: async ({ connections }, keyIds, now) => {
    const found = await connections
      .find(
        { _id: { $in: [...keyIds] }, hash: { $exists: false } },
        { projection: { cycles: { $slice: -RECENT_CYCLES } } },
      )
      .toArray();
    return new Map(found.map((one) => [one._id as ApiKeyId, fromDocument(one, now)]));
  },
  cycles: async ({ connections }, _id) => {
    const found = await connections.findOne({ _id }, { projection: { cycles: 1, current: 1 } });
    const { cycles = [], current } = found ?? {};
    return [...cycles, ...(current ? [current] : [])].toReversed();
  },
  failures: async ({ failedAuthentications }, tenant, since) => {
    const found = await failedAuthentications
      .find({ tenant, ...(since && { lastAt: { $gte: since } }) })
      .sort({ lastAt: -1 })
      .limit(MAX_FAILURES)
      .toArray();
    return found.map(fromFailure);
  },
};

/** Connections in MongoDB, which deletes failed authentications after 30 days. */
export const mongoConnectionStore = (used: Used): ConnectionStore =>
  bindReads<ConnectionStore, Used>(READS, used);
