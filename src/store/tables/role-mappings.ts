import type { RoleMappingId, TenantId } from '../../domain/kernel/ids.js';
import { mappingNameKey, type RoleMapping } from '../../domain/role/role-mapping.js';
import { defineCollection, MIXED } from './collection.js';
import { nameWords } from './name-words.js';
import { defineTable } from './table.js';

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
    folded: {
      groupDisplayName: mappingNameKey(mapping),
      words: nameWords([mapping.groupDisplayName]),
    },
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
