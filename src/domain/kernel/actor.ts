import type { ApiKeyId } from './ids.js';
import type { Scope } from '../scopes.js';

/** Who submits a command. All operators (admin token or dashboard session) have the same rights. */
export type Actor =
  | {
      readonly kind: 'api-key';
      readonly id: ApiKeyId;
      readonly scopes: readonly Scope[];
      /** The key's description, for the provisioning log: it is kept after the key is deleted. */
      readonly name?: string;
    }
  | { readonly kind: 'operator'; readonly name: string }
  | { readonly kind: 'connector'; readonly name: string }
  | { readonly kind: 'system'; readonly name: string };

/** The interface used; the provisioning log stores it. */
export type Source = 'scim' | 'rest' | 'admin' | 'cli' | 'dashboard' | 'connector' | 'system';

/** The API key; null if an operator or a connector acts (decisions.md 7). */
export const apiKeyIdOf = (actor: Actor): ApiKeyId | null =>
  actor.kind === 'api-key' ? actor.id : null;

/** For the provisioning log: `api-key:<id>`, `operator:<name>`. */
export const describeActor = (actor: Actor): string =>
  actor.kind === 'api-key' ? `api-key:${actor.id}` : `${actor.kind}:${actor.name}`;

/** Null if only the id is known. */
export const nameOfActor = (actor: Actor): string | null => actor.name ?? null;
