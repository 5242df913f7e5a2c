import { z } from 'zod';
import { idField } from '../../api/fields.js';
import type { RouteResponse } from '../../api/route.js';
import type { RoomReader } from '../../api/rooms.js';
import type { RoomView } from '../../domain/commands.js';
import { roomNotFound } from '../../domain/kernel/refusals.js';
import { parseRoomId, type RoomId } from '../../domain/kernel/ids.js';
import { presentRoom } from './native-room.js';
import { throwRefusal } from '../errors.js';

export interface RoomRouteParts {
  readonly rooms: RoomReader;
}

export const ROOM_PARAM = { id: idField("The room's id.") };

export const ROOM_FILTERS = {
  name: z.string().min(1).max(256).optional().describe('The room with this name, ignoring case.'),
};

export const raiseRoomNotFound = (): never => throwRefusal(roomNotFound());

export const roomIdFrom = (text: string): RoomId => parseRoomId(text) ?? raiseRoomNotFound();

export const respondWithRoom = (status: number, view: RoomView): RouteResponse => ({
  status,
  body: presentRoom(view),
  version: view.room.version,
});
