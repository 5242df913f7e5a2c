import type { Tenant } from '../tenant/tenant.js';
import type { Facts } from './decider.js';
import { type CodeWithMessage, type IfMatch, meetsPrecondition, raise } from './refusals.js';

// What deciders require of the facts. What these raise is the refusal of the command (`deciderOf`).

/** The tenant, unless it was deleted while the command waited. */
export const requireTenant = ({ tenant }: Pick<Facts, 'tenant'>): Tenant =>
  tenant ?? raise('TENANT_NOT_FOUND', 'This tenant has been deleted.');

/** The entity that the command names by its id, in a version that it is meant for (RFC 9110, 13.1). */
export const requireEntity = <Entity extends { readonly version: number }>(
  entity: Entity | null | undefined,
  missing: CodeWithMessage,
  ifMatch: IfMatch | undefined,
): Entity => {
  if (!entity) return raise(missing);
  return meetsPrecondition(entity.version, ifMatch) ? entity : raise('PRECONDITION_FAILED');
};

/** Whether another entity than the one with this id has a key that is to be unique. */
export const isAnother = <Entity extends { readonly id: string }>(
  holder: Entity | undefined,
  id?: string,
): holder is Entity => holder !== undefined && holder.id !== id;
