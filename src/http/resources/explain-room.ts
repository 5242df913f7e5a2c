import type { FoundUser, RoomFacts } from '../../ports/command-log.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { capitalise, timeInWords } from '../../domain/kernel/in-words.js';
import { authorOf, describeEntry } from '../../pipeline/log/describe-entry.js';
import { nameKey } from '../../domain/kernel/names.js';
import type { PersonFact } from '../../ports/tenants.js';
import type { Room } from '../../domain/room/room.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import {
  type Changes,
  commandFact,
  deletionOf,
  describeAffected,
  entryFields,
  type Explanation,
  type Fact,
  mappingOf,
  personFacts,
  pushingAgain,
  remedyOf,
  similarFacts,
  userFact,
  userLabel,
  waysOfPlugins,
  waysToSeat,
} from './explain.js';

interface ExplainInput {
  readonly tenant: Pick<Tenant, 'slug' | 'seatCapacity' | 'seatsProvisioned'>;
  readonly found: FoundUser;
  readonly room: Room;
  readonly facts: RoomFacts;
  /** What plugins have on the user. */
  readonly people: readonly PersonFact[];
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
  const { tenant, found, room, facts, people } = input;
  const { slug } = tenant;
  const { membership, former, deactivatedBy } = facts;
  const { text, entry, isUnmapped = false } = causeOf(input);
  const told = [entry, deactivatedBy].flatMap((one) => one?.id ?? []);
  const others = (entries: readonly CommandLogEntry[]) =>
    entries.filter(({ id }) => !told.includes(id)).map(commandFact(slug, found.user.id));
  const waiting = waitingOf(input);
  return {
    question: questionOf(input),
    answer: {
      text: [text, waiting?.text].filter(Boolean).join(' '),
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
      ...personFacts(people.filter((one) => one !== waiting)),
      ...jobFacts(room),
      ...others([
        ...new Map(
          [
            ...refusedOf(input),
            ...facts.similar.refused,
            ...(facts.skippedBy ? [facts.skippedBy] : []),
          ].map((one) => [one.id, one]),
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
    const text = `Deleted ${deletionOf(found)}, which ended all memberships.`;
    return { text, entry: found.deletedBy };
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
  const may = membership.txPermission ? 'may transmit' : 'may listen, but not transmit';
  const text = `Added to the room "${room.name}" ${how} on ${timeInWords(membership.addedAt)}. The user ${may}.`;
  return { text, entry: addedBy };
};

const describeDeactivation = (by: CommandLogEntry | null): string =>
  by
    ? `${by.type === 'user.create' ? 'Created as inactive' : 'Deactivated'} ${authorOf(by)} on ${timeInWords(by.at)}: the user cannot sign in.`
    : 'Deactivated: the user cannot sign in.';

/** Why a user is not a member. */
const absenceOf = (input: ExplainInput): Cause => {
  const { name } = input.room;
  const { former, group, roomless, unmappedBy } = input.facts;
  if (former?.is === 'removed') {
    const { by, at } = former;
    const how = by.type === 'group.delete' ? `, who deleted the group "${by.subject?.name}",` : '';
    const text = `Removed from the room "${name}" ${authorOf(by)}${how} on ${timeInWords(at)}.`;
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
  if (unmappedBy && refused?.type !== 'group.create') {
    const text = `${never} Its group "${formerGroupOf(unmappedBy)?.name}" was removed ${authorOf(unmappedBy)} on ${timeInWords(unmappedBy.at)}: identity providers cannot change its members.`;
    return { text, entry: unmappedBy, isUnmapped: true };
  }
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

/** The group that a command took from its room. */
const formerGroupOf = ({ subject, affected }: CommandLogEntry) =>
  [subject, ...affected].find((one) => one?.kind === 'group');

/** A group that no longer exists has no name in the refusals after it. */
const withName = (entry: CommandLogEntry, unmappedBy: CommandLogEntry | null): CommandLogEntry => {
  const former = unmappedBy && formerGroupOf(unmappedBy);
  const { subject } = entry;
  return subject && subject.name === null && former && subject.id === former.id
    ? { ...entry, subject: former }
    : entry;
};

/** What a plugin would do about it, of a user whom it would add to the room. */
const waitingOf = ({ room, facts: { membership, group }, people }: ExplainInput) => {
  const names = [room.name, group?.displayName ?? ''].map(nameKey);
  return membership
    ? undefined
    : people.find(({ groups }) => groups.some((name) => names.includes(nameKey(name))));
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
  const { membership, former, group, refused, unmappedBy } = facts;
  const since = former?.is === 'removed' ? former.at : new Date(0);
  const isAbout = ({ type, subject }: CommandLogEntry): boolean => {
    if (subject?.kind === 'user') return !found.user.profile.active;
    if (membership) return false;
    return type === 'group.create'
      ? group === null
      : [room.id, group?.id, unmappedBy && formerGroupOf(unmappedBy)?.id].includes(subject?.id);
  };
  return refused
    .filter((entry) => entry.at > since && isAbout(entry))
    .map((entry) => withName(entry, unmappedBy));
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
  membership && !membership.txPermission && isUsable(found)
    ? [
        {
          kind: 'membership',
          text:
            'Members are added without the permission to transmit, unless the request gives it; ' +
            'SCIM never changes it.',
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
    ...waysOfPlugins(tenant.slug, input.people),
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
      text: mayTransmit ? 'No longer letting the user transmit.' : 'Letting the user transmit.',
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
  const refused = facts.group ? likelyCause(input) : undefined;
  return [
    ...waysOfPlugins(tenant.slug, input.people),
    ...(refused ? waysAfter(tenant.slug, refused) : []),
    ...(facts.skippedBy ? [ASSIGN_MEMBERS] : []),
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

/** What makes a change of the room's group succeed that was refused. */
const waysAfter = (slug: string, { actor, actorName, refusal }: CommandLogEntry): Changes => {
  if (refusal?.code === 'REMOVALS_HELD') {
    const key = { key_id: actor.slice(actor.indexOf(':') + 1), key_name: actorName ?? '' };
    return [
      {
        text: `Allowing the API key "${key.key_name}" to remove more within the next hour, if that is intended, and pushing the group again.`,
        remedy: remedyOf(slug, {
          action: 'allow_removals',
          method: 'POST',
          to: `/api-keys/${key.key_id}/allow-removals`,
          ...key,
        }),
      },
    ];
  }
  return refusal?.scimType === 'invalidValue' && refusal.message.startsWith('No user has the id')
    ? [ASSIGN_MEMBERS]
    : [];
};

const ASSIGN_MEMBERS = {
  text:
    'In the identity provider, assigning every member of the group to the application, or ' +
    'removing from the group who has no user here; then pushing the group again.',
};

/** Ways for the identity provider to fill a room that has no group. */
const waysToMap = (input: ExplainInput): Changes => {
  const { tenant, room, facts } = input;
  const { roomless, namesake, similar, unmappedBy } = facts;
  if (namesake)
    return namesake.roomId ? [] : [{ text: capitalise(pushingAgain(namesake.displayName)) }];
  const [near] = similar.groups;
  const existing = near ?? roomless[0];
  const refused = likelyCause(input);
  const wanted =
    (refused?.type === 'group.create' ? refused.subject?.name : undefined) ??
    (unmappedBy && formerGroupOf(unmappedBy)?.name);
  const mapping = mappingOf(tenant.slug, room, wanted ?? room.name);
  if (existing && !wanted)
    return [
      ...(near ? [] : [mapping]),
      {
        text: `Renaming the room to "${existing.displayName}", ${pushingAgain(existing.displayName)}`,
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
  if (refused?.type === 'group.create' && nameKey(wanted ?? '') === nameKey(room.name))
    return [
      { text: 'Pushing the group again: the room exists now, and is mapped to it then.' },
      mapping,
    ];
  return unmappedBy && !refused
    ? [
        mapping,
        {
          text:
            'Then unlinking the group in the identity provider and pushing it again: it has the id of ' +
            'the group that was removed.',
        },
      ]
    : [mapping];
};
