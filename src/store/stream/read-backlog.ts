import type { Backlog } from '../../ports/event-stream.js';
import { LOCAL_READ } from '../concerns.js';
import type { Collections } from '../tables/collections.js';

/** Events whose age is read: one for each of the subscriptions that are furthest behind. */
const MAX_AGED = 100;
/** Counting millions is not worth the server's time. */
const OPTIONS = { ...LOCAL_READ, maxTimeMS: 5_000 } as const;

type BacklogCollections = Pick<Collections, 'cursors' | 'deliveries' | 'events' | 'tenantState'>;

/** A subscription, and how much it has not delivered. */
interface Waiting {
  readonly plugin: string;
  readonly tenant: string;
  readonly key: string;
  readonly count: number;
}

const addressOf = ({ plugin, tenant, key }: Waiting): string => `${plugin}:${tenant} ${key}`;

const readRetries = ({ deliveries }: BacklogCollections) => {
  const _id = { plugin: '$plugin', tenant: '$tenant', key: '$key' };
  const ageMs = { $subtract: ['$$NOW', '$due'] };
  return deliveries
    .aggregate<Waiting & { readonly ageMs: number }>(
      [
        { $match: { st: 'p', due: { $exists: true } } },
        { $group: { _id, count: { $sum: 1 }, due: { $min: '$due' } } },
        { $replaceWith: { $mergeObjects: ['$_id', { count: '$count', ageMs }] } },
      ],
      OPTIONS,
    )
    .toArray();
};

/** Of each subscription, its events that are not settled; `seq`: of the first of them. */
const readUnsettled = async ({ cursors, tenantState }: BacklogCollections) => {
  const found = await cursors.find({ 'keys.0': { $exists: true } }, OPTIONS).toArray();
  const tenants = found.map(({ tenant }) => tenant);
  const heads = await tenantState
    .find({ _id: { $in: tenants } }, { ...OPTIONS, projection: { seq: 1 } })
    .toArray();
  const headOf = new Map(heads.map(({ _id, seq }) => [_id, seq]));
  return found.flatMap(({ plugin, tenant, keys }) =>
    keys.map(({ key, at, upTo, open, isPaused = false }) => {
      const count = Math.max(0, (headOf.get(tenant) ?? 0) - upTo) + open.length;
      return { plugin, tenant, key, count, isPaused, seq: at + 1 };
    }),
  );
};

type Unsettled = Awaited<ReturnType<typeof readUnsettled>>[number];

/** Those that are furthest behind, with the age of their first event. */
const readAges = async ({ events }: BacklogCollections, unsettled: readonly Unsettled[]) => {
  const furthest = unsettled.toSorted((one, other) => other.count - one.count).slice(0, MAX_AGED);
  if (furthest.length === 0) return [];
  const $match = { $or: furthest.map(({ tenant, seq }) => ({ tenant, seq })) };
  const $project = { tenant: 1, seq: 1, ageMs: { $subtract: ['$$NOW', '$at'] } };
  const found = await events
    .aggregate<Pick<Unsettled, 'tenant' | 'seq'> & { readonly ageMs: number }>(
      [{ $match }, { $project }],
      OPTIONS,
    )
    .toArray();
  const ages = new Map(found.map(({ tenant, seq, ageMs }) => [`${tenant} ${seq}`, ageMs]));
  return furthest.map((one) => ({ ...one, ageMs: ages.get(`${one.tenant} ${one.seq}`) ?? 0 }));
};

/** What is not delivered, of all gateways; also read by `rollgate doctor`. */
export const readBacklog = async (collections: BacklogCollections): Promise<Backlog> => {
  const retries = await readRetries(collections);
  const unsettled = await readUnsettled(collections);
  const paused = new Set(unsettled.filter(({ isPaused }) => isPaused).map(addressOf));
  const mayBeOverdue = (one: Waiting) => one.count > 0 && !paused.has(addressOf(one));
  const aged = await readAges(collections, unsettled.filter(mayBeOverdue));
  const [pending, overdueMs] = [new Map<string, number>(), new Map<string, number>()];
  for (const { plugin, count } of [...retries, ...unsettled]) {
    pending.set(plugin, (pending.get(plugin) ?? 0) + count);
    overdueMs.set(plugin, 0);
  }
  for (const { plugin, ageMs } of [...retries.filter(mayBeOverdue), ...aged])
    overdueMs.set(plugin, Math.max(ageMs, overdueMs.get(plugin) ?? 0));
  return { pending, overdueMs };
};
