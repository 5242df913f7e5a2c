import type { FoundUser, RoomFacts } from '../../ports/command-log.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { timeInWords } from '../../domain/kernel/in-words.js';
import { authorOf, describeEntry } from '../../pipeline/log/describe-entry.js';
import type { Room } from '../../domain/room/room.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import {
  type Changes,
  commandFact,
  describeAffected,
  entryFields,
  type Explanation,
  type Fact,
  mappingOf,
  remedyOf,
  similarFacts,
  userFact,
  userLabel,
  waysToSeat,
} from './explain.js';

interface ExplainInput {
  readonly tenant: Pick<Tenant, 'slug' | 'seatCapacity' | 'seatsProvisioned'>;
  readonly found: FoundUser;
  readonly room: Room;
  readonly facts: RoomFacts;
}

/** The cause, and the entry of the log that it comes from. */
interface Cause {
  readonly text: string;
  readonly entry?: CommandLogEntry | null | undefined;
  /** It says already that the room has no group, and which group of the user has no room. */
  readonly isUnmapped?: true;
}

/** Explains why a user is, or is not, in a room, or cannot use it. */
export const explainRoom = (input: ExplainInput): Explanation => {
  const { tenant, found, room, facts } = input;
  const { slug } = tenant;
  const { membership, former, deactivatedBy } = facts;
  const { text, entry, isUnmapped = false } = causeOf(input);
  const told = [entry, deactivatedBy].flatMap((one) => one?.id ?? []);
  const others = (entries: readonly CommandLogEntry[]) =>
    entries.filter(({ id }) => !told.includes(id)).map(commandFact(slug));
  return {
    question: questionOf(input),
    answer: {
      text,
      member: membership !== null,
      can_use: membership !== null && isUsable(found),
      tx_permission: membership?.txPermission ?? null,
      ...(former && found.deletedAt === null && { not_member_because: former.is }),
      ...(entry && entryFields(entry, slug)),
    },
    facts: [
      ...(isUsable(found) ? [userFact(found)] : []),
      ...(isUnmapped ? [] : [mappingFact(room, facts)]),
      ...sameNameFacts(room, facts),
      ...roomlessFacts(facts, isUnmapped ? 1 : 0),
      ...permissionFacts(input),
      ...jobFacts(room),
      ...others([
        ...new Map(
          [...refusedOf(input), ...facts.similar.refused].map((one) => [one.id, one]),
        ).values(),
      ]),
      ...similarFacts(slug, similarGroupsOf(facts)),
      ...others(facts.commands),
    ],
    would_change: changesOf(input),
  };
};

const isUsable = ({ user, deletedAt }: FoundUser): boolean =>
  deletedAt === null && user.profile.active;

const questionOf = ({ found, room, facts }: ExplainInput): string => {
  const [name, where] = [userLabel(found), `the room "${room.name}"`];
  if (!facts.membership) return `Why is ${name} not in ${where}?`;
  return isUsable(found) ? `Why is ${name} in ${where}?` : `Why can ${name} not use ${where}?`;
};

const causeOf = (input: ExplainInput): Cause => {
  const { found, room, facts } = input;
  const { membership, addedBy, deactivatedBy } = facts;
  if (found.deletedAt !== null) {
    const at = timeInWords(found.deletedAt);
    return { text: `The user was deleted on ${at}, which ended all memberships.` };
  }
  const inactive = found.user.profile.active ? '' : describeDeactivation(deactivatedBy);
  if (!membership) {
    const { text, ...cause } = absenceOf(input);
    return { ...cause, text: [text, inactive].filter(Boolean).join(' ') };
  }
  if (inactive !== '')
    return { text: `${inactive} The user is still a member of the room.`, entry: deactivatedBy };
  const how = addedBy
    ? authorOf(addedBy)
    : 'by a command that is no longer in the provisioning log';
  const text = `Added to the room "${room.name}" ${how} on ${timeInWords(membership.addedAt)}.`;
  return { text, entry: addedBy };
};

const describeDeactivation = (by: CommandLogEntry | null): string =>
  by
    ? `Deactivated ${authorOf(by)} on ${timeInWords(by.at)}: the user cannot sign in.`
    : 'Deactivated: the user cannot sign in.';

