import type { FoundUser, UserRoster, RoleFacts } from '../../ports/command-log.js';
import { effectiveMapping, type RoleMapping } from '../../domain/role/role-mapping.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { roleOf } from '../../domain/user/user.js';
import { timeInWords } from '../../domain/kernel/in-words.js';
import {
  type Changes,
  commandFact,
  deletionOf,
  type Explanation,
  type Fact,
  type Remedy,
  remedyOf,
  userLabel,
  userFact,
} from './explain.js';

const MAX_FACTS = 50;
const MAX_CHANGES = 10;

interface ExplainInput {
  readonly found: FoundUser;
  readonly tenant: Pick<Tenant, 'defaultRole' | 'slug'>;
  readonly facts: RoleFacts;
}

/** Explains a user's role, in the steps of `applyRoleMappings`. */
export const explainRole = ({ found, tenant, facts }: ExplainInput): Explanation => {
  const name = userLabel(found);
  if (found.deletedAt !== null)
    return {
      question: `Which role does ${name} have?`,
      answer: {
        text: `None: the user was deleted ${deletionOf(found)}.`,
        role: null,
      },
      facts: facts.commands
        .filter(({ id }) => id !== found.deletedBy?.id)
        .map(commandFact(tenant.slug, found.user.id)),
      would_change: [{ text: 'Provisioning the user again creates a new user with a new id.' }],
    };
  const { user } = found;
  const winner = effectiveMapping(mappingsOf(facts.rosters));
  const role = roleOf(user, tenant);
  const expectedRole = winner?.role ?? tenant.defaultRole;
  return {
    question: `Why does ${name} have the role "${role}"?`,
    answer: { text: answerOf({ role, expectedRole, winner, facts }), role },
    facts: [
      userFact(found),
      ...facts.rosters.flatMap(rosterFacts).slice(0, MAX_FACTS),
      ...priorityFacts(winner, facts.rosters),
      {
        kind: 'default_role',
        text: `The tenant's default role is "${tenant.defaultRole}"; it applies ${
          winner ? 'only without a mapping' : 'because no role mapping does'
        }.`,
      },
      ...pendingFacts(role, expectedRole, facts),
      ...facts.commands.map(commandFact(tenant.slug, user.id)),
    ],
    would_change: changesOf(winner, tenant, facts)
      .filter((change) => change.role === undefined || change.role !== role)
      .slice(0, MAX_CHANGES),
  };
};

const mappingsOf = (rosters: readonly UserRoster[]): readonly RoleMapping[] =>
  rosters.flatMap(({ mapping }) => mapping ?? []);

const answerOf = ({
  role,
  expectedRole,
  winner,
  facts,
}: {
  readonly role: string;
  readonly expectedRole: string;
  readonly winner: RoleMapping | undefined;
  readonly facts: RoleFacts;
}): string => {
  if (facts.isPartial)
    return `The user has the role "${role}". Not all groups of the user are shown.`;
  if (role !== expectedRole)
    return `The user still has the role "${role}"; it will change to "${expectedRole}".`;
  return winner
    ? `The role mapping of the group "${winner.groupDisplayName}" gives the role "${role}".`
    : `No role mapping applies to the user, so the role is the tenant's default, "${role}".`;
};

const rosterFacts = ({ room, group, mapping }: UserRoster): readonly Fact[] => {
  if (!group)
    return [
      {
        kind: 'no_group',
        text: `The user is in the room "${room?.name ?? ''}", which has no SCIM group and gives no role.`,
        ...(room && { room_id: room.id }),
      },
    ];
  const where = room ? ` (room "${room.name}")` : ' (without a room)';
  const ids = {
    group_id: group.id,
    group_name: group.displayName,
    ...(room && { room_id: room.id }),
  };
  const inGroup = `The user is in the group "${group.displayName}"${where}`;
  if (!mapping)
    return [{ kind: 'no_role_mapping', text: `${inGroup}, which has no role mapping.`, ...ids }];
  const text = mapping.applyOnScimProvisioning
    ? `${inGroup}. Its role mapping gives "${mapping.role}" with priority ${mapping.priority}.`
    : `${inGroup}. Its role mapping to "${mapping.role}" has no effect: Apply on SCIM provisioning ` +
      'is off.';
  return [{ kind: 'role_mapping', text, ...ids, role_mapping_id: mapping.id }];
};

