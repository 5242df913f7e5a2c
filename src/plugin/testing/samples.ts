import type { DomainEvent, EventName, EventResource } from '../../domain/events.js';
import type { EventId, TenantId, ApiKeyId } from '../../domain/kernel/ids.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import { newId } from '../../pipeline/submit.js';
import type { OperatorCaller, TenantCaller } from '../../routes/caller.js';
import type { Route } from '../../routes/route.js';
import type { Scope } from '../../domain/scopes.js';
import { DEFAULT_SCIM_SETTINGS, type Tenant } from '../../domain/tenant/tenant.js';

const USER = {
  id: '0b0a9f6e-5f0c-4a53-9b57-0c5d3a1f2e10',
  email: 'zoe@example.com',
  display_name: 'Zoë',
  active: true,
};
const ROOM = {
  id: '3d1c2b7a-6e55-4a0f-8a43-5b1f9d7c6e21',
  name: 'Dispatch',
  display_name: null,
  external_id: null,
};
const GROUP = {
  id: '7f8e9d0c-1b2a-4c3d-8e4f-5a6b7c8d9e32',
  display_name: 'Dispatch',
  external_id: null,
  room_id: ROOM.id,
  role: null,
};
const ROLE_ONLY = { ...GROUP, display_name: 'Crew', room_id: null, role: 'crew' };
const LIST = { id: '9a8b7c6d-5e4f-4a3b-9c2d-1e0f9a8b7c43', external_id: null, name: 'On call' };
const KEY = { api_key_id: null };

/** The `data` of each event, as on the wire (decisions.md 7). */
const DATA: Readonly<Record<EventName, JsonObject>> = {
  'user.created': { user: USER },
  'user.updated': { user: USER, changed: ['display_name'] },
  'user.deactivated': { user: { ...USER, active: false } },
  'user.reactivated': { user: USER },
  'user.deleted': { user: { ...USER, active: false } },
  'room.member_added': { room: ROOM, user: USER, tx_permission: false },
  'room.member_removed': { room: ROOM, user: USER, tx_permission: false },
  'room.member_updated': { room: ROOM, user: USER, tx_permission: true },
  'group.created': { group: GROUP },
  'group.updated': { group: GROUP, changed: ['display_name'] },
  'group.deleted': { group: GROUP },
  'group.member_added': { group: ROLE_ONLY, user: USER },
  'group.member_removed': { group: ROLE_ONLY, user: USER },
  'sms_list.created': { list: LIST, ...KEY },
  'sms_list.updated': { list: LIST, changed: ['name'], ...KEY },
  'sms_list.deleted': { list: LIST, ...KEY },
  'sms_list.members_added': { list: LIST, added: 2, updated: 1, ...KEY },
  'sms_list.members_removed': { list: LIST, removed: 2, ...KEY },
};

const resourceOf = (name: EventName): EventResource => {
  if (name.startsWith('user.')) return { kind: 'user', id: USER.id };
  if (name.startsWith('room.')) return { kind: 'membership', id: `${ROOM.id}:${USER.id}` };
  if (name.startsWith('group.member_')) return { kind: 'membership', id: `${GROUP.id}:${USER.id}` };
  if (name.startsWith('group.')) return { kind: 'group', id: GROUP.id };
  return { kind: 'sms_list', id: LIST.id };
};

/** The tenant of the bench and of its events. */
export const SAMPLE_TENANT_ID = '00000000-0000-4000-8000-0000000acade' as TenantId;

/** An event of this name as it would be committed; `more` replaces parts of it. */
export const sampleEvent = (name: EventName, more: Partial<DomainEvent> = {}): DomainEvent => ({
  id: newId<EventId>(),
  name,
  resource: resourceOf(name),
  data: DATA[name],
  tenantId: SAMPLE_TENANT_ID,
  tenantSlug: 'acme',
  seq: 1,
  at: new Date('2026-01-02T03:04:05.006Z'),
  apiKeyId: null,
  ...more,
});

/** Creates a tenant for tests. */
export const sampleTenant = (more: Partial<Tenant> = {}): Tenant => ({
  id: SAMPLE_TENANT_ID,
  slug: 'acme',
  name: 'Acme',
  seatCapacity: null,
  defaultRole: 'member',
  roomProvisioning: 'manual',
  defaultCountry: null,
  scim: DEFAULT_SCIM_SETTINGS,
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
  version: 1,
  seatsProvisioned: 0,
  userCount: 0,
  roomCount: 0,
  groupCount: 0,
  roleMappingCount: 0,
  smsListCount: 0,
  pluginVersions: {},
  removals: {},
  captureUntil: null,
  ...more,
});

/** A caller of the route: an operator, or a key with these scopes. */
export const callerOf = (
  { api }: Route,
  tenant: Tenant,
  scopes: readonly Scope[],
): TenantCaller | OperatorCaller => {
  if (api === 'operators')
    return { actor: { kind: 'operator', name: 'test' }, role: 'owner', tenants: null };
  const id = newId<ApiKeyId>();
  return {
    tenant,
    actor: { kind: 'api-key', id, scopes },
    key: {
      id,
      tenantId: tenant.id,
      hash: '',
      prefix: 'rg_test0000',
      description: 'test',
      scopes,
      createdAt: tenant.createdAt,
    },
  };
};
