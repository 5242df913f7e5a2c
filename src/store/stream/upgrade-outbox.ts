import { setTimeout as wait } from 'node:timers/promises';
import type * as mongo from 'mongodb';
import type { EventId, TenantId } from '../../domain/kernel/ids.js';
import { deliveryIdOf } from '../../pipeline/delivery-id.js';
import { partitionOf } from '../../ports/event-stream.js';
import { LeaseLost } from '../../ports/plugin-storage.js';
import type { Log } from '../../ports/telemetry.js';
import { slicesOf } from '../commit/transaction.js';
import { MAJORITY_WRITE, NO_TIMEOUT } from '../concerns.js';
import { mongoLeaseStore } from '../leases.js';
import type { Collections } from '../tables/collections.js';
import type { DeliveryDocument } from '../tables/deliveries.js';
import { adoptPlugin } from './adopt-plugin.js';
import { MAX_ATTEMPTS } from './record-results.js';

/*
 * Up to 0.8, commits wrote a row for each delivery into the collection `outbox`, or one for many (a
 * span). Its rows are the history and the retries of today.
 */

const OLD = 'outbox';
const OLD_ATTEMPTS = 'outbox_attempts';
const OLD_RECOVERIES = 'outbox_recoveries';
/** Takes the place of `outbox`. No document matches: a gateway of that version can write no deliveries. */
const CLOSED = 'outbox_closed';
/** Written last. Also the name of the lease. */
const MARK = 'upgrade:outbox';
const LEASE_MS = 15_000;
const BATCH = 1_000;
const LONG_WRITE = { ...MAJORITY_WRITE, ...NO_TIMEOUT };

/** A row; or a span, of which the events from `seq` on are not rows yet. */
interface OldRow extends DeliveryDocument {
  /** The gateway that was sending it. `n` counts this attempt. */
  readonly own?: string | null;
  /** The key of a redelivery that was accepted during the attempt. */
  readonly again?: string;
  /** One bit for each position from the first. */
  readonly span?: { readonly seqs: { readonly from: number; readonly bits: mongo.Binary } };
}

/** Writes deliveries, if this gateway is still the one that upgrades. */
type Write = (operations: mongo.AnyBulkWriteOperation<OldRow>[]) => Promise<void>;