const priorityFacts = (
  winner: RoleMapping | undefined,
  rosters: readonly UserRoster[],
): readonly Fact[] => {
  const applying = mappingsOf(rosters).filter((mapping) => mapping.applyOnScimProvisioning);
  if (!winner || applying.length < 2) return [];
  const tied = applying.filter(({ priority }) => priority === winner.priority);
  const text =
    tied.length > 1
      ? `${tied.length} mappings have priority ${winner.priority}; the oldest wins, that of ` +
        `"${winner.groupDisplayName}" (created on ${timeInWords(winner.createdAt)}).`
      : `${applying.length} mappings apply; the lowest priority number wins, that of ` +
        `"${winner.groupDisplayName}" (${winner.priority}).`;
  return [{ kind: 'priority', text, role_mapping_id: winner.id }];
};

const pendingFacts = (role: string, expectedRole: string, facts: RoleFacts): readonly Fact[] => {
  if (role === expectedRole && !facts.isRecomputing) return [];
  return [
    {
      kind: 'job',
      text: facts.isRecomputing
        ? 'A job is recomputing roles after a large change; it may not have processed this user yet.'
        : "The role is recomputed when the user's groups or their role mappings change.",
    },
  ];
};

const changesOf = (
  winner: RoleMapping | undefined,
  { defaultRole, slug }: Pick<Tenant, 'defaultRole' | 'slug'>,
  { rosters, others }: RoleFacts,
): Changes => {
  const wouldWin = (mapping: RoleMapping): boolean => {
    const applying = { ...mapping, applyOnScimProvisioning: true };
    return effectiveMapping(winner ? [winner, applying] : [applying])?.id === mapping.id;
  };
  const own = mappingsOf(rosters);
  const rest = own.filter(({ id }) => id !== winner?.id);
  return [
    ...(winner ? leavingGroup(winner, effectiveMapping(rest)?.role ?? defaultRole) : []),
    ...rest.flatMap((mapping) => changingMapping(slug, mapping, { winner, wouldWin })),
    ...others.flatMap(({ mapping, group }) => joiningGroup(mapping, group !== null, wouldWin)),
    ...(winner ? [] : addingMapping(rosters)),
    ...(winner ? [] : [{ text: "Changing the tenant's default role would change it." }]),
  ];
};

const leavingGroup = ({ groupDisplayName, id: _id }: RoleMapping, role: string): Changes => [
  { text: `Leaving the group "${groupDisplayName}" would give the role "${role}".`, role },
];

const changingMapping = (
  slug: string,
  mapping: RoleMapping,
  {
    winner,
    wouldWin,
  }: {
    readonly winner: RoleMapping | undefined;
    readonly wouldWin: (mapping: RoleMapping) => boolean;
  },
): Changes => {
  const { id, role, groupDisplayName, applyOnScimProvisioning } = mapping;
  const remedy = (body: NonNullable<Remedy['body']>): Remedy =>
    remedyOf(slug, {
      action: 'update_role_mapping',
      method: 'PATCH',
      to: `/role-mappings/${id}`,
      body,
      role_mapping_id: id,
      group_name: groupDisplayName,
    });
  if (!applyOnScimProvisioning)
    return wouldWin(mapping)
      ? [
          {
            text: `Turning on Apply on SCIM provisioning for the mapping of "${groupDisplayName}" would give the role "${role}".`,
            role,
            remedy: remedy({ apply_on_scim_provisioning: true }),
          },
        ]
      : [];
  return [
    {
      text: `A priority below ${winner?.priority ?? 0} for the mapping of "${groupDisplayName}" would give the role "${role}".`,
      role,
      ...(winner && winner.priority > 0 && { remedy: remedy({ priority: winner.priority - 1 }) }),
    },
  ];
};

const joiningGroup = (
  mapping: RoleMapping,
  hasGroup: boolean,
  wouldWin: (mapping: RoleMapping) => boolean,
): Changes => {
  const { role, groupDisplayName: name, applyOnScimProvisioning } = mapping;
  if (!wouldWin(mapping)) return [];
  const applied = applyOnScimProvisioning
    ? ''
    : ' once Apply on SCIM provisioning is on for its mapping';
  const text = hasGroup
    ? `The user is not in the group "${name}": joining it would give the role "${role}"${applied}.`
    : `No group is named "${name}": one with the user as a member would give the role "${role}"${applied}.`;
  return [{ text, role }];
};

const addingMapping = (rosters: readonly UserRoster[]): Changes =>
  rosters
    .filter(({ group, mapping }) => group && !mapping)
    .slice(0, 3)
    .map(({ group }) => ({
      text: `A role mapping for the group "${group?.displayName ?? ''}" would give the user its role.`,
    }));
