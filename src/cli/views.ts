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
  default_country: z.string().nullable(),
  scim: z.object({ put_without_members: z.enum(['clear', 'keep']), strict_errors: z.boolean() }),
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

export const RoomView = z.object({
  id: z.string(),
  name: z.string(),
  display_name: z.string().nullable(),
  member_count: z.int(),
  role: z.string().nullable(),
  created_at: z.string(),
});
export type RoomView = z.output<typeof RoomView>;

export const RoomPage = z.object({ rooms: z.array(RoomView), ...page });

export const RoleMappingView = z.object({
  id: z.string(),
  group_display_name: z.string(),
  role: z.string(),
  apply_on_scim_provisioning: z.boolean(),
  priority: z.int(),
  created_at: z.string(),
});
export type RoleMappingView = z.output<typeof RoleMappingView>;

export const RoleMappingPage = z.object({ role_mappings: z.array(RoleMappingView), ...page });

export const JobView = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.string(),
  done: z.int(),
  total: z.int(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type JobView = z.output<typeof JobView>;

export const JobPage = z.object({ jobs: z.array(JobView), ...page });

export const SmsListView = z.object({
  id: z.string(),
  name: z.string(),
  external_id: z.string().nullable(),
  valid_from: z.string().nullable(),
  valid_until: z.string().nullable(),
  member_count: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type SmsListView = z.output<typeof SmsListView>;

export const SmsListPage = z.object({ sms_lists: z.array(SmsListView), ...page });

export const SmsMemberView = z.object({
  phone_number: z.string(),
  display_name: z.string().nullable(),
  valid_from: z.string().nullable(),
  valid_until: z.string().nullable(),
});
export type SmsMemberView = z.output<typeof SmsMemberView>;

export const SmsMemberPage = z.object({ members: z.array(SmsMemberView), ...page });
