import { type Group, groupNameKey, rosterOf } from '../../domain/group/group.js';
import { mappingNameKey, type RoleMapping } from '../../domain/role/role-mapping.js';
import { createCodec, VERSIONED } from './codec.js';
import { defineTenantCollection, type DocumentOf } from './collection.js';
import { nullable, typed } from './fields.js';
import { defineTable } from './table.js';
import { type FoldedName, foldedName } from './folded-name.js';

const groups = defineTenantCollection({
  name: 'groups',
  fields: {
    v: Number,
    displayName: String,
    externalId: nullable(String),
    folded: typed<FoldedName<'displayName'>>(Object),
    /** The id of its room, or its own where it is a role-only group. */
    roster: String,
    room: nullable(String),
    memberCount: Number,
    pendingJob: nullable(String),
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
});

export type GroupDocument = DocumentOf<typeof groups>;

export const groupTable = defineTable('groups', groups, {
  keys: { id: '_id', displayName: 'folded.displayName', roster: 'roster' },
  ...createCodec<Group, GroupDocument>({
    names: { ...VERSIONED, roomId: 'room' },
    derived: {
      folded: ({ displayName }) => foldedName('displayName', displayName),
      roster: rosterOf,
    },
  }),
  unique: { path: 'folded.displayName', keyOf: groupNameKey },
});

const roleMappings = defineTenantCollection({
  name: 'role_mappings',
  fields: {
    v: Number,
    groupDisplayName: String,
    folded: typed<FoldedName<'groupDisplayName'>>(Object),
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
});

export const roleMappingTable = defineTable('roleMappings', roleMappings, {
  keys: { id: '_id', displayName: 'folded.groupDisplayName' },
  ...createCodec<RoleMapping, DocumentOf<typeof roleMappings>>({
    names: { ...VERSIONED, applyOnScimProvisioning: 'applies' },
    derived: {
      folded: ({ groupDisplayName }) => foldedName('groupDisplayName', groupDisplayName),
    },
  }),
  unique: { path: 'folded.groupDisplayName', keyOf: mappingNameKey },
});
