import { rosterOf, type Group, groupNameKey } from '../domain/group.js';
import type {
  GroupId,
  JobId,
  RoleMappingId,
  RoomId,
  RosterId,
  TenantId,
  UserId,
} from '../domain/ids.js';
import type { Membership } from '../domain/membership.js';
import { mappingNameKey, type RoleMapping } from '../domain/role-mapping.js';
import { type Room, roomNameKey } from '../domain/room.js';
import type {
  GroupDocument,
  MembershipDocument,
  RoleMappingDocument,
  RoomDocument,
} from './documents.js';

export const toRoomDocument = (room: Room): RoomDocument => ({
  _id: room.id,
  tenant: room.tenantId,
  v: room.version,
  name: room.name,
  folded: { name: roomNameKey(room) },
  memberCount: room.memberCount,
  pendingJob: room.pendingJob,
  createdAt: room.createdAt,
  updatedAt: room.updatedAt,
});

export const fromRoomDocument = (document: RoomDocument): Room => ({
  id: document._id as RoomId,
  tenantId: document.tenant as TenantId,
  name: document.name,
  memberCount: document.memberCount,
  version: document.v,
  pendingJob: document.pendingJob as JobId | null,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
});

export const toGroupDocument = (group: Group): GroupDocument => ({
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

export const toMembershipDocument = (membership: Membership): MembershipDocument => ({
  _id: membership.id,
  tenant: membership.tenantId,
  roster: membership.rosterId,
  user: membership.userId,
  tx: membership.txPermission,
  addedAt: membership.addedAt,
});

export const fromMembershipDocument = (document: MembershipDocument): Membership => ({
  id: document._id,
  tenantId: document.tenant as TenantId,
  rosterId: document.roster as RosterId,
  userId: document.user as UserId,
  txPermission: document.tx,
  addedAt: document.addedAt,
});

export const toRoleMappingDocument = (mapping: RoleMapping): RoleMappingDocument => ({
  _id: mapping.id,
  tenant: mapping.tenantId,
  v: mapping.version,
  groupDisplayName: mapping.groupDisplayName,
  folded: { groupDisplayName: mappingNameKey(mapping) },
  role: mapping.role,
  applies: mapping.applyOnScimProvisioning,
  priority: mapping.priority,
  createdAt: mapping.createdAt,
});

export const fromRoleMappingDocument = (document: RoleMappingDocument): RoleMapping => ({
  id: document._id as RoleMappingId,
  tenantId: document.tenant as TenantId,
  groupDisplayName: document.groupDisplayName,
  role: document.role,
  applyOnScimProvisioning: document.applies,
  priority: document.priority,
  version: document.v,
  createdAt: document.createdAt,
});
