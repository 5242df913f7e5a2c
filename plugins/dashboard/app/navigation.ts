import type { NavSection, PageRoute } from './page-route.ts';
import { barrierOf } from './session.ts';
import { ROUTES } from './routes.ts';

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
