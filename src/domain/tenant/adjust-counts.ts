import type { Facts } from '../kernel/decider.js';
import type { Change } from '../tables.js';
import type { Tenant } from './tenant.js';

type Counter = 'roomCount' | 'groupCount' | 'roleMappingCount' | 'smsListCount';

/** The tenant stores the totals of its lists, so that reading one needs no counting. */
export const adjustCounts = (
  { tenant }: Pick<Facts, 'tenant'>,
  by: Partial<Record<Counter, number>>,
): readonly Change[] => {
  if (!tenant) return [];
  const after: Tenant = {
    ...tenant,
    roomCount: tenant.roomCount + (by.roomCount ?? 0),
    groupCount: tenant.groupCount + (by.groupCount ?? 0),
    roleMappingCount: tenant.roleMappingCount + (by.roleMappingCount ?? 0),
    smsListCount: tenant.smsListCount + (by.smsListCount ?? 0),
  };
  return [{ table: 'tenant', before: tenant, after }];
};
