import { printable } from './display-width.js';
import type { GatewayAnswer } from './gateway-client.js';
import type { Session } from './session.js';
import { showTime } from './show-time.js';
import { renderFields, renderTable } from './table.js';
import { RoomView } from './views.js';

const orDash = (text: string | null): string => (text === null ? '-' : printable(text));

/** A room, after it was made or renamed. */
export const showRoom = (session: Session, answer: GatewayAnswer): void => {
  const room = session.read(RoomView, answer);
  session.print({
    people: () =>
      renderFields(
        [
          ['name', printable(room.name)],
          ['SCIM group', orDash(room.display_name)],
          ['role', orDash(room.role)],
          ['members', String(room.member_count)],
          ['id', room.id],
        ],
        session.paint,
      ),
    json: answer.text,
    quiet: () => room.id,
  });
};

export const roomTable = (
  rooms: readonly RoomView[],
  { paint, world }: Pick<Session, 'paint' | 'world'>,
): string => {
  if (rooms.length === 0) return '';
  const now = world.now();
  return renderTable<RoomView>(
    [
      { title: 'NAME', cell: ({ name }) => printable(name), wrapAt: 40 },
      { title: 'SCIM GROUP', cell: ({ display_name }) => orDash(display_name), wrapAt: 40 },
      { title: 'ROLE', cell: ({ role }) => orDash(role), wrapAt: 24 },
      { title: 'MEMBERS', cell: ({ member_count }) => String(member_count), align: 'right' },
      { title: 'CREATED', cell: ({ created_at }) => showTime(created_at, now) },
      { title: 'ROOM ID', cell: ({ id }) => id },
    ],
    rooms,
    paint,
  );
};
