import { gateway, counted } from './ui.ts';
import type { IconName } from './components/icon.tsx';
import type { Found } from './components/lookup.tsx';

/** A result that opens a page. */
export interface FoundPage extends Found {
  readonly href: string;
}

const SHOWN = 8;

const listUsers =
  (slug: string) =>
  async (text: string, signal: AbortSignal): Promise<readonly FoundPage[]> => {
    const { users } = await gateway.get('/admin/v1/tenants/{slug}/users', {
      path: { slug },
      query: { limit: SHOWN, ...(text !== '' && { search: text }) },
      signal,
    });
    return users.map(({ id, display_name: title, email, user_name: userName, active }) => ({
      id,
      title,
      subtitle: `${email ?? userName}${active ? '' : ', deactivated'}`,
      icon: 'user',
      hint: 'User',
      href: `/t/${slug}/users/${id}`,
    }));
  };

export const listRooms =
  (slug: string, only: { readonly mapped?: boolean } = {}) =>
  async (text: string, signal: AbortSignal): Promise<readonly FoundPage[]> => {
    const { rooms } = await gateway.get('/admin/v1/tenants/{slug}/rooms', {
      path: { slug },
      query: { ...only, limit: SHOWN, ...(text !== '' && { search: text }) },
      signal,
    });
    return rooms.map(({ id, name, member_count: members }) => ({
      id,
      title: name,
      subtitle: counted(members, 'member'),
      icon: 'room',
      hint: 'Room',
      href: `/t/${slug}/rooms/${id}`,
    }));
  };

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether it is an id, and not a name that was typed. */
export const isId = (text: string): boolean => ID.test(text);

type Find = (text: string, signal: AbortSignal) => Promise<readonly FoundPage[]>;

/** Offers the text itself too: the log may know of what does not exist. */
const orItself =
  (list: (slug: string) => Find, kind: 'user' | 'room') =>
  (slug: string): Find =>
  async (text, signal) => {
    const found = await list(slug)(text, signal);
    const typed = text.toLowerCase();
    if (typed === '' || found.some(({ title }) => title.toLowerCase() === typed)) return found;
    const title = `“${text}”`;
    const subtitle = `No such ${kind}: see what the log has`;
    return [...found, { id: text, title, subtitle, icon: kind, href: '' }];
  };

export const findUsers = orItself(listUsers, 'user');
export const findRooms = orItself(listRooms, 'room');

const KINDS: Readonly<
  Record<string, { readonly icon: IconName; readonly group: string; readonly path: string }>
> = {
  user: { icon: 'user', group: 'Users', path: '/users/' },
  room: { icon: 'room', group: 'Rooms', path: '/rooms/' },
  group: { icon: 'group', group: 'Groups', path: '/groups/' },
  sms_list: { icon: 'message', group: 'SMS lists', path: '/sms-lists/' },
  api_key: { icon: 'key', group: 'API keys', path: '/settings/api-keys?key=' },
  webhook: { icon: 'webhook', group: 'Webhooks', path: '/settings/webhooks/' },
  role_mapping: {
    icon: 'shield',
    group: 'Role mappings',
    path: '/admin/security/sso/directory-roles?mapping=',
  },
  connector: { icon: 'plug', group: 'Connectors', path: '/connectors/' },
  command: { icon: 'list', group: 'Provisioning log', path: '/log/' },
};

/** The page of an object; undefined: it has none. */
export const pageOf = (slug: string, kind: string, id: string): string | undefined => {
  const path = KINDS[kind]?.path;
  return path && `/t/${slug}${path}${encodeURIComponent(id)}`;
};

/** Everything in a tenant with a word in its name that begins with the text, and whether there is more. */
export const findInTenant = async (
  slug: string,
  text: string,
  signal: AbortSignal,
  limit?: number,
): Promise<{ readonly found: readonly FoundPage[]; readonly hasMore: boolean }> => {
  if (text === '') return { found: [], hasMore: false };
  const { results, has_more: hasMore } = await gateway.get('/admin/v1/tenants/{slug}/search', {
    path: { slug },
    query: { q: text, ...(limit !== undefined && { limit }) },
    signal,
  });
  const found = results.flatMap(({ kind, id, title, subtitle }) => {
    const known = KINDS[kind];
    const href = pageOf(slug, kind, id);
    return known && href ? [{ ...known, id, title, subtitle, href }] : [];
  });
  return { found, hasMore };
};
