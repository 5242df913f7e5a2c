import type { Source } from './kernel/actor.js';
import type { Command, CommandOf, CommandType, MemberStep } from './commands.js';
import { changePluginRecords } from './plugin/plugin-deciders.js';
import { asChunked } from './kernel/chunked.js';
import { type Decider, refusedBy } from './kernel/decider.js';
import { changeGroup, createGroup, deleteGroup } from './group/group-deciders.js';
import type { JobId } from './kernel/ids.js';
import { stepJob } from './job/job-decider.js';
import {
  createRoleMapping,
  deleteRoleMapping,
  updateRoleMapping,
} from './role/role-mapping-deciders.js';
import { addMember, removeMember, syncMembers, updateMember } from './room/member-deciders.js';
import { createRoom, deleteRoom, renameRoom, mapRoom, unmapRoom } from './room/room-deciders.js';
import type { Scope } from './scopes.js';
import { createSmsList, deleteSmsList, updateSmsList } from './sms/sms-list-deciders.js';
import {
  removeSmsMember,
  removeSmsNumbers,
  replaceSmsMembers,
  sweepSmsMembers,
  upsertSmsMembers,
} from './sms/sms-member-deciders.js';
import type { Entities } from './tables.js';
import {
  allowRemovalsOfKey,
  createApiKey,
  deleteApiKey,
  createTenant,
  deleteTenant,
  updateTenant,
} from './tenant/tenant-deciders.js';
import {
  createUser,
  deactivateUser,
  deleteUser,
  patchUser,
  replaceUser,
  updateUser,
} from './user/user-deciders.js';
import { displayNameOf, emailOf } from './user/user.js';

/** Commands that a decider decides: all but a Bulk, which is decided operation by operation. */
export type SingleCommandType = Exclude<CommandType, 'bulk'>;

/**
 * The scope that an API key needs, by the interface the command came through; absent: refused.
 * `declared by the plugin`: the command carries it.
 */
export type Permission = Partial<Record<Source, Scope>> | 'declared by the plugin';

/** What a command is about. The provisioning log names it as the command's subject. */
export type Target =
  | {
      readonly table: TargetTable;
      readonly id: string;
      /** As the client sent it; null if the command does not contain it. */
      readonly name: string | null;
      /** A second name that the log finds the command by. */
      readonly alias?: string | null;
      /** A name by whose words the log finds the command if it is refused. */
      readonly label?: string;
      /** The command creates it: if it is refused, the id belongs to nothing. */
      readonly isNew?: true;
    }
  | { readonly kind: 'tenant'; readonly name: string | null }
  | { readonly kind: 'plugin'; readonly plugin: string; readonly recordId: string | null }
  | { readonly kind: 'job'; readonly jobId: JobId };

export type TargetTable = Extract<
  keyof Entities,
  'users' | 'rooms' | 'groups' | 'roleMappings' | 'smsLists' | 'apiKeys'
>;

interface CommandSpec<Type extends CommandType> {
  /** Absent: operators only. */
  readonly permission?: Permission;
  readonly target: (command: CommandOf<Type>) => Target;
  /** Users that it adds to a room or group: the log names them if it is refused. */
  readonly users?: (command: CommandOf<Type>) => readonly string[];
  /** Approximate number of rows it changes (pipeline-rules.md 9). Default: 1. */
  readonly weight?: (command: CommandOf<Type>) => number;
  /**
   * Unique indexes check all that it looks up: if a lookup finds anything, the command is refused.
   * The pipeline skips these lookups (gather.ts).
   */
  readonly isCheckedByIndexes?: true;
  /** No other command may share its batch. */
  readonly runsAlone?: true;
  /** A job may complete it, so a response may be 202 (decisions.md 3). */
  readonly mayStartJob?: true;
  /** The command log keeps its result, because the state alone cannot restore it. */
  readonly storesResponse?: true;
}

type SingleCommands = {
  readonly [Type in SingleCommandType]: CommandSpec<Type> & { readonly decider: Decider<Type> };
};

const SCIM = { scim: 'scim:write' } as const;
const USERS = { rest: 'api:users:write' } as const;
const ROOMS = { rest: 'api:rooms:write' } as const;
const SMS_LISTS = { rest: 'api:sms_lists:write' } as const;

