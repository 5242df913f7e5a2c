import type { TenantId } from '../domain/ids.js';
import { DEFAULT_SCIM_SETTINGS, type Tenant } from '../domain/tenant.js';
import type { CommitState } from './documents.js';

export const fromTenantState = (document: CommitState): Tenant => ({
  id: document._id as TenantId,
  slug: document.slug,
  name: document.name,
  seatCapacity: document.seatCapacity,
  defaultRole: document.defaultRole,
  roomProvisioning: document.roomProvisioning,
  defaultCountry: document.defaultCountry ?? null,
  scim: { ...DEFAULT_SCIM_SETTINGS, ...document.scim },
  createdAt: document.createdAt,
  version: document.settingsVersion ?? 1,
  seatsProvisioned: document.seatsProvisioned,
  userCount: document.userCount,
  roomCount: document.roomCount,
  groupCount: document.groupCount,
  roleMappingCount: document.roleMappingCount,
  smsListCount: document.smsListCount ?? 0,
  pluginVersions: document.pluginVersions,
});

/** The fields that a commit sets in the state document; its version, place and time are the commit's. */
export const toTenantFields = ({
  id: _id,
  version: settingsVersion,
  ...fields
}: Tenant): Omit<CommitState, '_id' | 'v' | 'seq' | 'at' | 'nextOrdinal' | 'turn'> => ({
  ...fields,
  settingsVersion,
});
