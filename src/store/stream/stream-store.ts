import type * as mongo from 'mongodb';
import type { DeliveryId, TenantId } from '../../domain/kernel/ids.js';
import {
  type Cursor,
  type CursorAddress,
  type KeyAddress,
  type Lagging,
  type MovedCursor,
  type Partition,
  PARTITIONS,
  type Retry,
  type StreamStore,
} from '../../ports/event-stream.js';
import { LOCAL_READ, MAJORITY_WRITE, NO_TIMEOUT, PRIMARY_WRITE } from '../concerns.js';
import { isDuplicateKey } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import {
  type CursorDocument,
  cursorIdOf,
  type DeliveryDocument,
  HINTS,
} from '../tables/deliveries.js';
import { fromEventDocument } from '../tables/events.js';
import { adoptPlugin, readHeads } from './adopt-plugin.js';
import { readBacklog } from './read-backlog.js';
import { recordResults, RETENTION_MS } from './record-results.js';
import { mongoRecoveries } from './recoveries.js';

/** What a change of primary cannot undo. */
const SURE_READ = { readConcern: { level: 'majority' } } as const;

const partitionId = (n: number): string => `partition:${n}`;
const gatewayId = (owner: string): string => `gateway:${owner}`;

/** Who owns which partition. */
const partitionStore = ({ streamPartitions }: Pick<Collections, 'streamPartitions'>) => {
  const move = async (moved: readonly Partition[], to: string | null): Promise<void> => {
    if (moved.length === 0) return;
    await streamPartitions.bulkWrite(
      moved.map(({ id, token, owner }) => ({
        updateOne: {
          filter: { _id: partitionId(id), token, owner },
          update: { $set: { owner: to }, ...(to !== null && { $inc: { token: 1 } }) },
        },
      })),
      { ordered: false, ...MAJORITY_WRITE },
    );
  };
  return {
    join: async (owner: string): Promise<void> => {
      await streamPartitions.bulkWrite(
        [
          ...Array.from({ length: PARTITIONS }, (_, n) => ({
            updateOne: {
              filter: { _id: partitionId(n) },
              update: { $setOnInsert: { n, owner: null, token: 0 } },
              upsert: true,
            },
          })),
          {
            updateOne: {
              filter: { _id: gatewayId(owner) },
              update: { $set: { owner } },
              upsert: true,
            },
          },
        ],
        { ordered: false, ...MAJORITY_WRITE },
      );
    },
    partitions: async () => {
      const found = await streamPartitions.find({}, LOCAL_READ).toArray();
      return {
        participants: found.flatMap(({ _id, owner }) =>
          _id.startsWith('gateway:') && owner ? [owner] : [],
        ),
        partitions: found.flatMap(({ n, owner = null, token = 0 }) =>
          n === undefined ? [] : [{ id: n, owner, token }],
        ),
      };
    },
    take: (owner: string, taken: readonly Partition[]) => move(taken, owner),
    release: (released: readonly Partition[]) => move(released, null),
    leave: async (owner: string): Promise<void> => {
      await streamPartitions.deleteOne({ _id: gatewayId(owner) }, MAJORITY_WRITE);
    },
  };
};

const addressOf = ({ plugin, tenant }: Pick<CursorDocument, 'plugin' | 'tenant'>) => ({
  plugin,
  tenantId: tenant as TenantId,
});

const cursorFrom = (found: CursorDocument | null): Cursor => ({
  base: found?.base ?? 0,
  keys: found?.keys ?? [],
});

type CursorCollections = Pick<Collections, 'cursors' | 'tenantState' | 'streamPartitions'>;

/** Where subscriptions are. */
const cursorStore = ({ cursors, tenantState, streamPartitions }: CursorCollections) => {
  const claim = async (
    { plugin, tenantId }: CursorAddress,
    token: number,
  ): Promise<Cursor | undefined> => {
    const _id = cursorIdOf(plugin, tenantId);
    try {
      const claimed = await cursors.findOneAndUpdate(
        { _id, token: { $lte: token } },
        {
          $set: { token },
          $setOnInsert: { plugin, tenant: tenantId, low: 0, keys: [] },
        },
        { upsert: true, returnDocument: 'after', ...MAJORITY_WRITE },
      );
      return cursorFrom(claimed);
    } catch (error) {
      // It exists with a later token.
      if (isDuplicateKey(error)) return undefined;
      throw error;
    }
  };

  const move = async (moved: readonly MovedCursor[]): Promise<readonly MovedCursor[]> => {
    if (moved.length === 0) return [];
    const { matchedCount } = await cursors.bulkWrite(
      moved.map(({ plugin, tenantId, token, low, keys }) => ({
        updateOne: {
          filter: { _id: cursorIdOf(plugin, tenantId), token },
          update: { $set: { low, keys } },
        },
      })),
      { ordered: false, ...PRIMARY_WRITE },
    );
    if (matchedCount === moved.length) return [];
    const ids = moved.map(({ plugin, tenantId }) => cursorIdOf(plugin, tenantId));
    const found = await cursors
      .find({ _id: { $in: ids } }, { ...LOCAL_READ, projection: { token: 1 } })
      .toArray();
    const tokens = new Map(found.map(({ _id, token }) => [_id, token]));
    return moved.filter(({ token }, at) => tokens.get(ids[at] ?? '') !== token);
  };

  return {
    claim,
    move,
    adopt: (plugin: string) => adoptPlugin({ cursors, tenantState, streamPartitions }, plugin),
    lagging: async (plugins: readonly string[]): Promise<readonly Lagging[]> => {
      const [tenants, known] = await Promise.all([
        readHeads({ tenantState }),
        cursors.find({}, { projection: { low: 1 } }).toArray(),
      ]);
      const lows = new Map(known.map(({ _id, low }) => [_id, low]));
      return tenants.flatMap(({ _id: tenant, seq: head, pluginVersions }) =>
        plugins
          .filter((plugin) => (lows.get(cursorIdOf(plugin, tenant)) ?? 0) < head)
          .map((plugin) => ({
            ...addressOf({ plugin, tenant }),
            head,
            version: pluginVersions[plugin] ?? 0,
          })),
      );
    },
  };
};

