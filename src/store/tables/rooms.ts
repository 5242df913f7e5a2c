import {
  type Room,
  roomNameKey,
  type Membership,
  parseRosterPageKey,
} from '../../domain/room/room.js';
import { createCodec, OF_TENANT, VERSIONED } from './codec.js';
import { defineTenantCollection, type DocumentOf } from './collection.js';
import { nullable, typed } from './fields.js';
import { defineTable } from './table.js';
import { type FoldedName, foldedName } from './folded-name.js';

const rooms = defineTenantCollection({
  name: 'rooms',
  fields: {
    v: Number,
    name: String,
    folded: typed<FoldedName<'name'>>(Object),
    memberCount: Number,
    pendingJob: nullable(String),
    createdAt: Date,
    updatedAt: Date,
  },
  indexes: [
    { key: { tenant: 1, 'folded.name': 1 }, unique: true },
    { key: { tenant: 1, 'folded.words': 1 } },
    { key: { tenant: 1, createdAt: 1, _id: 1 } },
  ],
});

export type RoomDocument = DocumentOf<typeof rooms>;

export const roomTable = defineTable('rooms', rooms, {
  keys: { id: '_id', name: 'folded.name' },
  ...createCodec<Room, RoomDocument>({
    names: VERSIONED,
    derived: { folded: ({ name }) => foldedName('name', name) },
  }),
  unique: { path: 'folded.name', keyOf: roomNameKey },
});

/** The id of a membership is made of those of its roster and user. */
const memberships = defineTenantCollection({
  name: 'memberships',
  fields: {
    roster: String,
    user: String,
    tx: Boolean,
    addedAt: Date,
  },
  indexes: [
    { key: { tenant: 1, roster: 1, user: 1 }, unique: true },
    { key: { tenant: 1, user: 1, roster: 1 } },
  ],
});

export type MembershipDocument = DocumentOf<typeof memberships>;

export const membershipTable = defineTable('memberships', memberships, {
  keys: { id: '_id', roster: 'roster', user: 'user' },
  pages: {
    page: (key) => {
      const { rosterId, after, limit } = parseRosterPageKey(key);
      return { conditions: { roster: rosterId, user: { $gt: after } }, sort: { user: 1 }, limit };
    },
  },
  ...createCodec<Membership, MembershipDocument>({
    names: { ...OF_TENANT, rosterId: 'roster', userId: 'user', txPermission: 'tx' },
  }),
});
