import type { TenantId } from './ids.js';
import type { JobProgress } from './job.js';
import type { JsonValue } from './json.js';

/** A request that carried an Idempotency-Key (decisions.md 3). */
export interface Idempotency {
  /** SHA-256 of API key, method, path and Idempotency-Key. */
  readonly id: string;
  /** SHA-256 of the body: another body under the same key is a mistake. */
  readonly fingerprint: string;
}

/** How long an answer is given again (decisions.md 3), in milliseconds. */
export const KEEP_ANSWER_MS = 24 * 3_600_000;

/** How a command that succeeded ended, kept for a repeated request with the same Idempotency-Key. */
export interface RememberedAnswer extends Idempotency {
  readonly tenantId: TenantId;
  readonly at: Date;
  readonly result: unknown;
  /** The jobs it began, as they were then: a repeated request waits for them too. */
  readonly jobs: readonly JobProgress[];
}

/** An action that is no command, under an Idempotency-Key. */
export interface ActionKey extends Idempotency {
  readonly tenantId: TenantId;
}

/** What is known of an action that may have been asked for before. */
export type KnownAction =
  /** Nothing: it is this caller's to do now, and nobody else's. */
  | { readonly state: 'new' }
  | { readonly state: 'running' | 'of another body' }
  | { readonly state: 'done'; readonly result: JsonValue };
