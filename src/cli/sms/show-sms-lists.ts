import { printable } from '../display-width.js';
import type { Session } from '../session.js';
import { showTime } from '../show-time.js';
import { renderFields, renderTable } from '../table.js';
import type { SmsListView } from '../views.js';

const windowOf = (list: SmsListView, now: Date): string => {
  const { valid_from: from, valid_until: until } = list;
  if (from === null && until === null) return 'always';
  const [begin, end] = [from && showTime(from, now), until && showTime(until, now)];
  return [begin && `from ${begin}`, end && `until ${end}`].filter(Boolean).join(' ');
};

export const smsListTable = (
  lists: readonly SmsListView[],
  { paint, world }: Pick<Session, 'paint' | 'world'>,
): string => {
  if (lists.length === 0) return '';
  const now = world.now();
  return renderTable<SmsListView>(
    [
      { title: 'NAME', cell: ({ name }) => printable(name), wrapAt: 40 },
      { title: 'EXTERNAL ID', cell: ({ external_id }) => printable(external_id ?? ''), wrapAt: 24 },
      { title: 'MEMBERS', cell: ({ member_count }) => String(member_count), align: 'right' },
      { title: 'VALID', cell: (list) => windowOf(list, now) },
      { title: 'ID', cell: ({ id }) => id },
    ],
    lists,
    paint,
  );
};

export const smsListFields = (
  list: SmsListView,
  { paint, world }: Pick<Session, 'paint' | 'world'>,
): string => {
  const now = world.now();
  return renderFields(
    [
      ['name', printable(list.name)],
      ['external id', printable(list.external_id ?? '')],
      ['members', String(list.member_count)],
      ['valid', windowOf(list, now)],
      ['created', showTime(list.created_at, now)],
      ['updated', showTime(list.updated_at, now)],
      ['id', list.id],
    ],
    paint,
  );
};
