import type { CommandContext } from '../commands.js';
import {
  type Decider,
  type Facts,
  unchanged,
  combineInOrder,
  type Effect,
  NO_EFFECT,
} from '../kernel/decider.js';
import { nameKey } from '../kernel/names.js';
import { raise } from '../kernel/refusals.js';
import { requireEntity, requireTenant } from '../kernel/requirements.js';
import { mappingNameKey, type RoleMapping } from './role-mapping.js';
import { touchRoom } from '../room/room.js';
import type { Change } from '../tables.js';
import { adjustCounts } from '../tenant/tenant-counts.js';
import { recomputeRoles, rosterOfGroupNamed } from './roles.js';

/** A group has at most one mapping. */
const requireName = (facts: Facts, name: string): void => {
  if (facts.find('roleMappings', 'displayName', nameKey(name)))
    raise('NAME_TAKEN', `A role mapping for a group named "${name}" already exists.`);
};

/** The room of the group with this name: its representation shows the role. */
const touchRoomOfGroupNamed = (facts: Facts, name: string): readonly Change[] => {
  const group = facts.find('groups', 'displayName', nameKey(name));
  const room = group?.roomId ? facts.find('rooms', 'id', group.roomId) : undefined;
  return room ? [{ table: 'rooms', before: room, after: touchRoom(room, facts.now) }] : [];
};

/** Recomputes the roles of the members of the groups with these names (pipeline-rules.md 11). */
const recomputeRolesOf =
  (context: CommandContext, names: readonly string[]) =>
  (facts: Facts): Effect =>
    combineInOrder(
      facts,
      names.map((name) => (current) => {
        const roster = rosterOfGroupNamed(current, name);
        const roles = roster ? recomputeRoles(current, context, roster) : NO_EFFECT;
        return { ...roles, changes: [...roles.changes, ...touchRoomOfGroupNamed(current, name)] };
      }),
    );

export const createRoleMapping: Decider<'role-mapping.create'> = {
  lookups: ({ groupDisplayName }) => [
    { table: 'roleMappings', index: 'displayName', key: nameKey(groupDisplayName) },
    { table: 'groups', index: 'displayName', key: nameKey(groupDisplayName) },
  ],
  decide: (envelope, facts) => {
    const { type: _type, mappingId, ...given } = envelope.command;
    requireTenant(facts);
    requireName(facts, given.groupDisplayName);
    const mapping: RoleMapping = {
      id: mappingId,
      tenantId: envelope.tenantId,
      ...given,
      version: 1,
      createdAt: facts.now,
    };
    const effect = combineInOrder(facts, [
      (current) => ({
        changes: [
          { table: 'roleMappings', before: null, after: mapping },
          ...adjustCounts(current, { roleMappingCount: 1 }),
        ],
        events: [],
      }),
      recomputeRolesOf(envelope, [given.groupDisplayName]),
    ]);
    return { ...effect, result: mapping };
  },
  recall: ({ mappingId }, facts) => facts.find('roleMappings', 'id', mappingId),
};

const hasSameSettings = (before: RoleMapping, after: RoleMapping): boolean =>
  before.groupDisplayName === after.groupDisplayName &&
  before.role === after.role &&
  before.applyOnScimProvisioning === after.applyOnScimProvisioning &&
  before.priority === after.priority;

export const updateRoleMapping: Decider<'role-mapping.update'> = {
  lookups: ({ mappingId, groupDisplayName }) => [
    { table: 'roleMappings', index: 'id', key: mappingId },
    ...(groupDisplayName === undefined
      ? []
      : [{ table: 'roleMappings', index: 'displayName', key: nameKey(groupDisplayName) } as const]),
  ],
  decide: (envelope, facts) => {
    const { type: _type, mappingId, ifMatch, ...given } = envelope.command;
    const found = facts.find('roleMappings', 'id', mappingId);
    const before = requireEntity(found, 'ROLE_MAPPING_NOT_FOUND', ifMatch);
    const after: RoleMapping = { ...before, ...given };
    if (hasSameSettings(before, after)) return unchanged(before);
    const isRenamed = mappingNameKey(before) !== mappingNameKey(after);
    if (isRenamed) requireName(facts, after.groupDisplayName);
    const changed = { ...after, version: before.version + 1 };
    const names = [before.groupDisplayName, ...(isRenamed ? [after.groupDisplayName] : [])];
    const effect = combineInOrder(facts, [
      () => ({ changes: [{ table: 'roleMappings', before, after: changed }], events: [] }),
      recomputeRolesOf(envelope, names),
    ]);
    return { ...effect, result: changed };
  },
  recall: ({ mappingId }, facts) => facts.find('roleMappings', 'id', mappingId),
};

/** The group stays, without a role (decisions.md 5). */
export const deleteRoleMapping: Decider<'role-mapping.delete'> = {
  lookups: ({ mappingId }) => [{ table: 'roleMappings', index: 'id', key: mappingId }],
  decide: (envelope, facts) => {
    const { mappingId, ifMatch } = envelope.command;
    const found = facts.find('roleMappings', 'id', mappingId);
    const before = requireEntity(found, 'ROLE_MAPPING_NOT_FOUND', ifMatch);
    const effect = combineInOrder(facts, [
      (current) => ({
        changes: [
          { table: 'roleMappings', before, after: null },
          ...adjustCounts(current, { roleMappingCount: -1 }),
        ],
        events: [],
      }),
      recomputeRolesOf(envelope, [before.groupDisplayName]),
    ]);
    return { ...effect, result: null };
  },
  recall: () => null,
};
