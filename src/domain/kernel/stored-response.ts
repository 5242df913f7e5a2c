import type { TenantId } from './ids.js';
import type { JobProgress } from '../job/job.js';
import type { JsonValue } from './json.js';

/** A request that carried an Idempotency-Key (decisions.md 3). */
export interface Idempotency {
  /** SHA-256 of API key, method, path and Idempotency-Key. */
  readonly id: string;
  /** SHA-256 of Idempotency-Key and body: a different body under the same key is refused. */
  readonly fingerprint: string;
}

/** How long a response is stored (decisions.md 3), in milliseconds. */
export const RESPONSE_TTL_MS = 24 * 3_600_000;

/** The result of a successful command, for a repeated request with the same Idempotency-Key. */
export interface StoredResponse extends Idempotency {
  readonly tenantId: TenantId;
  readonly at: Date;
  readonly result: unknown;
  /** The jobs that it started: a repeated request waits for them too. */
  readonly jobs: readonly JobProgress[];
}

/** The Idempotency-Key of an action that is not a command. */
export interface ActionKey extends Idempotency {
  readonly tenantId: TenantId;
}

/** The state of an action with an Idempotency-Key. */
export type ActionState =
  /** The caller, and no other, performs the action now. */
  | { readonly state: 'new' }
  | { readonly state: 'running' | 'of another body' }
  | { readonly state: 'done'; readonly result: JsonValue };
