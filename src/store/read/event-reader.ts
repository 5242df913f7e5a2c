import type { EventQuery, EventReader } from '../../ports/tenants.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { guardRead } from '../database-errors.js';
import type { Collections } from '../tables/collections.js';
import { type EventDocument, fromEventDocument } from '../tables/events.js';
import { readCounter } from './tenant-readers.js';
import { readDocuments } from '../read-documents.js';

/** Positions that one page examines, however few it returns. */
const MAX_SCANNED = 10_000;

/**
 * Reads of the event log. The commits of a tenant are sequential, so if a position can be read, all
 * earlier ones can: a client that continues from the last position it has misses nothing.
 */
export const mongoEventReader = (
  collections: Pick<Collections, 'events' | 'tenantState'>,
): EventReader => {
  const { events } = collections;

  /** The oldest position that is still stored; one past the last if none is. */
  const firstSeq = async (tenantId: TenantId, last: number): Promise<number> => {
    const oldest = await events
      .find({ tenant: tenantId }, { projection: { seq: 1 } })
      .sort({ seq: 1 })
      .limit(1)
      .next();
    return oldest?.seq ?? last + 1;
  };

  const find = (
    tenantId: TenantId,
    { from, to, names, limit }: Omit<EventQuery, 'after'> & { from: number; to: number },
  ): Promise<EventDocument[]> =>
    readDocuments(
      events
        .find(
          {
            tenant: tenantId,
            seq: { $gte: from, $lte: to },
            ...(names && { name: { $in: [...names] } }),
          },
          { hint: { tenant: 1, seq: 1 } },
        )
        .sort({ seq: 1 })
        .limit(limit),
      tenantId,
    );

  return {
    page: (tenantId, { after, limit, names }) =>
      guardRead(async () => {
        // Read first, so that everything up to it can be read afterwards.
        const last = await readCounter(collections, tenantId, 'seq');
        const first = await firstSeq(tenantId, last);
        const from = Math.max(after + 1, first);
        const to = Math.min(last, from + MAX_SCANNED - 1);
        const found = await find(tenantId, { from, to, limit: limit + 1, ...(names && { names }) });
        const shown = found.slice(0, limit);
        const upTo = found.length > limit ? (shown.at(-1)?.seq ?? after) : Math.max(after, to);
        return {
          events: shown.map(fromEventDocument),
          upTo,
          hasMore: upTo < last,
          hasGap: first > after + 1 && last > after,
        };
      }),
  };
};
