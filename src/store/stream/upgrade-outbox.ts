import type * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import { partitionOf } from '../../ports/event-stream.js';
import type { Log } from '../../ports/telemetry.js';
import { MAJORITY_WRITE, NO_TIMEOUT } from '../concerns.js';
import {
  cursorIdOf,
  cursors,
  deliveries,
  type DeliveryDocument,
  partitions,
  recoveries,
} from '../tables/deliveries.js';
import { tenantState } from '../tables/tenants.js';
import { adoptPlugin } from './adopt-plugin.js';

/*
 * Up to 0.8, commits wrote a row for each delivery into the collection `outbox`, or one for many (a
 * span). Its rows are the history and the retries of today; spans become positions.
 */

const OLD = 'outbox';
const OLD_ATTEMPTS = 'outbox_attempts';
const OLD_RECOVERIES = 'outbox_recoveries';
/** No document matches it: a gateway of an earlier version can write, and send, no deliveries. */
const CLOSED = { $expr: false };

/** A row of many events: those from `seq` on are not rows yet. */
interface Span {
  readonly plugin: string;
  readonly tenant: string;
  readonly key: string;
  readonly seq: number;
  readonly left: number;
  /** One bit for each position from the first. */
  readonly span: { readonly seqs: { readonly from: number; readonly bits: mongo.Binary } };
}

const seqsOf = ({ seq: first, left, span: { seqs } }: Span): readonly number[] => {
  const bytes = Buffer.from(seqs.bits.buffer);
  const found: number[] = [];
  for (let at = first - seqs.from; at >> 3 < bytes.length && found.length < left; at += 1)
    if ((bytes.readUInt8(at >> 3) >> (at & 7)) & 1) found.push(seqs.from + at);
  return found;
};

/** The positions of keys with spans: everything is settled except the events of the spans. */
const positionSpans = async (database: mongo.Db): Promise<void> => {
  const spans = await deliveries
    .in(database)
    .find({ st: 'p', left: { $exists: true } } as mongo.Filter<DeliveryDocument>)
    .toArray();
  const open = new Map<string, { readonly span: Span; readonly seqs: number[] }>();
  for (const span of spans as unknown as Span[]) {
    const name = `${cursorIdOf(span.plugin, span.tenant)} ${span.key}`;
    const known = open.get(name) ?? { span, seqs: [] };
    open.set(name, { span, seqs: [...known.seqs, ...seqsOf(span)] });
  }
  for (const { span, seqs } of open.values()) {
    const { plugin, tenant, key } = span;
    const state = await tenantState.in(database).findOne({ _id: tenant });
    const sorted = seqs.sort((one, other) => one - other);
    const at = (sorted[0] ?? 1) - 1;
    const position = { key, at, upTo: state?.seq ?? at, open: sorted };
    const _id = cursorIdOf(plugin, tenant);
    await cursors
      .in(database)
      .updateOne(
        { _id, 'keys.key': { $ne: key } },
        { $push: { keys: position }, $min: { low: at } },
        MAJORITY_WRITE,
      );
  }
};

/** Rows that were pending are retries. */
const convertRows = async (database: mongo.Db): Promise<void> => {
  const rows = deliveries.in(database) as unknown as mongo.Collection;
  const tenants = (await rows.distinct('tenant', { st: 'p' })) as TenantId[];
  for (const tenant of tenants)
    await rows.updateMany(
      { st: 'p', tenant, left: { $exists: false } },
      [
        { $set: { part: partitionOf(tenant), due: { $min: ['$due', '$$NOW'] } } },
        { $unset: ['own', 'claim', 'renews', 'again', 'res'] },
      ],
      { ...MAJORITY_WRITE, ...NO_TIMEOUT },
    );
  await rows.deleteMany({ left: { $exists: true } }, MAJORITY_WRITE);
};

const moveAttempts = async (database: mongo.Db): Promise<void> => {
  const attempt = {
    ...{ at: '$at', ms: '$ms', reason: '$reason', summary: '$summary', details: '$details' },
  };
  await database
    .collection(OLD_ATTEMPTS)
    .aggregate(
      [
        { $sort: { at: 1 } },
        { $group: { _id: '$d', attempts: { $push: attempt } } },
        {
          $merge: {
            into: deliveries.name,
            whenMatched: [{ $set: { attempts: '$$new.attempts' } }],
            whenNotMatched: 'discard',
          },
        },
      ],
      { allowDiskUse: true, ...NO_TIMEOUT },
    )
    .toArray();
  await database.collection(OLD_ATTEMPTS).drop();
};

/**
 * Upgrades a database of an earlier version, before anything else uses it. Interrupted, it
 * continues at the next start. No gateway of the earlier version may run (docs/operating.md).
 */
export const upgradeOutbox = async (database: mongo.Db, log: Pick<Log, 'info'>): Promise<void> => {
  const names = [OLD, OLD_ATTEMPTS, OLD_RECOVERIES, deliveries.name];
  const found = await database.listCollections({ name: { $in: names } }).toArray();
  const byName = new Map(
    found.map((collection) => {
      const { options } = collection as mongo.CollectionInfo;
      const { validator } = (options ?? {}) as { readonly validator?: object };
      return [collection.name, JSON.stringify(validator) === JSON.stringify(CLOSED)];
    }),
  );
  const isOpen = byName.get(OLD) === false;
  // Renamed, and not yet converted.
  const isHalfDone = byName.get(deliveries.name) === true;
  if (!isOpen && !isHalfDone) return;
  log.info({}, 'Upgrading deliveries of an earlier version.');
  if (isOpen) {
    await database.command({ collMod: OLD, validator: CLOSED, validationLevel: 'strict' });
    const plugins = await database.collection(OLD).distinct('plugin');
    for (const plugin of plugins as string[])
      await adoptPlugin(
        {
          cursors: cursors.in(database),
          tenantState: tenantState.in(database),
          streamPartitions: partitions.in(database),
        },
        plugin,
      );
    await database.renameCollection(OLD, deliveries.name, { dropTarget: true });
  }
  await database.command({ collMod: deliveries.name, validationLevel: 'off' });
  await database.collection(deliveries.name).dropIndexes();
  await positionSpans(database);
  await convertRows(database);
  if (byName.has(OLD_ATTEMPTS)) await moveAttempts(database);
  if (byName.has(OLD_RECOVERIES))
    await database.renameCollection(OLD_RECOVERIES, recoveries.name, { dropTarget: true });
  await database.createCollection(OLD, { validator: CLOSED });
  await database.command({ collMod: deliveries.name, validator: {}, validationLevel: 'strict' });
};
