import type { JobId, TenantId } from '../../domain/kernel/ids.js';
import type { Job } from '../../domain/job/job.js';
import type { Collections } from '../tables/collections.js';
import type {
  ApiKeyReader,
  ApiKeyWithUse,
  TenantReader,
  JobConditions,
  JobReader,
  EventQuery,
  EventLogEnd,
  EventReader,
} from '../../ports/tenants.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { type ApiKeyDocument, apiKeyTable, fromTenantState } from '../tables/tenants.js';
import { guarded } from '../database-errors.js';
import { entitiesIn } from './entities.js';
import { mongoEntityReader, readSorted } from './entity-reader.js';
import { type JobDocument, jobTable } from '../tables/jobs.js';
import { type EventDocument, fromEventDocument } from '../tables/events.js';
import { readDocuments } from '../read-documents.js';

type Counter =
  'seq' | 'userCount' | 'roomCount' | 'groupCount' | 'roleMappingCount' | 'smsListCount';

/** A counter of a tenant, which its commits maintain; 0 for an unknown tenant. */
export const readCounter = async (
  { tenantState }: Pick<Collections, 'tenantState'>,
  tenantId: TenantId,
  counter: Counter,
): Promise<number> => {
  const state = await tenantState.findOne({ _id: tenantId }, { projection: { [counter]: 1 } });
  return state?.[counter] ?? 0;
};

/** Reads of the tenants that exist. */
export const mongoTenantReader = (collections: Collections): TenantReader => {
  const { tenants, tenantState } = collections;
  const find = async (id: TenantId): Promise<Tenant | undefined> => {
    const state = await tenantState.findOne({ _id: id });
    return state && !state.deleted ? fromTenantState(state) : undefined;
  };
  const existing = { slug: { $exists: true } };
  return guarded<TenantReader>({
    find: (id) => find(id),
    findBySlug: async (slug) => {
      const entry = await tenants.findOne({ slug }, { projection: { _id: 1 } });
      return entry ? find(entry._id as TenantId) : undefined;
    },
    page: async (page, slugs = null) => {
      const conditions = slugs === null ? existing : { slug: { $in: [...slugs] } };
      const { items, total } = await readSorted(tenants, conditions, page);
      const ids = items.map(({ _id }) => _id);
      const states = await tenantState.find({ _id: { $in: ids } }).toArray();
      const byId = new Map(states.map((state) => [state._id, fromTenantState(state)]));
      return { items: ids.flatMap((id) => byId.get(id) ?? []), total };
    },
  });
};

/** Reads of API keys, and the record of when each was last used. */
export const mongoApiKeyReader = (
  collections: Collections,
  tenants: TenantReader,
): ApiKeyReader => {
  const { apiKeys, apiKeyUses } = collections;
  const withUses = async (found: readonly ApiKeyDocument[]): Promise<readonly ApiKeyWithUse[]> => {
    const uses = await apiKeyUses.find({ _id: { $in: found.map(({ _id }) => _id) } }).toArray();
    const useOf = new Map(uses.map((use) => [use._id, use] as const));
    return found.map((document) => {
      const use = useOf.get(document._id);
      return {
        key: apiKeyTable.fromDocument(document),
        lastUsedAt: use?.lastUsedAt ?? null,
        userAgent: use?.userAgent ?? null,
        firstUsedAt: use?.firstUsedAt ?? null,
        lookedUpAt: use?.lookedUpAt ?? null,
      };
    });
  };
  return guarded<ApiKeyReader>({
    ...mongoEntityReader({ collection: apiKeys, present: withUses }),
    findByHash: async (hash) => {
      // By hash alone: the key determines its tenant.
      const found = await apiKeys.findOne({ hash });
      if (!found) return undefined;
      const key = apiKeyTable.fromDocument(found);
      const tenant = await tenants.find(key.tenantId);
      return tenant && { key, tenant };
    },
    recordUse: async (uses) => {
      if (uses.size === 0) return;
      await apiKeyUses.bulkWrite(
        [...uses].map(([id, { at: lastUsedAt, userAgent, lookedUpAt }]) => ({
          updateOne: {
            filter: { _id: id },
            update: {
              $max: { lastUsedAt },
              $min: { firstUsedAt: lastUsedAt, ...(lookedUpAt && { lookedUpAt }) },
              ...(userAgent && { $set: { userAgent } }),
            },
            upsert: true,
          },
        })),
        { ordered: false, writeConcern: { w: 1 } },
      );
    },
  });
};

/** Time limit of counting many jobs. */
const MAX_TIME_MS = 5_000;

export const mongoJobReader = ({ jobs }: Collections): JobReader =>
  guarded<JobReader>({
    ...mongoEntityReader<JobId, Job, JobDocument, JobConditions>({
      collection: jobs,
      present: (documents) => documents.map(jobTable.fromDocument),
      conditionsOf: ({ isFinished }) =>
        isFinished === undefined ? {} : { finishedAt: isFinished ? { $ne: null } : { $eq: null } },
      sortOf: () => ({ createdAt: -1, _id: 1 }),
      maxTimeMS: MAX_TIME_MS,
    }),
    findByIds: (tenantId, ids) =>
      entitiesIn(jobs, jobTable.fromDocument).all(tenantId, { _id: { $in: [...ids] } }),
  });

/** Positions that one page examines, however few it returns. */
const MAX_SCANNED = 10_000;

/**
 * Reads of the event log. The commits of a tenant are sequential, so if a position can be read, all
 * earlier ones can: a client that continues from the last position it has misses nothing.
 */
export const mongoEventReader = (
  collections: Pick<Collections, 'events' | 'tenantState'>,
): EventReader & EventLogEnd => {
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

  return guarded<EventReader & EventLogEnd>({
    position: (tenantId) => readCounter(collections, tenantId, 'seq'),
    page: async (tenantId, { after, limit, names }) => {
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
    },
  });
};
