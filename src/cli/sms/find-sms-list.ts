import { fold } from '../../domain/fold.js';
import { CommandFailure, EXIT } from '../command-failure.js';
import { printable } from '../display-width.js';
import type { Session } from '../session.js';
import { SmsListPage, SmsListView } from '../views.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LIMIT = 500;

/** The list with this id, or of this name in any case. */
export const findSmsList = async (
  { client, read }: Session,
  wanted: string,
): Promise<SmsListView> => {
  if (UUID.test(wanted))
    return read(SmsListView, await client.request('GET', `/sms-lists/${wanted.toLowerCase()}`));
  for (let offset = 0; ; offset += LIMIT) {
    const answer = await client.request('GET', '/sms-lists', { query: { limit: LIMIT, offset } });
    const { sms_lists, total } = read(SmsListPage, answer);
    const found = sms_lists.find(({ name }) => fold(name) === fold(wanted));
    if (found) return found;
    if (offset + LIMIT >= total)
      throw new CommandFailure(EXIT.refused, `There is no SMS list "${printable(wanted)}".`, [
        '"rollgate sms list" shows all.',
      ]);
  }
};