/** Why a user is not a member. */
const absenceOf = (input: ExplainInput): Cause => {
  const { name } = input.room;
  const { former, group, roomless } = input.facts;
  if (former?.is === 'removed') {
    const { by, at } = former;
    const text = `Removed from the room "${name}" ${authorOf(by)} on ${timeInWords(at)}.`;
    return { text, entry: by };
  }
  const never =
    former?.is === 'unknown'
      ? `Not in the room "${name}". Whether the user was removed is unknown: the provisioning log ` +
        (former.searchedSince
          ? `has no removal since ${timeInWords(former.searchedSince)}, and earlier entries are not available.`
          : 'has no entries of that time.')
      : `Never added to the room "${name}".`;
  const refused = likelyCause(input);
  if (refused) {
    const what = `On ${timeInWords(refused.at)}, ${describeEntry(refused)}.`;
    return { text: `${never} ${what}${describeAffected(refused)}`, entry: refused };
  }
  if (group) return { text: never };
  const [own] = roomless;
  const why = own
    ? `The user is in the group "${own.displayName}", which has no room, and the room has no group.`
    : 'It has no SCIM group: only operators and the REST API can change its members.';
  return { text: `${never} ${why}`, isUnmapped: true };
};

/** Groups of other names may be meant for other rooms. */
const likelyCause = (input: ExplainInput): CommandLogEntry | undefined => {
  const { refused } = input.facts.similar;
  const isNear = ({ id }: CommandLogEntry): boolean => refused.some((one) => one.id === id);
  const own = refusedOf(input).find((one) => one.type !== 'group.create' || isNear(one));
  return own ?? refused[0];
};

/** Refused commands that explain the absence: since the user was removed, and about this room. */
const refusedOf = ({ found, room, facts }: ExplainInput): readonly CommandLogEntry[] => {
  const { membership, former, group, refused } = facts;
  const since = former?.is === 'removed' ? former.at : new Date(0);
  const isAbout = ({ type, subject }: CommandLogEntry): boolean => {
    if (subject?.kind === 'user') return !found.user.profile.active;
    if (membership) return false;
    return type === 'group.create'
      ? group === null
      : [room.id, group?.id].includes(subject?.id as never);
  };
  return refused.filter((entry) => entry.at > since && isAbout(entry));
};

const mappingFact = (room: Room, { group }: RoomFacts): Fact =>
  group
    ? {
        kind: 'group',
        text:
          `The room "${room.name}" is mapped to the SCIM group "${group.displayName}": the group's ` +
          "members are the room's members, whichever interface adds or removes them.",
        room_id: room.id,
        group_id: group.id,
        group_name: group.displayName,
      }
    : {
        kind: 'no_group',
        text:
          `The room "${room.name}" has no SCIM group: identity providers cannot change its ` +
          'members, only operators and the REST API can.',
        room_id: room.id,
      };

const sameNameFacts = (room: Room, { namesake }: RoomFacts): readonly Fact[] =>
  namesake
    ? [
        {
          kind: 'group',
          text:
            `The SCIM group "${namesake.displayName}" has the room's name, but ` +
            (namesake.roomId
              ? 'is mapped to another room'
              : 'is a role-only group: it has no room') +
            '. Its members are not in this room.',
          group_id: namesake.id,
          group_name: namesake.displayName,
          ...(namesake.roomId && { room_id: namesake.roomId }),
        },
      ]
    : [];

/** Without those that the cause and another fact name. */
const roomlessFacts = ({ roomless, namesake }: RoomFacts, from: number): readonly Fact[] =>
  roomless
    .slice(from)
    .filter(({ id }) => id !== namesake?.id)
    .map(({ id, displayName }) => ({
      kind: 'group',
      text: `The user is in the group "${displayName}", which has no room.`,
      group_id: id,
      group_name: displayName,
    }));

/** Similar groups that no other fact names; other rooms are of no use. */
const similarGroupsOf = ({ similar, roomless, namesake }: RoomFacts) => {
  const named = [namesake, ...roomless].map((group) => group?.id);
  return {
    rooms: [],
    groups: similar.groups.filter(({ id }) => !named.includes(id)),
    refused: [],
  };
};

