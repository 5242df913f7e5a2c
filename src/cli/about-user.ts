import { z } from 'zod';
import type { components } from '../client/index.js';
import { printable } from './display-width.js';
import { formatSecond } from './format-time.js';
import { yesNo } from './format-value.js';
import { detailOf, LogEntry, nameOf } from './log-entry.js';
import type { MoreOfItem } from './resource.js';
import type { Session } from './session.js';
import { renderTable } from './table.js';

const SHOWN_ENTRIES = 10;
const MAX_ROOMS = 500;

const Timeline = z.object({ commands: z.array(LogEntry) });

/** The user's rooms, why they have their role, and what changed them last. */
export const aboutUser = async (id: string, session: Session): Promise<MoreOfItem> => {
  const slug = session.tenant ?? '';
  const [{ rooms, total }, role, timeline] = await Promise.all([
    session.call((api) =>
      api.get('/admin/v1/tenants/{slug}/users/{id}/rooms', {
        path: { slug, id },
        query: { limit: MAX_ROOMS },
      }),
    ),
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
    section('Rooms', roomTable(rooms, total, session), session),
    section(
      'Role',
      [role.answer, ...role.facts].map(({ text }) => `${printable(text)}\n`).join(''),
      session,
    ),
    section('Last changes', logTable(commands, session), session),
  ];
  return {
    text: sections.join(''),
    json: { rooms, why_this_role: role, timeline: commands },
  };
};

type Rooms = readonly components['schemas']['UserRoom'][];

const section = (title: string, body: string, { paint }: Session): string =>
  `\n${paint.bold(`${title}:`)}\n${body === '' ? 'none\n' : body}`;

const roomTable = (rooms: Rooms, total: number, { paint }: Session): string =>
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
      ) + (rooms.length < total ? `and ${total - rooms.length} more\n` : '');

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
