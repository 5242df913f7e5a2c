import type { FoundUser, MappingWithGroup, RoleFacts, UserRoster } from '../ports/command-log.js';
import { effectiveMapping, type RoleMapping } from '../domain/role/role-mapping.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import { roleOf } from '../domain/user/user.js';
import { timeInWords } from '../domain/kernel/in-words.js';
import type { Change, Draft, Fact, Maybe } from './explanation.js';
import { idsOf, logFact, userFact, userLabel } from './sentences.js';

const MAX_FACTS = 50;
const MAX_CHANGES = 10;

interface Asked {
  readonly found: FoundUser;
  readonly tenant: Pick<Tenant, 'defaultRole'>;
  readonly facts: RoleFacts;
}

/** Explains a user's role, in the steps of `applyRoleMappings`. */
export const explainRole = ({ found, tenant: { defaultRole }, facts }: Asked): Draft => {
  const { user, deletedAt } = found;
  const name = userLabel(found);
  const fromLog = facts.commands.map((entry) => logFact(entry, user.id));
  if (deletedAt !== null)
    return {
      question: `Which role does ${name} have?`,
      answer: { role: null },
      because: [{ text: 'None.' }, userFact(found)],
      facts: fromLog,
      changes: [{ text: 'Provisioning the user again creates a new user with a new id.' }],
    };
  const mappings = facts.rosters.flatMap(({ mapping }) => mapping ?? []);
  const winner = effectiveMapping(mappings);
  const role = roleOf(user, { defaultRole });
  const expected = winner?.role ?? defaultRole;
  return {
    question: `Why does ${name} have the role "${role}"?`,
    answer: { role },
    because: [{ text: answerOf(role, expected, winner, facts.isPartial) }],
    facts: [
      userFact(found),
      ...facts.rosters.map(rosterFact).slice(0, MAX_FACTS),
      winner && priorityFact(winner, mappings),
      {
        kind: 'default_role',
        text: `The tenant's default role is "${defaultRole}"; it applies ${
          winner ? 'only without a mapping' : 'because no role mapping does'
        }.`,
      },
      (facts.isRecomputing || role !== expected) && {
        kind: 'job',
        text: facts.isRecomputing
          ? 'A job is recomputing roles after a large change; it may not have processed this user yet.'
          : "The role is recomputed when the user's groups or their role mappings change.",
      },
      ...fromLog,
    ],
    changes: changesOf(winner, mappings, defaultRole, facts)
      .filter((change) => change && change.role !== role)
      .slice(0, MAX_CHANGES),
  };
};

const answerOf = (
  role: string,
  expected: string,
  winner: RoleMapping | undefined,
  isPartial: boolean,
): string => {
  if (isPartial) return `The user has the role "${role}". Not all groups of the user are shown.`;
  if (role !== expected)
    return `The user still has the role "${role}"; it will change to "${expected}".`;
  return winner
    ? `The role mapping of the group "${winner.groupDisplayName}" gives the role "${role}".`
    : `No role mapping applies to the user, so the role is the tenant's default, "${role}".`;
};

const rosterFact = ({ room, group, mapping }: UserRoster): Fact => {
  if (!group)
    return {
      kind: 'no_group',
      text: `The user is in the room "${room?.name ?? ''}", which has no SCIM group and gives no role.`,
      ...(room && { room_id: room.id }),
    };
  const where = room ? ` (room "${room.name}")` : ' (without a room)';
  const inGroup = `The user is in the group "${group.displayName}"${where}`;
  if (!mapping)
    return {
      kind: 'no_role_mapping',
      text: `${inGroup}, which has no role mapping.`,
      ...idsOf(group),
    };
  const effect = mapping.applyOnScimProvisioning
    ? `gives "${mapping.role}" with priority ${mapping.priority}.`
    : `to "${mapping.role}" has no effect: Apply on SCIM provisioning is off.`;
  return {
    kind: 'role_mapping',
    text: `${inGroup}. Its role mapping ${effect}`,
    ...idsOf(group),
    role_mapping_id: mapping.id,
  };
};

