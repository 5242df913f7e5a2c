import type { TenantId } from './ids.js';
import type { JsonValue } from './json.js';
import type { Refusal } from './refusals.js';

/** A request that carried an Idempotency-Key (decisions.md 3). */
export interface Idempotency {
  /** SHA-256 of API key, method, path and Idempotency-Key. */
  readonly id: string;
  /** SHA-256 of the body: another body under the same key is a mistake. */
  readonly fingerprint: string;
}

/** How a command ended, kept for whoever asks again with the same Idempotency-Key. */
export interface RememberedAnswer extends Idempotency {
  readonly tenantId: TenantId;
  readonly at: Date;
  readonly outcome:
    | { readonly ok: true; readonly result: unknown }
    | { readonly ok: false; readonly refusal: Refusal };
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
