import { type Group, groupNameKey, rosterOf } from '../../domain/group.js';
import type { GroupId, JobId, RoomId, TenantId } from '../../domain/ids.js';
import { defineCollection, MIXED } from './collection.js';
import { defineTable } from './table.js';

export interface GroupDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  readonly displayName: string;
  readonly externalId: string | null;
  /** In lower case. */
  readonly folded: { readonly displayName: string };
  /** The id of its room, or its own where it is a role-only group. */
  readonly roster: string;
  readonly room: string | null;
  readonly memberCount: number;
  readonly pendingJob: string | null;
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
    { key: { tenant: 1, roster: 1 }, unique: true },
    { key: { tenant: 1, externalId: 1 } },
    { key: { tenant: 1, updatedAt: 1, _id: 1 } },
    { key: { tenant: 1, createdAt: 1, _id: 1 } },
  ],
  purge: 'by tenant',
});

export const fromGroupDocument = (document: GroupDocument): Group => ({
  id: document._id as GroupId,
  tenantId: document.tenant as TenantId,
  displayName: document.displayName,
  externalId: document.externalId,
  roomId: document.room as RoomId | null,
  memberCount: document.memberCount,
  version: document.v,
  pendingJob: document.pendingJob as JobId | null,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
});

export const groupTable = defineTable<'groups', GroupDocument>(groups, {
  keys: { id: '_id', displayName: 'folded.displayName', roster: 'roster' },
  fromDocument: fromGroupDocument,
  writes: {
    toDocument: (group) => ({
      _id: group.id,
      tenant: group.tenantId,
      v: group.version,
      displayName: group.displayName,
      externalId: group.externalId,
      folded: { displayName: groupNameKey(group) },
      roster: rosterOf(group),
      room: group.roomId,
      memberCount: group.memberCount,
      pendingJob: group.pendingJob,
      createdAt: group.createdAt,
      updatedAt: group.updatedAt,
    }),
    unique: { path: 'folded.displayName', keyOf: groupNameKey },
  },
});
