import { z } from 'zod';
import { SCOPES } from '../domain/scopes.js';

/** What the command shows of the operators' API's answers (decisions.md 8). */

export const TenantView = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  seat_capacity: z.int().nullable(),
  default_role: z.string(),
  room_provisioning: z.string(),
  created_at: z.string(),
});
export type TenantView = z.output<typeof TenantView>;

const page = { total: z.int(), limit: z.int(), offset: z.int() };

export const TenantPage = z.object({ tenants: z.array(TenantView), ...page });

const keyFields = {
  key_id: z.string(),
  prefix: z.string(),
  description: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  created_at: z.string(),
};

export const KeyView = z.object({ ...keyFields, last_used_at: z.string().nullable() });
export type KeyView = z.output<typeof KeyView>;

export const KeyPage = z.object({ api_keys: z.array(KeyView), ...page });

export const CreatedKey = z.object({ ...keyFields, key: z.string() });
export type CreatedKey = z.output<typeof CreatedKey>;