/** What the log and its watch report. */
const logStore = ({
  database,
  events,
}: Pick<Collections, 'events' | 'database'>): Pick<StreamStore, 'readLog' | 'watch'> => ({
  readLog: async (tenant, after, limit) => {
    const found = await events
      .find(
        { tenant, seq: { $gt: after } },
        { ...SURE_READ, hint: { tenant: 1, seq: 1 }, batchSize: limit + 1 },
      )
      .sort({ seq: 1 })
      .limit(limit)
      .toArray();
    return found.map(fromEventDocument);
  },
  watch: async (onEvent, onEnd) => {
    // The stream is opened later, with its first read: nothing in between may be missed.
    const { operationTime } = await database.command({ hello: 1 });
    const stream = events.watch(
      [
        { $match: { operationType: 'insert' } },
        { $project: { operationType: 1, 'fullDocument.tenant': 1, 'fullDocument.seq': 1 } },
      ],
      { startAtOperationTime: operationTime as mongo.Timestamp, maxAwaitTimeMS: 1_000 },
    );
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      stream.close().catch(() => undefined);
      onEnd();
    };
    stream.on('change', (change) => {
      if (change.operationType !== 'insert' || isOver) return;
      const { tenant, seq } = change.fullDocument;
      onEvent(tenant as TenantId, seq);
    });
    stream.on('error', end);
    stream.on('close', end);
    return end;
  },
});

type RetryCollections = Pick<Collections, 'deliveries' | 'events'>;

/** Deliveries that wait for another attempt. `now`: the database's time. */
const retryStore = ({ deliveries, events }: RetryCollections, now: () => Date) => {
  const fieldsOf = ({ plugin, tenantId, key }: KeyAddress) => ({ plugin, tenant: tenantId, key });

  const dueRetries: StreamStore['dueRetries'] = async (query) => {
    const { plugins, partitions: owned, except, limit } = query;
    const found = await deliveries
      .find(
        {
          st: 'p',
          plugin: { $in: [...plugins] },
          due: { $lte: now() },
          ...(owned.length < PARTITIONS && { part: { $in: [...owned] } }),
          ...(except.length > 0 && { $nor: except.map(fieldsOf) }),
        },
        { ...LOCAL_READ, hint: HINTS.byDue, batchSize: limit + 1, projection: { attempts: 0 } },
      )
      .sort({ due: 1 })
      .limit(limit)
      .toArray();
    const ids = [...new Set(found.map(({ ev }) => ev))];
    const logged =
      ids.length === 0
        ? []
        : await events.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray();
    const byId = new Map(logged.map((document) => [document._id, fromEventDocument(document)]));
    return found.map(({ _id, plugin, tenant, key, seq, n, rev = 0, ev }): Retry => ({
      ...addressOf({ plugin, tenant }),
      id: _id as DeliveryId,
      key,
      seq,
      attempts: n,
      revision: rev,
      event: byId.get(ev),
    }));
  };

  const end = async (
    filter: mongo.Filter<DeliveryDocument>,
    st: 'x' | 'f',
    reason: string,
  ): Promise<number> => {
    const at = now();
    const expireAt = new Date(at.getTime() + RETENTION_MS[st]);
    const { modifiedCount } = await deliveries.updateMany(
      { ...filter, st: 'p' },
      {
        $set: { st, expireAt, 'last.at': at, 'last.reason': reason },
        $unset: { due: 1, part: 1 },
      },
      { ...PRIMARY_WRITE, ...NO_TIMEOUT, hint: HINTS.byKey },
    );
    return modifiedCount;
  };

  return {
    dueRetries,
    dropRetries: (key: KeyAddress) =>
      end(fieldsOf(key), 'x', 'The subscriber no longer serves this key.'),
    giveUpRetries: (key: KeyAddress, dueForMs: number) => {
      const due = { $lt: new Date(now().getTime() - dueForMs) };
      const filter = { ...fieldsOf(key), due, rev: { $exists: false } };
      return end(filter, 'f', 'No response for too long.');
    },
  };
};

/** The event stream's state in MongoDB. `now`: the database's time. */
export const mongoStreamStore = (collections: Collections, now: () => Date): StreamStore => ({
  ...partitionStore(collections),
  ...cursorStore(collections),
  ...logStore(collections),
  ...retryStore(collections, now),
  ...mongoRecoveries(collections, now),
  record: (results) => recordResults(collections.deliveries, results, now().getTime()),
  backlog: () => readBacklog(collections),
});
