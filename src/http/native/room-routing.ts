import { z } from 'zod';
import { idField } from '../../api/fields.js';
import type { RouteAnswer } from '../../api/route.js';
import type { RoomReader } from '../../api/rooms.js';
import type { RoomView } from '../../domain/commands.js';
import { noSuchRoom } from '../../domain/kernel/not-found.js';
import { parseRoomId, type RoomId } from '../../domain/ids.js';
import { RefusalError } from '../../domain/refusals.js';
import { presentRoom } from './native-room.js';

export interface RoomRouteParts {
  readonly rooms: RoomReader;
}

export const ROOM_PARAM = { id: idField("The room's id.") };

/** For whoever may only want one room, or the mapped ones. */
export const ROOM_CONDITIONS = {
  name: z.string().min(1).max(256).optional().describe('The room with this name, ignoring case.'),
};

export const absentRoom = (): never => {
  throw new RefusalError(noSuchRoom().refusal);
};

export const roomIdIn = (text: string): RoomId => parseRoomId(text) ?? absentRoom();

export const answerWithRoom = (status: number, view: RoomView): RouteAnswer => ({
  status,
  body: presentRoom(view),
  version: view.room.version,
});
