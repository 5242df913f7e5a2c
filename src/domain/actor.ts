import type { ApiKeyId } from './ids.js';
import type { Scope } from './scopes.js';

/** Who asks. An operator (admin token or dashboard session) may do all that operators may. */
export type Actor =
  | {
      readonly kind: 'api-key';
      readonly id: ApiKeyId;
      readonly scopes: readonly Scope[];
      /** Its description, for the provisioning log, which outlives the key. */
      readonly name?: string;
    }
  | { readonly kind: 'operator'; readonly name: string }
  | { readonly kind: 'connector'; readonly name: string }
  | { readonly kind: 'system'; readonly name: string };

/** Through which door the command came; kept in the provisioning log. */
export type Source = 'scim' | 'rest' | 'admin' | 'cli' | 'dashboard' | 'connector' | 'system';

/** The acting key, or null where an operator or a connector acted (decisions.md 7). */
export const apiKeyIdOf = (actor: Actor): ApiKeyId | null =>
  actor.kind === 'api-key' ? actor.id : null;

/** The actor in a word, for the provisioning log: `api-key:<id>`, `operator:<name>`. */
export const describeActor = (actor: Actor): string =>
  actor.kind === 'api-key' ? `api-key:${actor.id}` : `${actor.kind}:${actor.name}`;

/** What people call the actor; null where nothing is known but the id. */
export const nameOfActor = (actor: Actor): string | null => actor.name ?? null;
