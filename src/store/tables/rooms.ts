import type { JobId, RoomId, TenantId } from '../../domain/kernel/ids.js';
import { type Room, roomNameKey } from '../../domain/room/room.js';
import { defineCollection, MIXED } from './collection.js';
import { nameWords } from './name-words.js';
import { defineTable } from './table.js';

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
  folded: { name: roomNameKey(room), words: nameWords([room.name]) },
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
