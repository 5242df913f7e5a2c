import type { FoundUser, RoomFacts } from '../../../api/explain.js';
import type { Membership } from '../../../domain/room/membership.js';
import type { Room } from '../../../domain/room/room.js';
import {
  commandFact,
  describeEntry,
  type Explanation,
  type Fact,
  userLabel,
  userFact,
} from './explanation.js';

interface ExplainInput {
  readonly found: FoundUser;
  readonly room: Room;
  readonly facts: RoomFacts;
}

/** Explains why a user is, or is not, in a room. */
export const explainRoom = ({ found, room, facts }: ExplainInput): Explanation => {
  const { membership } = facts;
  const name = userLabel(found);
  return {
    question: membership
      ? `Why is ${name} in the room "${room.name}"?`
      : `Why is ${name} not in the room "${room.name}"?`,
    answer: {
      text: answerOf({ found, room, facts }),
      member: membership !== null,
      tx_permission: membership?.txPermission ?? null,
    },
    facts: [
      userFact(found),
      mappingFact(room, facts),
      ...sameNameFacts(room, facts),
      ...(membership ? [membershipFact(membership, room, facts)] : []),
      ...jobFacts(room),
      ...facts.commands.map(commandFact),
    ],
    would_change: (membership
      ? waysToRemove(room, membership, facts)
      : waysToAdd(found, room, facts)
    ).map((text) => ({ text })),
  };
};

const answerOf = ({ found, room, facts }: ExplainInput): string => {
  const { membership, addedBy } = facts;
  if (found.deletedAt !== null) return 'The user was deleted, which ended all memberships.';
  if (!membership)
    return `The user was never added to the room "${room.name}", or has been removed since.`;
  const how = addedBy ? ` by ${describeEntry(addedBy)}` : '';
  const signIn = found.user.profile.active ? '' : ' The user is deactivated and cannot sign in.';
  return `The user was added at ${membership.addedAt.toISOString()}${how}.${signIn}`;
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
          ...(namesake.roomId && { room_id: namesake.roomId }),
        },
      ]
    : [];

const membershipFact = (
  { addedAt, txPermission, userId }: Membership,
  room: Room,
  { addedBy }: RoomFacts,
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
    ...(addedBy && { command_id: addedBy.id }),
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

const waysToRemove = (
  { id }: Room,
  { userId, txPermission }: Membership,
  { group }: RoomFacts,
): readonly string[] => [
  ...(group
    ? [`Removing the user from the group "${group.displayName}" in the identity provider.`]
    : []),
  `DELETE /rooms/${id}/members/${userId}, or a PUT of the room's members without the user.`,
  'Deleting the user over SCIM. Deactivating the user does not end memberships.',
  `PATCH /rooms/${id}/members/${userId} changes whether the user may ${
    txPermission ? 'no longer ' : ''
  }transmit; SCIM never does.`,
];

const waysToAdd = (
  { user, deletedAt }: FoundUser,
  { id, name }: Room,
  { group }: RoomFacts,
): readonly string[] => {
  if (deletedAt !== null)
    return ['Provisioning the user again creates a new user with a new id, who can be added.'];
  return [
    group
      ? `Adding the user to the group "${group.displayName}" in the identity provider.`
      : `Mapping the room (PATCH /rooms/${id}, or a SCIM group named "${name}") and adding the ` +
        'user to that group.',
    `POST /rooms/${id}/members with the user id ${user.id}.`,
  ];
};