const existing = (table: TargetTable, id: string, name: string | null = null): Target => ({
  table,
  id,
  name,
});
const created = (table: TargetTable, id: string, name: string): Target => ({
  ...existing(table, id, name),
  isNew: true,
});
const user = ({ userId }: { readonly userId: string }) => existing('users', userId);
const room = ({ roomId }: { readonly roomId: string }) => existing('rooms', roomId);
const group = ({ groupId }: { readonly groupId: string }) => existing('groups', groupId);
const roleMapping = ({ mappingId }: { readonly mappingId: string }) =>
  existing('roleMappings', mappingId);
const smsList = ({ listId }: { readonly listId: string }) => existing('smsLists', listId);
const tenant = (): Target => ({ kind: 'tenant', name: null });

const oneAndMembers = ({ members }: { readonly members: readonly unknown[] }): number =>
  1 + members.length;
const namedIn = (steps: readonly MemberStep[]): number =>
  steps.reduce((sum, step) => sum + ('userIds' in step ? step.userIds.length : 0), 0);

/**
 * Everything that depends on a command's type. A new command needs a row here, else this file does
 * not compile.
 */
export const COMMANDS: SingleCommands & { readonly bulk: CommandSpec<'bulk'> } = {
  'user.create': {
    decider: createUser,
    permission: { ...SCIM, ...USERS },
    target: ({ userId, profile }) => ({
      ...created('users', userId, profile.userName),
      alias: emailOf(profile),
      label: displayNameOf(profile),
    }),
    isCheckedByIndexes: true,
  },
  'user.replace': {
    decider: replaceUser,
    permission: SCIM,
    target: ({ userId, profile }) => existing('users', userId, profile.userName),
  },
  'user.patch': { decider: patchUser, permission: SCIM, target: user },
  'user.update': { decider: updateUser, permission: USERS, target: user },
  'user.deactivate': { decider: deactivateUser, permission: USERS, target: user },
  'user.delete': { decider: deleteUser, permission: SCIM, target: user },

  'room.create': {
    decider: createRoom,
    target: ({ roomId, name }) => created('rooms', roomId, name),
  },
  'room.rename': { decider: renameRoom, target: room },
  'room.delete': { decider: deleteRoom, target: room, mayStartJob: true },
  'room.map': { decider: mapRoom, permission: ROOMS, target: room, mayStartJob: true },
  'room.unmap': { decider: unmapRoom, permission: ROOMS, target: room, mayStartJob: true },
  'member.add': {
    decider: addMember,
    permission: ROOMS,
    target: room,
    users: ({ userId }) => [userId],
  },
  'member.update': { decider: updateMember, permission: ROOMS, target: room },
  'member.remove': { decider: removeMember, permission: ROOMS, target: room },
  'member.sync': {
    decider: syncMembers,
    permission: ROOMS,
    target: room,
    users: ({ members }) => members.map(({ userId }) => userId),
    weight: oneAndMembers,
    mayStartJob: true,
    storesResponse: true,
  },

  'group.create': {
    decider: createGroup,
    permission: SCIM,
    target: ({ groupId, displayName }) => created('groups', groupId, displayName),
    users: ({ members }) => members,
    weight: oneAndMembers,
  },
  'group.change': {
    decider: changeGroup,
    permission: SCIM,
    target: group,
    users: ({ steps }) =>
      steps.flatMap((step) => ('userIds' in step && step.op !== 'remove' ? step.userIds : [])),
    weight: ({ steps }) => 1 + namedIn(steps),
  },
  'group.delete': { decider: deleteGroup, permission: SCIM, target: group },

  'role-mapping.create': {
    decider: createRoleMapping,
    target: ({ mappingId, groupDisplayName }) =>
      created('roleMappings', mappingId, groupDisplayName),
    mayStartJob: true,
  },
  'role-mapping.update': { decider: updateRoleMapping, target: roleMapping, mayStartJob: true },
  'role-mapping.delete': { decider: deleteRoleMapping, target: roleMapping, mayStartJob: true },

  'sms-list.create': {
    decider: createSmsList,
    permission: SMS_LISTS,
    target: ({ listId, name }) => created('smsLists', listId, name),
  },
  'sms-list.update': { decider: updateSmsList, permission: SMS_LISTS, target: smsList },
  'sms-list.delete': {
    decider: deleteSmsList,
    permission: SMS_LISTS,
    target: smsList,
    mayStartJob: true,
  },
  'sms-member.upsert': {
    decider: upsertSmsMembers,
    permission: SMS_LISTS,
    target: smsList,
    weight: oneAndMembers,
    mayStartJob: true,
    storesResponse: true,
  },
  'sms-member.replace': {
    decider: replaceSmsMembers,
    permission: SMS_LISTS,
    target: smsList,
    weight: oneAndMembers,
    mayStartJob: true,
    storesResponse: true,
  },
  'sms-member.remove': {
    decider: removeSmsMember,
    permission: SMS_LISTS,
    target: smsList,
    mayStartJob: true,
  },
  'sms-member.remove-by-number': {
    decider: removeSmsNumbers,
    permission: SMS_LISTS,
    target: smsList,
    weight: ({ keys }) => 1 + keys.length,
    mayStartJob: true,
    storesResponse: true,
  },
  // Reads a page of members, which does not show changes of the same batch.
  'sms-member.sweep': { decider: sweepSmsMembers, target: smsList, runsAlone: true },

  // Reads a page of members, which does not show changes of the same batch.
  'job.step': {
    decider: stepJob,
    target: ({ jobId }) => ({ kind: 'job', jobId }),
    runsAlone: true,
  },
  // Its operations have rows of their own. SCIM permits each of them (BulkableCommand).
  bulk: {
    permission: SCIM,
    target: tenant,
    weight: ({ operations }) =>
      operations.reduce(
        (sum, operation) => sum + ('command' in operation ? weightOf(operation.command) : 0),
        1,
      ),
  },

  'tenant.create': {
    decider: createTenant,
    target: ({ slug }) => ({ kind: 'tenant', name: slug }),
    runsAlone: true,
  },
  'tenant.update': { decider: updateTenant, target: tenant, runsAlone: true, mayStartJob: true },
  'tenant.delete': { decider: deleteTenant, target: tenant, runsAlone: true },
  'api-key.create': {
    decider: createApiKey,
    target: ({ keyId, description }) => created('apiKeys', keyId, description),
  },
  'api-key.delete': { decider: deleteApiKey, target: ({ keyId }) => existing('apiKeys', keyId) },
  'api-key.allow-removals': {
    decider: allowRemovalsOfKey,
    target: ({ keyId }) => existing('apiKeys', keyId),
  },

  // Alone, so that no event is routed by records that change in the same commit.
  'plugin.change': {
    decider: changePluginRecords,
    permission: 'declared by the plugin',
    target: ({ plugin, input: { id } }) => ({
      kind: 'plugin',
      plugin,
      recordId: typeof id === 'string' ? id : null,
    }),
    runsAlone: true,
    storesResponse: true,
  },
};

const SINGLE_COMMANDS: SingleCommands = COMMANDS;

/** The types of commands that the provisioning log has lines of. */
export const LOGGED_COMMAND_TYPES = Object.keys(COMMANDS).filter((type) => type !== 'bulk') as [
  CommandType,
  ...CommandType[],
];

/** The decider of a type of command. What it raises is its decision. */
export const deciderOf = <Type extends SingleCommandType>(type: Type): Decider<Type> => {
  const decider: Decider<Type> = SINGLE_COMMANDS[type].decider;
  return {
    ...decider,
    decide: function* (...given) {
      try {
        return yield* asChunked(decider.decide(...given));
      } catch (error) {
        return refusedBy(error);
      }
    },
  };
};

// Each row's functions take commands of its own type, which TypeScript does not follow below.

/** What the command weighs in queues and batches (pipeline-rules.md 9). */
export const weightOf = (command: Command): number =>
  COMMANDS[command.type].weight?.(command as never) ?? 1;

export const usersAddedBy = (command: Command): readonly string[] =>
  COMMANDS[command.type].users?.(command as never) ?? [];

export const targetOf = (command: Command): Target =>
  COMMANDS[command.type].target(command as never);
