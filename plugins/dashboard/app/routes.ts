import type { NavSection, PageAccess, PageRoute } from './page-route.ts';
import { barrierOf } from './session.ts';

const READ_TENANT: PageAccess = { role: 'auditor', of: 'tenant' };

/** Every page, in the order of the navigation. One line adds a page. */
const PAGES: readonly (Omit<PageRoute, 'access'> & Partial<PageRoute>)[] = [
  {
    path: '/t/:slug',
    load: () => import('./pages/home.tsx'),
    nav: { section: '', label: 'Home', icon: 'home', words: 'overview attention seats' },
  },
  {
    path: '/t/:slug/log',
    load: () => import('./pages/log.tsx'),
    nav: {
      section: '',
      group: 'Activity',
      label: 'Provisioning log',
      icon: 'activity',
      words: 'audit commands activity',
    },
  },
  { path: '/t/:slug/log/:id', load: () => import('./pages/log-entry.tsx') },
  {
    path: '/t/:slug/live',
    load: () => import('./pages/live.tsx'),
    nav: {
      section: '',
      group: 'Activity',
      label: 'Live',
      icon: 'pulse',
      words: 'tail stream events',
    },
  },
  {
    path: '/t/:slug/events',
    load: () => import('./pages/events.tsx'),
    nav: { section: '', group: 'Activity', label: 'Events', icon: 'bolt', words: 'feed webhooks' },
  },
  {
    path: '/t/:slug/requests',
    load: () => import('./pages/requests.tsx'),
    nav: {
      section: '',
      group: 'Activity',
      label: 'Requests',
      icon: 'inbox',
      words: 'capture record replay',
    },
  },
  { path: '/t/:slug/requests/:id', load: () => import('./pages/request.tsx') },
  {
    path: '/t/:slug/connections',
    load: () => import('./pages/connections.tsx'),
    nav: {
      section: '',
      label: 'Connections',
      icon: 'refresh',
      words: 'health silent refused cycles failed authentications identity provider client key',
    },
  },
  { path: '/t/:slug/connections/:id', load: () => import('./pages/connection.tsx') },
  {
    path: '/t/:slug/users',
    load: () => import('./pages/users.tsx'),
    nav: { section: 'Directory', label: 'Users', icon: 'user', words: 'people accounts' },
  },
  { path: '/t/:slug/users/:id', load: () => import('./pages/user.tsx') },
  {
    path: '/t/:slug/rooms',
    load: () => import('./pages/rooms.tsx'),
    nav: { section: 'Directory', label: 'Rooms', icon: 'room', words: 'channels groups members' },
  },
  { path: '/t/:slug/rooms/:id', load: () => import('./pages/room.tsx') },
  {
    path: '/t/:slug/groups',
    load: () => import('./pages/groups.tsx'),
    nav: { section: 'Directory', label: 'Groups', icon: 'group', words: 'scim push' },
  },
  { path: '/t/:slug/groups/:id', load: () => import('./pages/group.tsx') },
  {
    path: '/t/:slug/sms-lists',
    load: () => import('./pages/sms-lists.tsx'),
    nav: { section: 'Directory', label: 'SMS lists', icon: 'message', words: 'numbers phone csv' },
  },
  { path: '/t/:slug/sms-lists/:id', load: () => import('./pages/sms-list.tsx') },
  {
    path: '/t/:slug/settings/tenant',
    load: () => import('./pages/tenant.tsx'),
    nav: {
      section: 'Settings',
      label: 'Tenant',
      icon: 'settings',
      words: 'general name seats default role provisioning removals delete organisation',
    },
  },
  {
    path: '/t/:slug/settings/tenant/file',
    load: () => import('./pages/tenant-file.tsx'),
    access: { role: 'admin', of: 'tenant' },
  },
  {
    path: '/t/:slug/setup',
    load: () => import('./pages/setup.tsx'),
    nav: {
      section: 'Settings',
      label: 'Identity provider',
      icon: 'wand',
      words: 'setup wizard okta entra google keycloak authentik scim connect',
    },
  },
  {
    path: '/t/:slug/connectors',
    load: () => import('./pages/connectors.tsx'),
    nav: { section: 'Settings', label: 'Connectors', icon: 'plug', words: 'hr ldap csv runs' },
  },
  { path: '/t/:slug/connectors/:id', load: () => import('./pages/connector.tsx') },
  {
    path: '/t/:slug/connectors/:id/mapping',
    load: () => import('./pages/connector-mapping.tsx'),
    access: { role: 'operator', of: 'tenant' },
  },
  {
    path: '/t/:slug/admin/security/sso/directory-roles',
    load: () => import('./pages/directory-roles.tsx'),
    nav: {
      section: 'Settings',
      label: 'Directory roles',
      icon: 'shield',
      words: 'admin security single sign-on sso role mappings test bench',
    },
  },
  {
    path: '/t/:slug/settings/api-keys',
    load: () => import('./pages/api-keys.tsx'),
    nav: { section: 'Settings', label: 'API keys', icon: 'key', words: 'token scopes rotate' },
  },
  {
    path: '/t/:slug/settings/webhooks',
    load: () => import('./pages/webhooks.tsx'),
    nav: { section: 'Settings', label: 'Webhooks', icon: 'webhook', words: 'deliveries events' },
  },
  { path: '/t/:slug/settings/webhooks/:id', load: () => import('./pages/webhook.tsx') },
  {
    path: '/tenants',
    load: () => import('./pages/tenant-list.tsx'),
    nav: {
      section: 'Gateway',
      label: 'Tenants',
      icon: 'door',
      words: 'organisations customers seats problems',
    },
  },
  {
    path: '/operators',
    load: () => import('./pages/operators.tsx'),
    nav: { section: 'Gateway', label: 'Operators', icon: 'lock', words: 'accounts roles sign-in' },
    access: { role: 'owner', of: 'gateway' },
  },
  {
    path: '/operator-log',
    load: () => import('./pages/operator-log.tsx'),
    nav: {
      section: 'Gateway',
      label: 'Operator log',
      icon: 'list',
      words: 'audit sign-ins roles passkeys links captures',
    },
    access: { role: 'owner', of: 'gateway' },
  },
  {
    path: '/notifications',
    load: () => import('./pages/notifications.tsx'),
    nav: {
      section: 'Gateway',
      label: 'Notifications',
      icon: 'message',
      words: 'alerts e-mail slack targets rules attention',
    },
    access: { role: 'auditor', of: 'gateway' },
  },
  { path: '/account', load: () => import('./pages/account.tsx') },
  {
    path: '/system',
    load: () => import('./pages/system.tsx'),
    nav: { section: 'Gateway', label: 'System', icon: 'server', words: 'health instances plugins' },
    access: { role: 'auditor', of: 'gateway' },
  },
];

