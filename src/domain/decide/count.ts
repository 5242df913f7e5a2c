import type { Change } from '../tables.js';
import type { Tenant } from '../tenant.js';
import type { Facts } from './decider.js';

type Counter = 'roomCount' | 'groupCount' | 'roleMappingCount' | 'smsListCount';

/** The tenant counts what it has, so that a list's total needs no counting. */
export const count = (
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
