import { asApiError } from './api/api-error.ts';
import { gateway } from './api/gateway.ts';
import type { IconName } from './components/icon.tsx';
import type { Found } from './components/lookup.tsx';

/** A result that opens a page. */
export interface FoundPage extends Found {
  readonly href: string;
}

const SHOWN = 8;

export const findUsers =
  (slug: string) =>
  async (text: string, signal: AbortSignal): Promise<readonly FoundPage[]> => {
    const { users } = await gateway.get('/admin/v1/tenants/{slug}/users', {
      path: { slug },
      query: { search: text, limit: SHOWN },
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

export const findRooms =
  (slug: string) =>
  async (text: string, signal: AbortSignal): Promise<readonly FoundPage[]> => {
    const { rooms } = await gateway.get('/admin/v1/tenants/{slug}/rooms', {
      path: { slug },
      query: { limit: 500 },
      signal,
    });
    return rooms
      .filter(({ name, display_name: group }) =>
        `${name} ${group ?? ''}`.toLowerCase().includes(text.toLowerCase()),
      )
      .slice(0, SHOWN)
      .map(({ id, name, member_count: members }) => ({
        id,
        title: name,
        subtitle: members === 1 ? '1 member' : `${members} members`,
        icon: 'room',
        hint: 'Room',
        href: `/t/${slug}/rooms/${id}`,
      }));
  };

const KINDS: Readonly<
  Record<string, { readonly icon: IconName; readonly hint: string; readonly path: string }>
> = {
  user: { icon: 'user', hint: 'User', path: '/users/' },
  room: { icon: 'room', hint: 'Room', path: '/rooms/' },
  group: { icon: 'group', hint: 'Group', path: '/groups/' },
  sms_list: { icon: 'message', hint: 'SMS list', path: '/sms-lists/' },
  api_key: { icon: 'key', hint: 'API key', path: '/settings/api-keys?key=' },
  webhook: { icon: 'webhook', hint: 'Webhook', path: '/settings/webhooks/' },
  role_mapping: {
    icon: 'shield',
    hint: 'Role mapping',
    path: '/admin/security/sso/directory-roles?mapping=',
  },
  connector: { icon: 'plug', hint: 'Connector', path: '/connectors/' },
  command: { icon: 'list', hint: 'Log entry', path: '/log/' },
};

/** Everything in a tenant with a word in its name that begins with the text. */
export const findInTenant = async (
  slug: string,
  text: string,
  signal: AbortSignal,
): Promise<readonly FoundPage[]> => {
  if (text === '') return [];
  try {
    const { results } = await gateway.get('/admin/v1/tenants/{slug}/search', {
      path: { slug },
      query: { q: text },
      signal,
    });
    return results.flatMap(({ kind, id, title, subtitle }) => {
      const known = KINDS[kind];
      if (!known) return [];
      const { icon, hint, path } = known;
      const href = `/t/${slug}${path}${encodeURIComponent(id)}`;
      return [{ id, title, subtitle, icon, hint, href }];
    });
  } catch (error) {
    if (signal.aborted || asApiError(error).code !== 'NOT_FOUND') throw error;
    const [users, rooms] = await Promise.all([
      findUsers(slug)(text, signal),
      findRooms(slug)(text, signal),
    ]);
    return [...users, ...rooms];
  }
};
