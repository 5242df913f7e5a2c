import { fold } from '../fold.js';
import { refuse } from '../refusals.js';
import { mappingNameKey, type RoleMapping } from '../role-mapping.js';
import type { Change } from '../tables.js';
import type { Asker } from './begin-job.js';
import { count } from './count.js';
import type { Decider, Facts } from './decider.js';
import { type Effect, inOrder, NO_EFFECT } from './effect.js';
import { recomputeRoles, rosterNamed } from './roles.js';
import { touchRoom } from './rooms.js';
import { noSuchTenant, requireVersion, unchanged } from './user-steps.js';

const noSuchMapping = () => ({
  refusal: refuse('ROLE_MAPPING_NOT_FOUND', 'This tenant has no role mapping with this id.'),
});

const nameTaken = (name: string) => ({
  refusal: refuse('NAME_TAKEN', `A role mapping for a group named "${name}" exists already.`),
});

const holderOfName = (facts: Facts, name: string) =>
  facts.find('roleMappings', 'displayName', fold(name));

/** The room whose view shows the role. */
const touchRoomNamed = (facts: Facts, name: string): readonly Change[] => {
  const group = facts.find('groups', 'displayName', fold(name));
  const room = group?.roomId ? facts.find('rooms', 'id', group.roomId) : undefined;
  return room ? [{ table: 'rooms', before: room, after: touchRoom(room, facts) }] : [];
};

/** Members of the groups of these names may have another role now (pipeline-rules.md 11). */
const rolesFollow =
  (asker: Asker, names: readonly string[]) =>
  (facts: Facts): Effect =>
    inOrder(
      facts,
      names.map((name) => (now) => {
        const roster = rosterNamed(now, name);
        const roles = roster ? recomputeRoles(now, asker, roster) : NO_EFFECT;
        return { ...roles, changes: [...roles.changes, ...touchRoomNamed(now, name)] };
      }),
    );

export const createRoleMapping: Decider<'role-mapping.create'> = {
  needs: ({ groupDisplayName }) => [
    { table: 'roleMappings', index: 'displayName', key: fold(groupDisplayName) },
    { table: 'groups', index: 'displayName', key: fold(groupDisplayName) },
  ],
  decide: (envelope, facts) => {
    const { type: _type, mappingId, ...given } = envelope.command;
    if (!facts.tenant) return noSuchTenant();
    if (holderOfName(facts, given.groupDisplayName)) return nameTaken(given.groupDisplayName);
    const mapping: RoleMapping = {
      id: mappingId,
      tenantId: envelope.tenantId,
      ...given,
      version: 1,
      createdAt: facts.now,
    };
    const effect = inOrder(facts, [
      (now) => ({
        changes: [
          { table: 'roleMappings', before: null, after: mapping },
          ...count(now, { roleMappingCount: 1 }),
        ],
        events: [],
      }),
      rolesFollow(envelope, [given.groupDisplayName]),
    ]);
    return { ...effect, result: mapping };
  },
  recall: ({ mappingId }, facts) => facts.find('roleMappings', 'id', mappingId),
};

const isAsBefore = (before: RoleMapping, after: RoleMapping): boolean =>
  before.groupDisplayName === after.groupDisplayName &&
  before.role === after.role &&
  before.applyOnScimProvisioning === after.applyOnScimProvisioning &&
  before.priority === after.priority;

export const updateRoleMapping: Decider<'role-mapping.update'> = {
  needs: ({ mappingId, groupDisplayName }) => [
    { table: 'roleMappings', index: 'id', key: mappingId },
    ...(groupDisplayName === undefined
      ? []
      : [{ table: 'roleMappings', index: 'displayName', key: fold(groupDisplayName) } as const]),
  ],
  decide: (envelope, facts) => {
    const { type: _type, mappingId, ifMatch, ...given } = envelope.command;
    const before = facts.find('roleMappings', 'id', mappingId);
    if (!before) return noSuchMapping();
    const refusal = requireVersion(before, ifMatch);
    if (refusal) return { refusal };
    const after: RoleMapping = { ...before, ...given };
    if (isAsBefore(before, after)) return unchanged(before);
    const namesake = holderOfName(facts, after.groupDisplayName);
    if (namesake && namesake.id !== before.id) return nameTaken(after.groupDisplayName);
    const changed = { ...after, version: before.version + 1 };
    const isRenamed = mappingNameKey(before) !== mappingNameKey(after);
    const names = [before.groupDisplayName, ...(isRenamed ? [after.groupDisplayName] : [])];
    const effect = inOrder(facts, [
      () => ({ changes: [{ table: 'roleMappings', before, after: changed }], events: [] }),
      rolesFollow(envelope, names),
    ]);
    return { ...effect, result: changed };
  },
  recall: ({ mappingId }, facts) => facts.find('roleMappings', 'id', mappingId),
};

/** Its group stays, without a role (decisions.md 5). */
export const deleteRoleMapping: Decider<'role-mapping.delete'> = {
  needs: ({ mappingId }) => [{ table: 'roleMappings', index: 'id', key: mappingId }],
  decide: (envelope, facts) => {
    const { mappingId, ifMatch } = envelope.command;
    const before = facts.find('roleMappings', 'id', mappingId);
    if (!before) return noSuchMapping();
    const refusal = requireVersion(before, ifMatch);
    if (refusal) return { refusal };
    const effect = inOrder(facts, [
      (now) => ({
        changes: [
          { table: 'roleMappings', before, after: null },
          ...count(now, { roleMappingCount: -1 }),
        ],
        events: [],
      }),
      rolesFollow(envelope, [before.groupDisplayName]),
    ]);
    return { ...effect, result: null };
  },
  recall: () => null,
};
