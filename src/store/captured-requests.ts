import type * as mongo from 'mongodb';
import type { CapturedRequests, LogPosition } from '../ports/command-log.js';
import { guarded } from './database-errors.js';
import type { Collections } from './tables/collections.js';
import { type CapturedRequestDocument, capturedCodec } from './tables/captured-requests.js';

/** Of a tenant. */
export interface CaptureLimits {
  readonly requests: number;
  readonly bytes: number;
}

const LIMITS: CaptureLimits = { requests: 1_000, bytes: 50_000_000 };

type Filter = mongo.Filter<CapturedRequestDocument>;
type Position = Pick<CapturedRequestDocument, '_id' | 'at'>;

const NEWEST_FIRST = { at: -1, _id: -1 } as const;

/** The server deletes what has expired within a minute; until then it is not found. */
const UNEXPIRED = { $expr: { $gt: ['$expireAt', '$$NOW'] } } as const;

const before = ({ at, id }: LogPosition): Filter => ({
  at: { $lte: at },
  $or: [{ at: { $lt: at } }, { at, _id: { $lt: id } }],
});

/** Captured requests in MongoDB, which deletes them after a day. */
export const mongoCapturedRequests = (
  { capturedRequests }: Pick<Collections, 'capturedRequests'>,
  limits: CaptureLimits = LIMITS,
): CapturedRequests => {
  /** The newest request that a tenant has no space for, found in the index. */
  const findSurplus = async (tenant: string): Promise<Position | undefined> => {
    const sizes = capturedRequests
      .find({ tenant }, { projection: { _id: 1, at: 1, size: 1 } })
      .sort(NEWEST_FIRST);
    const total = { requests: 0, bytes: 0 };
    for await (const { _id, at, size } of sizes) {
      total.requests += 1;
      total.bytes += size;
      if (total.requests > limits.requests || total.bytes > limits.bytes) return { _id, at };
    }
    return undefined;
  };

  const trim = async (tenant: string): Promise<void> => {
    const surplus = await findSurplus(tenant);
    if (!surplus) return;
    const { _id, at } = surplus;
    await capturedRequests.deleteMany({
      tenant,
      at: { $lte: at },
      $or: [{ at: { $lt: at } }, { at, _id: { $lte: _id } }],
    });
  };

  return guarded<CapturedRequests>({
    add: async (requests) => {
      if (requests.length === 0) return;
      await capturedRequests.insertMany(requests.map(capturedCodec.toDocument), {
        ordered: false,
      });
      for (const tenant of new Set(requests.map(({ tenantId }) => tenantId))) await trim(tenant);
    },
    page: async (tenant, { limit, after }) => {
      const found = await capturedRequests
        .find(
          { tenant, ...UNEXPIRED, ...(after && before(after)) },
          { projection: { request: 0, response: 0 } },
        )
        .sort(NEWEST_FIRST)
        .limit(limit + 1)
        .toArray();
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        requests: page.map(capturedCodec.fromDocument),
        ...(found.length > limit && last && { next: { at: last.at, id: last._id } }),
      };
    },
    find: async (tenant, id) => {
      const found = await capturedRequests.findOne({ _id: id, tenant, ...UNEXPIRED });
      return found ? capturedCodec.fromDocument(found) : undefined;
    },
  });
};