/** Why the mapping applies rather than others; of the only one, nothing. */
const priorityFact = (winner: RoleMapping, mappings: readonly RoleMapping[]): Maybe<Fact> => {
  const { priority, groupDisplayName, createdAt } = winner;
  const applying = mappings.filter((mapping) => mapping.applyOnScimProvisioning);
  const tied = applying.filter((mapping) => mapping.priority === priority);
  const text =
    tied.length > 1
      ? `${tied.length} mappings have priority ${priority}; the oldest wins, that of ` +
        `"${groupDisplayName}" (created on ${timeInWords(createdAt)}).`
      : `${applying.length} mappings apply; the lowest priority number wins, that of ` +
        `"${groupDisplayName}" (${priority}).`;
  return applying.length > 1 && { kind: 'priority', text, role_mapping_id: winner.id };
};

/** Whether the mapping would give the role if it applied. */
const wouldWin = (mapping: RoleMapping, winner: RoleMapping | undefined): boolean => {
  const applying = { ...mapping, applyOnScimProvisioning: true };
  return effectiveMapping(winner ? [winner, applying] : [applying])?.id === mapping.id;
};

const changesOf = (
  winner: RoleMapping | undefined,
  mappings: readonly RoleMapping[],
  defaultRole: string,
  { rosters, others }: RoleFacts,
): readonly Maybe<Change>[] => {
  const rest = mappings.filter(({ id }) => id !== winner?.id);
  const byChange = rest.map((mapping) => changingMapping(mapping, winner));
  const byGroup = others.filter(({ mapping }) => wouldWin(mapping, winner)).map(joiningGroup);
  if (!winner)
    return [
      ...byChange,
      ...byGroup,
      ...addingMapping(rosters),
      { text: "Changing the tenant's default role would change it." },
    ];
  const role = effectiveMapping(rest)?.role ?? defaultRole;
  const { groupDisplayName: name } = winner;
  const text = `Leaving the group "${name}" would give the role "${role}".`;
  return [{ text, role }, ...byChange, ...byGroup];
};

/** What makes a mapping for a group of the user win. */
const changingMapping = (mapping: RoleMapping, winner: RoleMapping | undefined): Maybe<Change> => {
  const { id, role, groupDisplayName: name, applyOnScimProvisioning } = mapping;
  const update = { action: 'update_role_mapping', role_mapping_id: id, group_name: name } as const;
  if (!applyOnScimProvisioning)
    return (
      wouldWin(mapping, winner) && {
        text: `Turning on Apply on SCIM provisioning for the mapping of "${name}" would give the role "${role}".`,
        role,
        remedy: { ...update, body: { apply_on_scim_provisioning: true } },
      }
    );
  // No number is lower than 0.
  if (!winner || winner.priority === 0) return undefined;
  return {
    text: `A priority below ${winner.priority} for the mapping of "${name}" would give the role "${role}".`,
    role,
    remedy: { ...update, body: { priority: winner.priority - 1 } },
  };
};

const joiningGroup = ({ mapping, group }: MappingWithGroup): Change => {
  const { role, groupDisplayName, applyOnScimProvisioning } = mapping;
  const isNew = group ? '' : ', which does not exist yet,';
  const isOff = applyOnScimProvisioning
    ? ''
    : ' once Apply on SCIM provisioning is on for its mapping';
  const text = `Joining the group "${groupDisplayName}"${isNew} would give the role "${role}"${isOff}.`;
  return { text, role };
};

const addingMapping = (rosters: readonly UserRoster[]): readonly Change[] =>
  rosters
    .flatMap(({ group, mapping }) => (group && !mapping ? [group.displayName] : []))
    .slice(0, 3)
    .map((name) => ({
      text: `A role mapping for the group "${name}" would give the user its role.`,
    }));
