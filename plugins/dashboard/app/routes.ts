import type { PageRoute } from './page-route.ts';

/** Every page, in the order of the navigation. One line adds a page. */
export const ROUTES: readonly PageRoute[] = [
  {
    path: '/t/:slug',
    load: () => import('./pages/home.tsx'),
    nav: { section: '', label: 'Home', icon: 'home', words: 'overview attention seats' },
  },
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
    path: '/t/:slug/log',
    load: () => import('./pages/log.tsx'),
    nav: { section: 'Monitor', label: 'Provisioning log', icon: 'list', words: 'audit commands' },
  },
  { path: '/t/:slug/log/:id', load: () => import('./pages/log-entry.tsx') },
  {
    path: '/t/:slug/live',
    load: () => import('./pages/live.tsx'),
    nav: { section: 'Monitor', label: 'Live', icon: 'pulse', words: 'tail stream events' },
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
    path: '/t/:slug/admin/security/sso/directory-roles',
    load: () => import('./pages/directory-roles.tsx'),
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
  },
  {
    path: '/operators',
    load: () => import('./pages/operators.tsx'),
    nav: {
      section: 'Gateway',
      label: 'Operators',
      icon: 'lock',
      words: 'accounts roles sign-in',
      role: 'owner',
    },
  },
];
