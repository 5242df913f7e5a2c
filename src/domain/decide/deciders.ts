import type { CommandType } from '../commands.js';
import { createApiKey, deleteApiKey } from './api-keys.js';
import { changePluginRecords } from './change-plugin-records.js';
import { deactivateUser, patchUser, replaceUser, updateUser } from './change-user.js';
import { createUser } from './create-user.js';
import type { Decider } from './decider.js';
import { deleteUser } from './delete-user.js';
import { createTenant, deleteTenant, updateTenant } from './tenants.js';

/** One decider for each command: a command without one does not compile. */
export const DECIDERS: { readonly [Type in CommandType]: Decider<Type> } = {
  'user.create': createUser,
  'user.replace': replaceUser,
  'user.patch': patchUser,
  'user.update': updateUser,
  'user.deactivate': deactivateUser,
  'user.delete': deleteUser,
  'tenant.create': createTenant,
  'tenant.update': updateTenant,
  'tenant.delete': deleteTenant,
  'api-key.create': createApiKey,
  'api-key.delete': deleteApiKey,
  'plugin.change': changePluginRecords,
};

export const deciderOf = <Type extends CommandType>(type: Type): Decider<Type> => DECIDERS[type];
