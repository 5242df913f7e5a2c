import type { NavSection, PageAccess, PageRoute } from './page-route.ts';
import { barrierOf } from './session.ts';

const READ_TENANT: PageAccess = { role: 'auditor', of: 'tenant' };

/** Every page, in the order of the navigation. One line adds a page. */
export const ROUTES: readonly PageRoute[] = [
  {
    path: '/t/:slug',
    load: () => import('./pages/home.tsx'),
    access: READ_TENANT,
    nav: { section: '', label: 'Home', icon: 'home', words: 'overview attention seats' },
  },
  {
    path: '/t/:slug/users',
    load: () => import('./pages/users.tsx'),
    access: READ_TENANT,
    nav: { section: 'Directory', label: 'Users', icon: 'user', words: 'people accounts' },
  },
  { path: '/t/:slug/users/:id', load: () => import('./pages/user.tsx'), access: READ_TENANT },
  {
    path: '/t/:slug/rooms',
    load: () => import('./pages/rooms.tsx'),
    access: READ_TENANT,
    nav: { section: 'Directory', label: 'Rooms', icon: 'room', words: 'channels groups members' },
  },
  { path: '/t/:slug/rooms/:id', load: () => import('./pages/room.tsx'), access: READ_TENANT },
  {
    path: '/t/:slug/groups',
    load: () => import('./pages/groups.tsx'),
    access: READ_TENANT,
    nav: { section: 'Directory', label: 'Groups', icon: 'group', words: 'scim push' },
  },
  { path: '/t/:slug/groups/:id', load: () => import('./pages/group.tsx'), access: READ_TENANT },
  {
    path: '/t/:slug/sms-lists',
    load: () => import('./pages/sms-lists.tsx'),
    access: READ_TENANT,
    nav: { section: 'Directory', label: 'SMS lists', icon: 'message', words: 'numbers phone csv' },
  },
  {
    path: '/t/:slug/sms-lists/:id',
    load: () => import('./pages/sms-list.tsx'),
    access: READ_TENANT,
  },
  {
    path: '/t/:slug/connectors',
    load: () => import('./pages/connectors.tsx'),
    access: READ_TENANT,
    nav: { section: 'Directory', label: 'Connectors', icon: 'plug', words: 'hr ldap csv runs' },
  },
  {
    path: '/t/:slug/connectors/:id',
    load: () => import('./pages/connector.tsx'),
    access: READ_TENANT,
  },
  {
    path: '/t/:slug/log',
    load: () => import('./pages/log.tsx'),
    access: READ_TENANT,
    nav: { section: 'Monitor', label: 'Provisioning log', icon: 'list', words: 'audit commands' },
  },
  { path: '/t/:slug/log/:id', load: () => import('./pages/log-entry.tsx'), access: READ_TENANT },
  {
    path: '/t/:slug/live',
    load: () => import('./pages/live.tsx'),
    access: READ_TENANT,
    nav: { section: 'Monitor', label: 'Live', icon: 'pulse', words: 'tail stream events' },
  },
  {
    path: '/t/:slug/events',
    load: () => import('./pages/events.tsx'),
    access: READ_TENANT,
    nav: { section: 'Monitor', label: 'Events', icon: 'bolt', words: 'feed webhooks' },
  },
  {
    path: '/t/:slug/requests',
    load: () => import('./pages/requests.tsx'),
    access: READ_TENANT,
    nav: { section: 'Monitor', label: 'Requests', icon: 'inbox', words: 'capture record replay' },
  },
  { path: '/t/:slug/requests/:id', load: () => import('./pages/request.tsx'), access: READ_TENANT },
  {
    path: '/t/:slug/settings/api-keys',
    load: () => import('./pages/api-keys.tsx'),
    access: READ_TENANT,
    nav: { section: 'Settings', label: 'API keys', icon: 'key', words: 'token scopes rotate' },
  },
  {
    path: '/t/:slug/settings/webhooks',
    load: () => import('./pages/webhooks.tsx'),
    access: READ_TENANT,
    nav: { section: 'Settings', label: 'Webhooks', icon: 'webhook', words: 'deliveries events' },
  },
  {
    path: '/t/:slug/settings/webhooks/:id',
    load: () => import('./pages/webhook.tsx'),
    access: READ_TENANT,
  },
  {
    path: '/t/:slug/setup',
    load: () => import('./pages/setup.tsx'),
    access: READ_TENANT,
    nav: {
      section: 'Settings',
      label: 'Identity provider',
      icon: 'wand',
      words: 'setup wizard okta entra google keycloak authentik scim connect',
    },
  },
  {
    path: '/t/:slug/admin/security/sso/directory-roles',
    load: () => import('./pages/directory-roles.tsx'),
    access: READ_TENANT,
    nav: {
      section: 'Admin',
      label: 'Directory roles',
      icon: 'shield',
      words: 'security single sign-on sso role mappings test bench',
    },
  },
  {
    path: '/system',
    load: () => import('./pages/system.tsx'),
    nav: { section: 'Gateway', label: 'System', icon: 'server', words: 'health instances plugins' },
    access: { role: 'auditor', of: 'gateway' },
  },
  {
    path: '/operators',
    load: () => import('./pages/operators.tsx'),
    nav: {
      section: 'Gateway',
      label: 'Operators',
      icon: 'lock',
      words: 'accounts roles sign-in',
    },
    access: { role: 'owner', of: 'gateway' },
  },
];

export type NavLine = NonNullable<PageRoute['nav']> & Pick<PageRoute, 'path' | 'access'>;

export const NAV_LINES: readonly NavLine[] = ROUTES.flatMap(({ path, access, nav }) =>
  nav ? [{ ...nav, path, access }] : [],
);

const SECTIONS: readonly NavSection[] = [
  '',
  'Directory',
  'Monitor',
  'Settings',
  'Admin',
  'Gateway',
];

/** The navigation, by section. */
export const NAVIGATION = SECTIONS.map((section) => ({
  section,
  lines: NAV_LINES.filter((line) => line.section === section),
}));

/** Whether the operator can open it: pages of a tenant need one. */
export const isUsable = ({ path, access }: NavLine, slug: string | undefined): boolean =>
  (slug !== undefined || !path.includes(':slug')) && barrierOf(access, slug) === undefined;

/** The tenant of an address below `/dashboard`. */
export const currentSlug = (location: string): string | undefined =>
  /^\/t\/([^/?]+)/.exec(location)?.[1];
