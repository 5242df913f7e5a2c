import type { ComponentType } from 'preact';
import type { OperatorRole } from './api/schema.ts';
import type { IconName } from './components/icon.tsx';

/** What a page receives from its address. */
export interface PageProps {
  /** The tenant, for addresses below `/t/:slug`; else empty. */
  readonly slug: string;
  /** The id in the address, if it has one; else empty. */
  readonly id: string;
}

export type NavSection = '' | 'Directory' | 'Monitor' | 'Settings' | 'Admin' | 'Gateway';

export interface PageAccess {
  /** The least role. */
  readonly role?: OperatorRole;
  /** It concerns all tenants: not for operators who are bound to some. */
  readonly isOfGateway?: true;
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
    /** Words that find it besides its label. */
    readonly words?: string;
  };
  /** Who can open it; absent: every operator. */
  readonly access?: PageAccess;
}