const seqsOf = ({ seq: first, span }: OldRow): readonly number[] => {
  const { from = 0, bits } = span?.seqs ?? {};
  const bytes = bits ? Buffer.from(bits.buffer) : [];
  const isSet = (at: number): boolean => (((bytes[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
  const all = Array.from({ length: bytes.length * 8 }, (_, at) => at).filter(isSet);
  return all.map((at) => from + at).filter((seq) => seq >= first);
};

/** An attempt in progress has not been made. First attempts stay in the order of their events. */
const retryFields = ({ again, own = null, due = new Date(), at, n }: OldRow): Partial<OldRow> => {
  if (again !== undefined) return { due: new Date(), n: 0, rev: 1 };
  if (own === null) return { due };
  return { due: n > 1 ? new Date() : at, n: Math.max(0, n - 1) };
};

/** Makes rows of the events of a span, in its state. `fields`: those of all rows. */
const expand = async (
  { events }: Collections,
  write: Write,
  span: OldRow,
  fields: object,
): Promise<void> => {
  for (const seqs of slicesOf(seqsOf(span), BATCH)) {
    const found = await events.find({ tenant: span.tenant, seq: { $in: [...seqs] } }).toArray();
    const rows = found.map(({ _id: ev, seq, name, at }) => {
      const due = span.st === 'p' && { due: at };
      const filter = { _id: deliveryIdOf(ev as EventId, span.plugin, span.key) };
      const update = { $setOnInsert: { ...fields, ev, seq, name, at, n: 0, ...due } };
      return { updateOne: { filter, update, upsert: true } };
    });
    await write(rows);
  }
  await write([{ deleteOne: { filter: { _id: span._id } } }]);
};

/** Pending rows become retries, spans become rows, in one scan. */
const convertRows = async (tables: Collections, write: Write): Promise<void> => {
  const byRecord = new Set(await tables.pluginRecords.distinct('plugin'));
  const isRow = { st: 'p', part: { $exists: false }, span: { $exists: false } } as const;
  const found = tables.database
    .collection<OldRow>(tables.deliveries.collectionName)
    .find({ $or: [isRow, { span: { $exists: true } }] }, { batchSize: BATCH, ...NO_TIMEOUT });
  const batch: mongo.AnyBulkWriteOperation<OldRow>[] = [];
  for await (const row of found) {
    const { _id, tenant, plugin, st, last, expireAt, again = row.key } = row;
    // A subscriber without subscriptions of its own has one, `all`.
    const key = st !== 'p' || byRecord.has(plugin) ? again : 'all';
    const part = partitionOf(tenant as TenantId);
    const ended = { ...(last && { last }), ...(expireAt && { expireAt }) };
    const fields = { tenant, plugin, key, st, ...(st === 'p' ? { part } : ended) };
    if (row.span) await expand(tables, write, row, fields);
    else {
      const $unset = { own: 1, claim: 1, renews: 1, again: 1, res: 1 } as const;
      const update = { $set: { ...retryFields(row), key, part }, $unset };
      batch.push({ updateOne: { filter: { _id, ...isRow }, update } });
    }
    if (batch.length === BATCH) await write(batch.splice(0));
  }
  await write(batch);
};

/** Attempts, in the order in which they were written, go into their deliveries, each once. */
const moveAttempts = async (database: mongo.Db, into: string): Promise<void> => {
  const fields = ['at', 'ms', 'reason', 'summary', 'details'];
  const attempt = Object.fromEntries(fields.map((name) => [name, `$${name}`]));
  const known = { $ifNull: ['$attempts', []] };
  const added = { $slice: [{ $concatArrays: [known, ['$$new.attempt']] }, -MAX_ATTEMPTS] };
  const attempts = { $cond: [{ $in: ['$$new.attempt', known] }, known, added] };
  const merge = { into, whenMatched: [{ $set: { attempts } }], whenNotMatched: 'discard' };
  await database
    .collection(OLD_ATTEMPTS)
    .aggregate([{ $project: { _id: '$d', attempt } }, { $merge: merge }], LONG_WRITE)
    .toArray();
};

const convert = async (tables: Collections, write: Write): Promise<void> => {
  const { database, deliveries, deliveryRecoveries, pluginRecords } = tables;
  const found = await database.listCollections({}, { nameOnly: true }).toArray();
  const names = new Set(found.map(({ name }) => name));
  const rename = (from: string, to: string, options = {}) =>
    write([]).then(() => database.renameCollection(from, to, options));
  const isRenamed = names.has(deliveries.collectionName);
  if (!isRenamed) {
    const sent = (await database.collection(OLD).distinct('plugin')) as string[];
    for (const plugin of new Set([...sent, ...(await pluginRecords.distinct('plugin'))]))
      await adoptPlugin(tables, plugin, { isRepeated: true });
    if (names.has(OLD)) await rename(OLD, deliveries.collectionName);
  }
  if (names.has(OLD_RECOVERIES) && !names.has(deliveryRecoveries.collectionName))
    await rename(OLD_RECOVERIES, deliveryRecoveries.collectionName);
  if (!names.has(CLOSED)) await database.createCollection(CLOSED, { validator: { $expr: false } });
  // What is in it was written after the first rename: the log has it after the positions.
  await rename(CLOSED, OLD, { dropTarget: true });
  await convertRows(tables, write);
  if (names.has(OLD_ATTEMPTS)) {
    await moveAttempts(database, deliveries.collectionName);
    await database.dropCollection(OLD_ATTEMPTS);
  }
  await write([]);
  if (isRenamed || names.has(OLD)) await deliveries.dropIndexes();
};

/**
 * Upgrades a database of an earlier version before anything else uses it: one gateway does, others
 * wait. Each step can be repeated; interrupted, it continues at the next start. No gateway of the
 * earlier version should run (docs/upgrading.md).
 */
export const upgradeOutbox = async (
  tables: Collections,
  { owner, log }: { readonly owner: string; readonly log: Pick<Log, 'info'> },
): Promise<void> => {
  const { database, deliveries, streamPartitions: marks } = tables;
  if (await marks.findOne({ _id: MARK })) return;
  const leases = mongoLeaseStore(database);
  const take = () => leases.take({ lease: MARK, owner, ttlMs: LEASE_MS });
  let taken = await take();
  for (; 'waitMs' in taken; taken = await take()) await wait(Math.min(taken.waitMs, 500));
  const { fence } = taken;
  const renew = (): Promise<boolean> => leases.renew(fence, LEASE_MS);
  const renewal = setInterval(() => void renew().catch(() => false), LEASE_MS / 5);
  try {
    if (await marks.findOne({ _id: MARK })) return;
    let upgraded = 0;
    await convert(tables, async (operations) => {
      if (!(await renew())) throw new LeaseLost('Another gateway upgrades.');
      const rows = database.collection<OldRow>(deliveries.collectionName);
      if (operations.length > 0)
        await rows.bulkWrite(operations, { ordered: false, ...LONG_WRITE });
      upgraded += operations.length;
    });
    const done = { $set: { token: 0 } };
    await marks.updateOne({ _id: MARK }, done, { upsert: true, ...MAJORITY_WRITE });
    // A new database has none.
    if (upgraded > 0)
      log.info({ deliveries: upgraded }, 'The deliveries of an earlier version are upgraded.');
  } finally {
    clearInterval(renewal);
    await leases.release(fence, 0).catch(() => undefined);
  }
};
