import type { FormerMembership, FoundUser, RoomFacts } from '../../ports/command-log.js';
import type { Membership, Room } from '../../domain/room/room.js';
import {
  commandFact,
  describeAuthor,
  describeEntry,
  entryFields,
  type Explanation,
  type Fact,
  type Remedy,
  tenantPath,
  userLabel,
  userFact,
} from './explain.js';

type Changes = Explanation['would_change'];

interface ExplainInput {
  /** The tenant's. */
  readonly slug: string;
  readonly found: FoundUser;
  readonly room: Room;
  readonly facts: RoomFacts;
}

/** Explains why a user is, or is not, in a room. */
export const explainRoom = (input: ExplainInput): Explanation => {
  const { slug, found, room, facts } = input;
  const { membership, former } = facts;
  const name = userLabel(found);
  return {
    question: membership
      ? `Why is ${name} in the room "${room.name}"?`
      : `Why is ${name} not in the room "${room.name}"?`,
    answer: {
      text: answerOf(input),
      member: membership !== null,
      tx_permission: membership?.txPermission ?? null,
      ...(former && found.deletedAt === null && { not_member_because: former.is }),
    },
    facts: [
      userFact(found),
      mappingFact(room, facts),
      ...sameNameFacts(room, facts),
      ...(membership ? [membershipFact(membership, input)] : []),
      ...removalFacts(input),
      ...jobFacts(room),
      ...facts.commands.map(commandFact(slug)),
    ],
    would_change: membership ? waysToRemove(membership, input) : waysToAdd(input),
  };
};

const answerOf = ({ found, room, facts }: ExplainInput): string => {
  const { membership, addedBy, former } = facts;
  if (found.deletedAt !== null) return 'The user was deleted, which ended all memberships.';
  if (!membership) return former ? describeFormer(former, room) : '';
  const how = addedBy ? ` by ${describeEntry(addedBy)}` : '';
  const signIn = found.user.profile.active ? '' : ' The user is deactivated and cannot sign in.';
  return `The user was added at ${membership.addedAt.toISOString()}${how}.${signIn}`;
};

const describeFormer = (former: FormerMembership, { name }: Room): string => {
  switch (former.is) {
    case 'removed':
      return (
        `Removed from the room "${name}" at ${former.at.toISOString()} ` +
        `${describeAuthor(former.by)} (request ${former.by.requestId}).`
      );
    case 'never_added':
      return `Never added to the room "${name}".`;
    case 'unknown':
      return (
        `Not in the room "${name}". Whether the user was removed is unknown: the provisioning log ` +
        (former.searchedSince
          ? `has no removal since ${former.searchedSince.toISOString()}, and earlier entries are not available.`
          : 'has no entries of that time.')
      );
  }
};

const removalFacts = ({ slug, found, room, facts: { former } }: ExplainInput): readonly Fact[] =>
  former?.is === 'removed' && found.deletedAt === null
    ? [
        {
          kind: 'membership',
          text: `The user was removed at ${former.at.toISOString()}: ${describeEntry(former.by)}.`,
          user_id: found.user.id,
          room_id: room.id,
          ...entryFields(former.by, slug),
          at: former.at.toISOString(),
        },
      ]
    : [];

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
          'members, only the REST API can.',
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

const membershipFact = (
  { addedAt, txPermission, userId }: Membership,
  { slug, room, facts: { addedBy } }: ExplainInput,
): Fact => {
  const origin = addedBy
    ? addedBy.source === 'scim'
      ? `through its SCIM group: ${describeEntry(addedBy)}`
      : `directly: ${describeEntry(addedBy)}`
    : 'by a command that is no longer in the provisioning log';
  return {
    kind: 'membership',
    text:
      `The user was added at ${addedAt.toISOString()} ${origin}. ` +
      (txPermission ? 'The user may transmit.' : 'The user may listen, but not transmit.'),
    user_id: userId,
    room_id: room.id,
    ...(addedBy && entryFields(addedBy, slug)),
    at: addedAt.toISOString(),
  };
};

const jobFacts = ({ id, pendingJob }: Room): readonly Fact[] =>
  pendingJob === null
    ? []
    : [
        {
          kind: 'job',
          text: `A large change of this room's members is still in progress (job ${pendingJob}).`,
          room_id: id,
        },
      ];

/** A call of the operators' API, as a remedy and as the beginning of a sentence. */
const call = (
  remedy: Omit<Remedy, 'path'>,
  slug: string,
  path: string,
): { readonly remedy: Remedy; readonly sentence: string } => ({
  remedy: { ...remedy, path: tenantPath(slug) + path },
  sentence: `${remedy.method} ${path}`,
});

const waysToRemove = (
  { userId, txPermission }: Membership,
  { slug, room: { id }, facts: { group } }: ExplainInput,
): Changes => {
  const ids = { room_id: id, user_id: userId };
  const path = `/rooms/${id}/members/${userId}`;
  const removal = call({ action: 'remove_member', method: 'DELETE', ...ids }, slug, path);
  const body = { tx_permission: !txPermission };
  const update = call({ action: 'update_member', method: 'PATCH', body, ...ids }, slug, path);
  return [
    ...(group
      ? [
          {
            text: `Removing the user from the group "${group.displayName}" in the identity provider.`,
          },
        ]
      : []),
    {
      text: `${removal.sentence}, or a PUT of the room's members without the user.`,
      remedy: removal.remedy,
    },
    { text: 'Deleting the user over SCIM. Deactivating the user does not end memberships.' },
    {
      text: `${update.sentence} changes whether the user may ${
        txPermission ? 'no longer ' : ''
      }transmit; SCIM never does.`,
      remedy: update.remedy,
    },
  ];
};

const waysToAdd = ({
  slug,
  found: { user, deletedAt },
  room: { id, name },
  facts: { group },
}: ExplainInput): Changes => {
  if (deletedAt !== null)
    return [
      { text: 'Provisioning the user again creates a new user with a new id, who can be added.' },
    ];
  const mapping = call({ action: 'map_room', method: 'PATCH', room_id: id }, slug, `/rooms/${id}`);
  const addition = call(
    {
      action: 'add_member',
      method: 'POST',
      body: { user_id: user.id },
      room_id: id,
      user_id: user.id,
    },
    slug,
    `/rooms/${id}/members`,
  );
  return [
    group
      ? { text: `Adding the user to the group "${group.displayName}" in the identity provider.` }
      : {
          text:
            `Mapping the room (${mapping.sentence}, or a SCIM group named "${name}") and adding the ` +
            'user to that group.',
          remedy: mapping.remedy,
        },
    { text: `${addition.sentence} with the user id ${user.id}.`, remedy: addition.remedy },
  ];
};
