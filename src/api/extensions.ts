import type { z } from 'zod';
import type { JsonObject } from '../domain/kernel/json.js';
import type { ExtensionRefusal } from '../domain/kernel/refusals.js';
import { type Scope, SCOPES } from '../domain/scopes.js';
import type { NamedOverview } from './overview.js';
import type { Route } from './route.js';
import type { ExtensionSearch } from './search.js';
import type { Site } from './site.js';

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
};