const permissionFacts = ({ found, room, facts: { membership } }: ExplainInput): readonly Fact[] =>
  membership
    ? [
        {
          kind: 'membership',
          text: membership.txPermission
            ? 'The user may transmit.'
            : 'The user may listen, but not transmit.',
          user_id: found.user.id,
          room_id: room.id,
        },
      ]
    : [];

const jobFacts = ({ id, pendingJob }: Room): readonly Fact[] =>
  pendingJob === null
    ? []
    : [
        {
          kind: 'job',
          text: "A large change of this room's members is still in progress.",
          room_id: id,
        },
      ];

const idsOf = ({ found: { user }, room }: ExplainInput) => ({
  room_id: room.id,
  room_name: room.name,
  user_id: user.id,
  user_name: user.email ?? user.id,
});

const changesOf = (input: ExplainInput): Changes => {
  const { tenant, found, facts } = input;
  if (found.deletedAt !== null)
    return [
      { text: 'Provisioning the user again creates a new user with a new id, who can be added.' },
    ];
  if (isUsable(found)) return facts.membership ? waysToRemove(input) : waysToAdd(input);
  const { user_id, user_name } = idsOf(input);
  return [
    ...waysToSeat(tenant, 1),
    {
      text: 'Reactivating the user, here and in the identity provider.',
      remedy: remedyOf(tenant.slug, {
        action: 'reactivate_user',
        method: 'PATCH',
        to: `/users/${user_id}`,
        body: { active: true },
        ...{ user_id, user_name },
      }),
    },
    ...(facts.membership ? [] : waysToAdd(input)),
  ];
};

const waysToRemove = (input: ExplainInput): Changes => {
  const { tenant, facts } = input;
  const ids = idsOf(input);
  const to = `/rooms/${ids.room_id}/members/${ids.user_id}`;
  const mayTransmit = facts.membership?.txPermission === true;
  return [
    ...(facts.group
      ? [
          {
            text: `Removing the user from the group "${facts.group.displayName}" in the identity provider.`,
          },
        ]
      : []),
    {
      text: 'Removing the user from the room.',
      remedy: remedyOf(tenant.slug, { action: 'remove_member', method: 'DELETE', to, ...ids }),
    },
    {
      text: mayTransmit
        ? 'No longer letting the user transmit, which SCIM never changes.'
        : 'Letting the user transmit, which SCIM never changes.',
      remedy: remedyOf(tenant.slug, {
        action: 'update_member',
        method: 'PATCH',
        to,
        body: { tx_permission: !mayTransmit },
        ...ids,
      }),
    },
  ];
};

const waysToAdd = (input: ExplainInput): Changes => {
  const { tenant, room, facts } = input;
  const ids = idsOf(input);
  return [
    ...(facts.group
      ? [
          {
            text: `Adding the user to the group "${facts.group.displayName}" in the identity provider.`,
          },
        ]
      : waysToMap(input)),
    {
      text: `Adding the user to the room, whatever the identity provider does.`,
      remedy: remedyOf(tenant.slug, {
        action: 'add_member',
        method: 'POST',
        to: `/rooms/${room.id}/members`,
        body: { user_id: ids.user_id },
        ...ids,
      }),
    },
  ];
};

/** A group that exists keeps its members apart: only a new one becomes the room's. */
const waysToMap = (input: ExplainInput): Changes => {
  const { tenant, room, facts } = input;
  const { roomless, namesake, similar } = facts;
  const again = (group: string): string =>
    `deleting the group "${group}" in the identity provider's application and pushing it again. It is then mapped to the room.`;
  if (namesake)
    return namesake.roomId ? [] : [{ text: `D${again(namesake.displayName).slice(1)}` }];
  const [existing] = [...roomless, ...similar.groups];
  const refused = likelyCause(input);
  const wanted = refused?.subject?.name ?? null;
  if (existing && wanted === null)
    return [
      {
        text: `Renaming the room to "${existing.displayName}", ${again(existing.displayName)}`,
        remedy: remedyOf(tenant.slug, {
          action: 'rename_room',
          method: 'PATCH',
          to: `/rooms/${room.id}`,
          body: { name: existing.displayName },
          room_id: room.id,
          room_name: room.name,
        }),
      },
    ];
  return [mappingOf(tenant.slug, room, wanted ?? room.name)];
};
