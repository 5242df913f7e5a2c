import { z } from 'zod';
import type { TenantReader } from '../../api/tenants.js';
import { raise } from '../../domain/refusals.js';
import type { Tenant } from '../../domain/tenant.js';

/** `{slug}` in the path of a route about one tenant. */
export const SLUG_PARAM = { slug: z.string().describe("The tenant's slug.") };

/** The tenant whose slug stands in the path; refuses with TENANT_NOT_FOUND where there is none. */
export const tenantInPath = async (
  tenants: Pick<TenantReader, 'findBySlug'>,
  slug: string,
): Promise<Tenant> =>
  (await tenants.findBySlug(slug)) ?? raise('TENANT_NOT_FOUND', 'No tenant has this slug.');
