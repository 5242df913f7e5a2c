import type { JobId, RoomId, TenantId, RosterId, UserId } from '../../domain/kernel/ids.js';
import {
  type Room,
  roomNameKey,
  type Membership,
  parseRosterPageKey,
} from '../../domain/room/room.js';
import { defineCollection, MIXED, defineTable } from './collection.js';
import { foldedName } from './folded-name.js';

export interface RoomDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  readonly name: string;
  /** In lower case. Documents of earlier versions have no words. */
  readonly folded: { readonly name: string; readonly words?: readonly string[] };
  readonly memberCount: number;
  readonly pendingJob: JobId | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const rooms = defineCollection<RoomDocument>({
  name: 'rooms',
  fields: {
    _id: String,
    tenant: String,
    v: Number,
    name: String,
    folded: MIXED,
    memberCount: Number,
    pendingJob: String,
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

const toRoomDocument = ({ id, tenantId, version, ...room }: Room): RoomDocument => ({
  _id: id,
  tenant: tenantId,
  v: version,
  ...room,
  folded: foldedName('name', room.name),
});

export const fromRoomDocument = (document: RoomDocument): Room => {
  const { _id, tenant, v, folded: _folded, ...room } = document;
  return { id: _id as RoomId, tenantId: tenant as TenantId, version: v, ...room };
};

export const roomTable = defineTable<'rooms', RoomDocument>(rooms, {
  keys: { id: '_id', name: 'folded.name' },
  fromDocument: fromRoomDocument,
  writes: { toDocument: toRoomDocument, unique: { path: 'folded.name', keyOf: roomNameKey } },
});

export interface MembershipDocument {
  /** Of roster and user. */
  readonly _id: string;
  readonly tenant: string;
  readonly roster: string;
  readonly user: string;
  readonly tx: boolean;
  readonly addedAt: Date;
}

export const memberships = defineCollection<MembershipDocument>({
  name: 'memberships',
  fields: {
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

export const fromMembershipDocument = (document: MembershipDocument): Membership => ({
  id: document._id,
  tenantId: document.tenant as TenantId,
  rosterId: document.roster as RosterId,
  userId: document.user as UserId,
  txPermission: document.tx,
  addedAt: document.addedAt,
});

export const membershipTable = defineTable<'memberships', MembershipDocument>(memberships, {
  keys: { id: '_id', roster: 'roster', user: 'user' },
  pages: {
    page: (key) => {
      const { rosterId, after, limit } = parseRosterPageKey(key);
      return { conditions: { roster: rosterId, user: { $gt: after } }, sort: { user: 1 }, limit };
    },
  },
  fromDocument: fromMembershipDocument,
  writes: {
    toDocument: (membership) => ({
      _id: membership.id,
      tenant: membership.tenantId,
      roster: membership.rosterId,
      user: membership.userId,
      tx: membership.txPermission,
      addedAt: membership.addedAt,
    }),
  },
});
