import type { Backlog } from '../../ports/event-stream.js';
import { LOCAL_READ } from '../concerns.js';
import type { Collections } from '../tables/collections.js';

/** Events whose age is read: one for each of the subscriptions that are furthest behind. */
const MAX_AGED = 100;
/** Counting millions is not worth the server's time. */
const MAX_TIME_MS = 5_000;

interface Behind {
  readonly plugin: string;
  readonly tenant: string;
  readonly isPaused: boolean;
  /** The first event that is not settled. */
  readonly seq: number;
  readonly events: number;
}

const add = (counts: Map<string, number>, plugin: string, count: number): void => {
  counts.set(plugin, (counts.get(plugin) ?? 0) + count);
};

type BacklogCollections = Pick<Collections, 'cursors' | 'deliveries' | 'events' | 'tenantState'>;

const findBehind = async ({
  cursors,
  tenantState,
}: Pick<BacklogCollections, 'cursors' | 'tenantState'>): Promise<{
  readonly behind: readonly Behind[];
  readonly paused: readonly object[];
}> => {
  const options = { ...LOCAL_READ, maxTimeMS: MAX_TIME_MS };
  const found = await cursors.find({ 'keys.0': { $exists: true } }, options).toArray();
  const heads = await tenantState
    .find(
      { _id: { $in: found.map(({ tenant }) => tenant) } },
      { ...options, projection: { seq: 1 } },
    )
    .toArray();
  const headOf = new Map(heads.map(({ _id, seq }) => [_id, seq]));
  const behind = found.flatMap(({ plugin, tenant, keys }) =>
    keys.map(({ at, upTo, open, isPaused = false }) => {
      const events = Math.max(0, (headOf.get(tenant) ?? 0) - upTo) + open.length;
      return { plugin, tenant, isPaused, seq: at + 1, events };
    }),
  );
  const paused = found.flatMap(({ plugin, tenant, keys }) =>
    keys.flatMap(({ key, isPaused }) => (isPaused ? [{ plugin, tenant, key }] : [])),
  );
  return { behind: behind.filter(({ events }) => events > 0), paused };
};

/** What is not delivered, of all gateways; also read by `rollgate doctor`. */
export const readBacklog = async (collections: BacklogCollections): Promise<Backlog> => {
  const { deliveries, events } = collections;
  const { behind, paused } = await findBehind(collections);
  const address = { plugin: '$plugin', tenant: '$tenant', key: '$key' };
  const due = { $cond: [{ $in: [address, { $literal: paused }] }, null, '$due'] };
  const retries = await deliveries
    .aggregate<{ readonly _id: string; readonly count: number; readonly overdueMs: number }>(
      [
        { $match: { st: 'p', due: { $exists: true } } },
        { $group: { _id: '$plugin', count: { $sum: 1 }, due: { $min: due } } },
        { $project: { count: 1, overdueMs: { $max: [0, { $subtract: ['$$NOW', '$due'] }] } } },
      ],
      { ...LOCAL_READ, maxTimeMS: MAX_TIME_MS },
    )
    .toArray();
  const furthest = behind
    .filter(({ isPaused }) => !isPaused)
    .sort((one, other) => other.events - one.events)
    .slice(0, MAX_AGED);
  const ages =
    furthest.length === 0
      ? []
      : await events
          .aggregate<{ readonly tenant: string; readonly seq: number; readonly ms: number }>(
            [
              { $match: { $or: furthest.map(({ tenant, seq }) => ({ tenant, seq })) } },
              { $project: { tenant: 1, seq: 1, ms: { $subtract: ['$$NOW', '$at'] } } },
            ],
            { ...LOCAL_READ, maxTimeMS: MAX_TIME_MS },
          )
          .toArray();
  const ageOf = new Map(ages.map(({ tenant, seq, ms }) => [`${tenant} ${seq}`, ms]));
  const [pending, overdueMs] = [new Map<string, number>(), new Map<string, number>()];
  for (const { _id, count, overdueMs: ms } of retries) {
    add(pending, _id, count);
    overdueMs.set(_id, ms);
  }
  for (const { plugin, events: count } of behind) add(pending, plugin, count);
  for (const { plugin, tenant, seq } of furthest)
    overdueMs.set(
      plugin,
      Math.max(0, overdueMs.get(plugin) ?? 0, ageOf.get(`${tenant} ${seq}`) ?? 0),
    );
  return { pending, overdueMs };
};