/** Without another `access`, auditors of the tenant can open a page. */
export const ROUTES: readonly PageRoute[] = PAGES.map((page) => ({ access: READ_TENANT, ...page }));

export type NavLine = NonNullable<PageRoute['nav']> & Pick<PageRoute, 'path' | 'access'>;

export const NAV_LINES: readonly NavLine[] = ROUTES.flatMap(({ path, access, nav }) =>
  nav ? [{ ...nav, path, access }] : [],
);

const SECTIONS: readonly NavSection[] = ['', 'Directory', 'Settings', 'Gateway'];

/** The pages that are tabs of one, with this one among them. */
export const tabsOf = ({ group, path }: NavLine): readonly NavLine[] =>
  NAV_LINES.filter((line) => (group === undefined ? line.path === path : line.group === group));

/** The navigation, by section; tabs are one line, which opens the first. */
export const NAVIGATION = SECTIONS.map((section) => ({
  section,
  lines: NAV_LINES.filter((line) => line.section === section && tabsOf(line)[0] === line),
}));

/** The address of a line's page. */
export const hrefOf = ({ path }: NavLine, slug: string | undefined): string =>
  path.replace(':slug', slug ?? '');

/** Whether the operator can open it: pages of a tenant need one. */
export const isUsable = ({ path, access }: NavLine, slug: string | undefined): boolean =>
  (slug !== undefined || !path.includes(':slug')) && barrierOf(access, slug) === undefined;

/** The tenant of an address below `/dashboard`. */
export const currentSlug = (location: string): string | undefined =>
  /^\/t\/([^/?]+)/.exec(location)?.[1];
