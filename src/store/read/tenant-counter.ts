import type { TenantId } from '../../domain/kernel/ids.js';
import type { Collections } from '../tables/collections.js';

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
