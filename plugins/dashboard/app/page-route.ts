import type { ComponentType } from 'preact';
import type { Role } from './api/schema.ts';
import type { IconName } from './components/icon.tsx';

/** What a page receives from its address. */
export interface PageProps {
  /** The tenant, for addresses below `/t/:slug`; else empty. */
  readonly slug: string;
  /** The id in the address, if it has one; else empty. */
  readonly id: string;
}

export type NavSection = '' | 'Directory' | 'Settings' | 'Gateway';

/** Who can open a page. */
export interface PageAccess {
  /** The lowest role. */
  readonly role: Role;
  /** `gateway`: it concerns all tenants, so operators who are limited to some cannot open it. */
  readonly of: 'tenant' | 'gateway';
}

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
    /** Of pages that are tabs of one: the line of the navigation that they share. */
    readonly group?: string;
    /** Words that find it besides its label. */
    readonly words?: string;
  };
  /** Others get a page that says why they cannot open it. */
  readonly access: PageAccess;
}
