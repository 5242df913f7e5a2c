import {
  type Room,
  roomNameKey,
  type Membership,
  parseRosterPageKey,
} from '../../domain/room/room.js';
import { createCodec, OF_TENANT, VERSIONED } from './codec.js';
import { defineCollection, type DocumentOf } from './collection.js';
import { nullable, typed } from './fields.js';
import { defineTable } from './table.js';
import { type FoldedName, foldedName } from './folded-name.js';

export const rooms = defineCollection({
  name: 'rooms',
  fields: {
    _id: String,
    tenant: String,
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
  purge: 'by tenant',
});

export type RoomDocument = DocumentOf<typeof rooms>;

export const roomCodec = createCodec<Room, RoomDocument>({
  names: VERSIONED,
  derived: { folded: ({ name }) => foldedName('name', name) },
});

export const roomTable = defineTable('rooms', rooms, {
  keys: { id: '_id', name: 'folded.name' },
  ...roomCodec,
  unique: { path: 'folded.name', keyOf: roomNameKey },
});

export const memberships = defineCollection({
  name: 'memberships',
  fields: {
    /** Of roster and user. */
    _id: String,
    tenant: String,
    roster: String,
    user: String,
    tx: Boolean,
    addedAt: Date,
  },
  indexes: [
    { key: { tenant: 1, roster: 1, user: 1 }, unique: true },
    { key: { tenant: 1, user: 1, roster: 1 } },
  ],
  purge: 'by tenant',
});

export type MembershipDocument = DocumentOf<typeof memberships>;

export const membershipCodec = createCodec<Membership, MembershipDocument>({
  names: { ...OF_TENANT, rosterId: 'roster', userId: 'user', txPermission: 'tx' },
});

export const membershipTable = defineTable('memberships', memberships, {
  keys: { id: '_id', roster: 'roster', user: 'user' },
  pages: {
    page: (key) => {
      const { rosterId, after, limit } = parseRosterPageKey(key);
      return { conditions: { roster: rosterId, user: { $gt: after } }, sort: { user: 1 }, limit };
    },
  },
  ...membershipCodec,
});
