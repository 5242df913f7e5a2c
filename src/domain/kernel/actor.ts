import type { ApiKeyId, OperatorId } from './ids.js';
import type { Scope } from '../scopes.js';

/** Who submits a command. What an operator may do, their role decides at the edge. */
export type Actor =
  | {
      readonly kind: 'api-key';
      readonly id: ApiKeyId;
      readonly scopes: readonly Scope[];
      /** The key's description, for the provisioning log: it is kept after the key is deleted. */
      readonly name?: string;
    }
  | {
      readonly kind: 'operator';
      readonly name: string;
      /** Absent for the admin token and setup links, which are no persons. */
      readonly id?: OperatorId;
    }
  | { readonly kind: 'connector'; readonly name: string }
  | { readonly kind: 'system'; readonly name: string };

/** The interface used; the provisioning log stores it. */
export type Source = 'scim' | 'rest' | 'admin' | 'cli' | 'dashboard' | 'connector' | 'system';

/** The API key; null if an operator or a connector acts (decisions.md 7). */
export const apiKeyIdOf = (actor: Actor): ApiKeyId | null =>
  actor.kind === 'api-key' ? actor.id : null;

/** For the provisioning log: `api-key:<id>`, `operator:<id>`, `connector:<name>`. */
export const describeActor = (actor: Actor): string =>
  `${actor.kind}:${'id' in actor ? actor.id : actor.name}`;

/** Null if only the id is known. */
export const nameOfActor = (actor: Actor): string | null => actor.name ?? null;
