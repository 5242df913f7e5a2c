import type { Tenant } from '../domain/tenant/tenant.js';
import type { z } from 'zod';
import type { JsonObject } from '../domain/kernel/json.js';
import type { ExtensionRefusal } from '../domain/kernel/refusals.js';
import { type Scope, SCOPES } from '../domain/scopes.js';
import type { Route } from './route.js';
import type { ExtensionExplain, ExtensionSearch } from '../ports/tenants.js';

/** Static files and pages of an extension, below a path of its own. They need no API key. */
export interface Site {
  /** The first segment of their paths: `/dashboard`. */
  readonly at: string;
  /** The folder to serve, with `index.html` for subfolders and without hidden files. */
  readonly folder?: string | URL;
  /** A file of the folder for all other paths, for a single-page application. */
  readonly fallback?: string;
  /** Further headers of the fallback, read again when it has been written again. */
  readonly fallbackHeaders?: () => Readonly<Record<string, string>>;
  /** Pages generated on request, by their path below `at`: `/` or `/report`. */
  readonly pages?: Readonly<Record<string, (request: PageRequest) => Page | Promise<Page>>>;
  /** Whether `/` redirects here. */
  readonly isHome?: boolean;
  /** Content-Security-Policy. Default: everything from this origin only, nothing inline. */
  readonly policy?: string;
}

/** A request for a generated page. */
export interface PageRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly requestId: string;
}

/** A generated page. */
export interface Page {
  readonly status?: number;
  /** Default: `text/html; charset=utf-8`. */
  readonly type?: string;
  readonly body: string | Uint8Array;
}

/** Most severe first. */
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
  /** The figure in the message, in percent if it is a share: rules of notifications may limit it. */
  readonly value?: number;
}

/** What a tenant's operators should look at now. */
export interface TenantAttention {
  readonly tenant: Tenant;
  readonly attention: readonly Attention[];
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

/** An event that is sent by POST. */
export interface PostedEvent {
  /** Name of the event: `user.created`. */
  readonly name: string;
  readonly summary: string;
  /** The whole envelope. */
  readonly body: z.ZodType;
}

/** Requests that an extension sends to receivers, for the OpenAPI document. */
export interface PostedEvents {
  readonly tag: { readonly name: string; readonly description: string };
  /** How receivers verify the requests: an OpenAPI security scheme and its name. */
  readonly security: { readonly name: string; readonly scheme: JsonObject };
  readonly events: readonly PostedEvent[];
}

/** What enabled extensions add to the edge. */
export interface Extensions {
  readonly routes: readonly Route[];
  /** All scopes of API keys; the core's come first. */
  readonly scopes: readonly Scope[];
  readonly refusals: readonly ExtensionRefusal[];
  /** Descriptions of the tags of their routes. */
  readonly tags: Readonly<Record<string, string>>;
  readonly posts: readonly PostedEvents[];
  readonly sites: readonly Site[];
  readonly overviews: readonly NamedOverview[];
  readonly searches: readonly ExtensionSearch[];
  readonly explains: readonly ExtensionExplain[];
}

export const NO_EXTENSIONS: Extensions = {
  routes: [],
  scopes: SCOPES,
  refusals: [],
  tags: {},
  posts: [],
  sites: [],
  overviews: [],
  searches: [],
  explains: [],
};
