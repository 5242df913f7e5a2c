import { type Group, groupNameKey, rosterOf } from '../../domain/group/group.js';
import type { GroupId, JobId, RoomId, TenantId, RoleMappingId } from '../../domain/kernel/ids.js';
import { defineCollection, MIXED, defineTable } from './collection.js';
import { foldedName } from './folded-name.js';
import { mappingNameKey, type RoleMapping } from '../../domain/role/role-mapping.js';

export interface GroupDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  readonly displayName: string;
  readonly externalId: string | null;
  /** In lower case. Documents of earlier versions have no words. */
  readonly folded: { readonly displayName: string; readonly words?: readonly string[] };
  /** The id of its room, or its own where it is a role-only group. */
  readonly roster: string;
  readonly room: RoomId | null;
  readonly memberCount: number;
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const groups = defineCollection<GroupDocument>({
  name: 'groups',
  fields: {
    _id: String,
    tenant: String,
    v: Number,
    displayName: String,
    externalId: String,
    folded: MIXED,
    roster: String,
    room: String,
    memberCount: Number,
    pendingJob: String,
    createdAt: Date,
    updatedAt: Date,
  },
  indexes: [
    { key: { tenant: 1, 'folded.displayName': 1 }, unique: true },
    { key: { tenant: 1, 'folded.words': 1 } },
    { key: { tenant: 1, roster: 1 }, unique: true },
    { key: { tenant: 1, room: 1 } },
    { key: { tenant: 1, externalId: 1 } },
    { key: { tenant: 1, updatedAt: 1, _id: 1 } },
    { key: { tenant: 1, createdAt: 1, _id: 1 } },
  ],
  purge: 'by tenant',
});

export const fromGroupDocument = (document: GroupDocument): Group => {
  const { _id, tenant, v, room, folded: _folded, roster: _roster, ...group } = document;
  return { id: _id as GroupId, tenantId: tenant as TenantId, version: v, roomId: room, ...group };
};

export const groupTable = defineTable<'groups', GroupDocument>(groups, {
  keys: { id: '_id', displayName: 'folded.displayName', roster: 'roster' },
  fromDocument: fromGroupDocument,
  writes: {
    toDocument: (group) => {
      const { id, tenantId, version, roomId, ...rest } = group;
      return {
        _id: id,
        tenant: tenantId,
        v: version,
        room: roomId,
        ...rest,
        folded: foldedName('displayName', group.displayName),
        roster: rosterOf(group),
      };
    },
    unique: { path: 'folded.displayName', keyOf: groupNameKey },
  },
});

export interface RoleMappingDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  readonly groupDisplayName: string;
  /** In lower case. Documents of earlier versions have no words. */
  readonly folded: { readonly groupDisplayName: string; readonly words?: readonly string[] };
  readonly role: string;
  readonly applies: boolean;
  readonly priority: number;
  readonly createdAt: Date;
}

export const roleMappings = defineCollection<RoleMappingDocument>({
  name: 'role_mappings',
  fields: {
    _id: String,
    tenant: String,
    v: Number,
    groupDisplayName: String,
    folded: MIXED,
    role: String,
    applies: Boolean,
    priority: Number,
    createdAt: Date,
  },
  indexes: [
    { key: { tenant: 1, 'folded.groupDisplayName': 1 }, unique: true },
    { key: { tenant: 1, 'folded.words': 1 } },
    { key: { tenant: 1, createdAt: 1, _id: 1 } },
  ],
  purge: 'by tenant',
});

const toRoleMappingDocument = (mapping: RoleMapping): RoleMappingDocument => {
  const { id, tenantId, version, applyOnScimProvisioning, ...rest } = mapping;
  return {
    _id: id,
    tenant: tenantId,
    v: version,
    applies: applyOnScimProvisioning,
    ...rest,
    folded: foldedName('groupDisplayName', mapping.groupDisplayName),
  };
};

export const fromRoleMappingDocument = (document: RoleMappingDocument): RoleMapping => {
  const { _id, tenant, v, applies, folded: _folded, ...rest } = document;
  return {
    id: _id as RoleMappingId,
    tenantId: tenant as TenantId,
    version: v,
    applyOnScimProvisioning: applies,
    ...rest,
  };
};

export const roleMappingTable = defineTable<'roleMappings', RoleMappingDocument>(roleMappings, {
  keys: { id: '_id', displayName: 'folded.groupDisplayName' },
  fromDocument: fromRoleMappingDocument,
  writes: {
    toDocument: toRoleMappingDocument,
    unique: { path: 'folded.groupDisplayName', keyOf: mappingNameKey },
  },
});
