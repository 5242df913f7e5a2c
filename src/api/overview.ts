import type { Tenant } from '../domain/tenant/tenant.js';

export const SEVERITIES = ['error', 'warning', 'info'] as const;

/** Something that an operator should look at, and what to do. */
export interface Attention {
  readonly severity: (typeof SEVERITIES)[number];
  /** Stable, for programs: `WEBHOOK_FAILING`. */
  readonly code: string;
  /** What is wrong, in a sentence. */
  readonly message: string;
  /** What to do, in a sentence. */
  readonly action: string;
  /** Page of the dashboard, relative to the tenant's: `settings/webhooks`. Null: there is none. */
  readonly link: string | null;
}

/** What an extension adds to the overview of a tenant. */
export interface ExtensionOverview {
  /** Under the extension's name, each of the declared counts: `{ total: 3, failing: 1 }`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly attention: readonly Attention[];
}

/** How an extension adds to the overview of a tenant. */
export interface OverviewDeclaration {
  /** Its counts, with a description of each for the OpenAPI document. */
  readonly counts: Readonly<Record<string, string>>;
  /** It must cost the same for a large tenant as for a small one. */
  readonly read: (tenant: Tenant) => Promise<ExtensionOverview>;
}

/** With the extension's name. */
export interface NamedOverview extends OverviewDeclaration {
  readonly name: string;
}
