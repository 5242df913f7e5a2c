import { z } from 'zod';
import type { TenantReader } from '../../api/tenants.js';
import { raise } from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';

/** `{slug}` in the paths of a tenant. */
export const SLUG_PARAM = { slug: z.string().describe("The tenant's slug.") };

/** The tenant in the path. Throws TENANT_NOT_FOUND. */
export const tenantBySlug = async (
  tenants: Pick<TenantReader, 'findBySlug'>,
  slug: string,
): Promise<Tenant> =>
  (await tenants.findBySlug(slug)) ?? raise('TENANT_NOT_FOUND', 'No tenant has this slug.');
