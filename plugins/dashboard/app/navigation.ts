import type { NavSection, PageRoute } from './page-route.ts';
import { ROUTES } from './routes.ts';

export type NavLine = NonNullable<PageRoute['nav']> & { readonly path: string };

export const NAV_LINES: readonly NavLine[] = ROUTES.flatMap(({ path, nav }) =>
  nav ? [{ ...nav, path }] : [],
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

/** The tenant of an address below `/dashboard`. */
export const currentSlug = (location: string): string | undefined =>
  /^\/t\/([^/?]+)/.exec(location)?.[1];
