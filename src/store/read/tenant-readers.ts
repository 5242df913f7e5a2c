import type { TenantId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';
import type { ApiKeyReader, TenantReader } from '../../ports/tenants.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { fromApiKeyDocument, fromTenantState } from '../tables/tenants.js';
import { guardRead } from '../database-errors.js';
import { readSorted } from './find-page.js';

type Counter = 'seq' | 'roomCount' | 'groupCount' | 'roleMappingCount' | 'smsListCount';

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
  return {
    find: (id) => guardRead(() => find(id)),
    findBySlug: (slug) =>
      guardRead(async () => {
        const entry = await tenants.findOne({ slug }, { projection: { _id: 1 } });
        return entry ? find(entry._id as TenantId) : undefined;
      }),
    page: (page, slugs = null) =>
      guardRead(async () => {
        const conditions = slugs === null ? existing : { slug: { $in: [...slugs] } };
        const { found, total } = await readSorted(tenants, conditions, page);
        const ids = found.map(({ _id }) => _id);
        const states = await tenantState.find({ _id: { $in: ids } }).toArray();
        const byId = new Map(states.map((state) => [state._id, fromTenantState(state)]));
        return { tenants: ids.flatMap((id) => byId.get(id) ?? []), total };
      }),
  };
};

/** Reads of API keys, and the record of when each was last used. */
export const mongoApiKeyReader = (
  collections: Collections,
  tenants: TenantReader,
): ApiKeyReader => {
  const { apiKeys, apiKeyUses } = collections;
  return {
    findByHash: (hash) =>
      guardRead(async () => {
        // By hash alone: the key determines its tenant.
        const found = await apiKeys.findOne({ hash });
        if (!found) return undefined;
        const key = fromApiKeyDocument(found);
        const tenant = await tenants.find(key.tenantId);
        return tenant && { key, tenant };
      }),
    page: (tenantId, page) =>
      guardRead(async () => {
        const { found, total } = await readSorted(apiKeys, { tenant: tenantId }, page);
        const uses = await apiKeyUses.find({ _id: { $in: found.map(({ _id }) => _id) } }).toArray();
        const useOf = new Map(uses.map((use) => [use._id, use] as const));
        return {
          keys: found.map((document) => ({
            key: fromApiKeyDocument(document),
            lastUsedAt: useOf.get(document._id)?.lastUsedAt ?? null,
            userAgent: useOf.get(document._id)?.userAgent ?? null,
            firstUsedAt: useOf.get(document._id)?.firstUsedAt ?? null,
            lookedUpAt: useOf.get(document._id)?.lookedUpAt ?? null,
          })),
          total,
        };
      }),
    recordUse: (uses) =>
      guardRead(async () => {
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
      }),
  };
};
