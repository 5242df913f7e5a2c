import type { ComponentType } from 'preact';
import type { OperatorRole } from './api/views.ts';
import type { IconName } from './components/icon.tsx';

/** What a page receives from its address. */
export interface PageProps {
  /** The tenant, for addresses below `/t/:slug`; else empty. */
  readonly slug: string;
  /** The id in the address, if it has one; else empty. */
  readonly id: string;
}

export type NavSection = '' | 'Directory' | 'Monitor' | 'Settings' | 'Admin' | 'Gateway';

export interface PageRoute {
  /** Below `/dashboard`. */
  readonly path: string;
  /** Its part of the bundle, which is loaded when the page is opened first. */
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
  /** Its line in the navigation and in the search. */
  readonly nav?: {
    readonly section: NavSection;
    readonly label: string;
    readonly icon: IconName;
    /** Words that find it besides its label. */
    readonly words?: string;
    /** The least role that can use it. */
    readonly role?: OperatorRole;
  };
}

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
