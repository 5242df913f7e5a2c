import type { JobId, RoomId, TenantId } from '../../domain/ids.js';
import { type Room, roomNameKey } from '../../domain/room.js';
import { defineCollection, MIXED } from './collection.js';
import { defineTable } from './table.js';

export interface RoomDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  readonly name: string;
  /** In lower case. */
  readonly folded: { readonly name: string };
  readonly memberCount: number;
  readonly pendingJob: string | null;
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
    { key: { tenant: 1, createdAt: 1, _id: 1 } },
  ],
  purge: 'by tenant',
});

const toRoomDocument = (room: Room): RoomDocument => ({
  _id: room.id,
  tenant: room.tenantId,
  v: room.version,
  name: room.name,
  folded: { name: roomNameKey(room) },
  memberCount: room.memberCount,
  pendingJob: room.pendingJob,
  createdAt: room.createdAt,
  updatedAt: room.updatedAt,
});

export const fromRoomDocument = (document: RoomDocument): Room => ({
  id: document._id as RoomId,
  tenantId: document.tenant as TenantId,
  name: document.name,
  memberCount: document.memberCount,
  version: document.v,
  pendingJob: document.pendingJob as JobId | null,
  createdAt: document.createdAt,
  updatedAt: document.updatedAt,
});

export const roomTable = defineTable<'rooms', RoomDocument>(rooms, {
  keys: { id: '_id', name: 'folded.name' },
  fromDocument: fromRoomDocument,
  writes: { toDocument: toRoomDocument, unique: { path: 'folded.name', keyOf: roomNameKey } },
});
