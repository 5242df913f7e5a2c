import type { CommandType } from '../commands.js';
import { createApiKey, deleteApiKey } from './api-keys.js';
import { changePluginRecords } from './change-plugin-records.js';
import { deactivateUser, patchUser, replaceUser, updateUser } from './change-user.js';
import { createUser } from './create-user.js';
import type { Decider } from './decider.js';
import { deleteUser } from './delete-user.js';
import { changeGroup, createGroup, deleteGroup } from './groups.js';
import { mapRoom, unmapRoom } from './map-room.js';
import { addMember, removeMember, syncMembers, updateMember } from './members.js';
import { createRoleMapping, deleteRoleMapping, updateRoleMapping } from './role-mappings.js';
import { createRoom, deleteRoom, renameRoom } from './rooms.js';
import {
  removeSmsMember,
  removeSmsNumbers,
  replaceSmsMembers,
  sweepSmsMembers,
  upsertSmsMembers,
} from './sms-members.js';
import { createSmsList, deleteSmsList, updateSmsList } from './sms-lists.js';
import { stepJob } from './step-job.js';
import { createTenant, deleteTenant, updateTenant } from './tenants.js';

/** What is decided by one decider; a Bulk is decided operation by operation. */
export type SingleType = Exclude<CommandType, 'bulk'>;

/** One decider for each command: a command without one does not compile. */
export const DECIDERS: { readonly [Type in SingleType]: Decider<Type> } = {
  'user.create': createUser,
  'user.replace': replaceUser,
  'user.patch': patchUser,
  'user.update': updateUser,
  'user.deactivate': deactivateUser,
  'user.delete': deleteUser,
  'room.create': createRoom,
  'room.rename': renameRoom,
  'room.delete': deleteRoom,
  'room.map': mapRoom,
  'room.unmap': unmapRoom,
  'member.add': addMember,
  'member.update': updateMember,
  'member.remove': removeMember,
  'member.sync': syncMembers,
  'group.create': createGroup,
  'group.change': changeGroup,
  'group.delete': deleteGroup,
  'role-mapping.create': createRoleMapping,
  'role-mapping.update': updateRoleMapping,
  'role-mapping.delete': deleteRoleMapping,
  'sms-list.create': createSmsList,
  'sms-list.update': updateSmsList,
  'sms-list.delete': deleteSmsList,
  'sms-member.upsert': upsertSmsMembers,
  'sms-member.replace': replaceSmsMembers,
  'sms-member.remove': removeSmsMember,
  'sms-member.remove-by-number': removeSmsNumbers,
  'sms-member.sweep': sweepSmsMembers,
  'job.step': stepJob,
  'tenant.create': createTenant,
  'tenant.update': updateTenant,
  'tenant.delete': deleteTenant,
  'api-key.create': createApiKey,
  'api-key.delete': deleteApiKey,
  'plugin.change': changePluginRecords,
};

export const deciderOf = <Type extends SingleType>(type: Type): Decider<Type> => DECIDERS[type];
