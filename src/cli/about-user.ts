import { z } from 'zod';
import { RollgateError } from '../client/index.js';
import { printable } from './display-width.js';
import { formatSecond } from './format-time.js';
import { yesNo } from './format-value.js';
import { detailOf, LogEntry, nameOf } from './log-entry.js';
import type { MoreOfItem } from './resource.js';
import type { Session } from './session.js';
import { renderTable } from './table.js';

const SHOWN_ENTRIES = 10;

const RoomPage = z.object({
  rooms: z.array(z.looseObject({ id: z.string(), name: z.string(), tx_permission: z.boolean() })),
});

const Timeline = z.object({ commands: z.array(LogEntry) });

/** The user's rooms, why they have their role, and what changed them last. */
export const aboutUser = async (id: string, session: Session): Promise<MoreOfItem> => {
  const slug = session.tenant ?? '';
  const [rooms, role, timeline] = await Promise.all([
    readRooms(id, slug, session),
    session.call((api) =>
      api.get('/admin/v1/tenants/{slug}/explain', {
        path: { slug },
        query: { user: id, role: '' },
      }),
    ),
    session.client.request('GET', '/commands', { query: { affected: id, limit: SHOWN_ENTRIES } }),
  ]);
  const { commands } = session.read(Timeline, timeline);
  const sections = [
    ...(rooms ? [section('Rooms', roomTable(rooms, session), session)] : []),
    section(
      'Role',
      [role.answer, ...role.facts].map(({ text }) => `${printable(text)}\n`).join(''),
      session,
    ),
    section('Last changes', logTable(commands, session), session),
  ];
  return {
    text: sections.join(''),
    json: { ...(rooms && { rooms }), why_this_role: role, timeline: commands },
  };
};

type Rooms = z.output<typeof RoomPage>['rooms'];

/** Undefined if the gateway is of a version without this list. */
const readRooms = async (
  id: string,
  slug: string,
  session: Session,
): Promise<Rooms | undefined> => {
  const path = `/admin/v1/tenants/${slug}/users/${id}/rooms`;
  const response = await session.call((api) =>
    api.transport.send('GET', path, { query: { limit: 500 } }).catch((error: unknown) => {
      if (error instanceof RollgateError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }),
  );
  return response && session.read(RoomPage, response).rooms;
};

const section = (title: string, body: string, { paint }: Session): string =>
  `\n${paint.bold(`${title}:`)}\n${body === '' ? 'none\n' : body}`;

const roomTable = (rooms: Rooms, { paint }: Session): string =>
  rooms.length === 0
    ? ''
    : renderTable(
        [
          { title: 'ROOM', cell: ({ name }) => printable(name), wrapAt: 40 },
          { title: 'MAY TRANSMIT', cell: ({ tx_permission: may }) => yesNo(may) },
          { title: 'ID', cell: ({ id }) => id },
        ],
        rooms,
        paint,
      );

const logTable = (entries: readonly LogEntry[], { paint }: Session): string =>
  entries.length === 0
    ? ''
    : renderTable(
        [
          { title: 'TIME', cell: ({ at }) => formatSecond(at) },
          { title: 'OUTCOME', cell: ({ outcome }) => printable(outcome) },
          { title: 'COMMAND', cell: ({ type }) => printable(type) },
          { title: 'ACTOR', cell: ({ actor }) => nameOf(actor), wrapAt: 24 },
          { title: 'DETAIL', cell: detailOf, wrapAt: 60 },
        ],
        entries,
        paint,
      );
