import type { OperatorId } from '../domain/kernel/ids.js';
import type { LogPosition } from './command-log.js';

/** One line of the operators' log: what a person, or somebody who wanted to sign in, has done. */
export interface OperatorLogEntry {
  readonly id: string;
  readonly at: Date;
  readonly actor: {
    /** Null for the admin token, setup links, and people who are not known. */
    readonly id: OperatorId | null;
    readonly name: string;
  };
  /** For programs: the operation, as in the OpenAPI document, or `signIn`. */
  readonly action: string;
  /** For people, after the name of the actor: `created the API key`, `signed in with a passkey`. */
  readonly text: string;
  /** The name of what it was about. */
  readonly about: string | null;
  /** The operator whom it was about. */
  readonly subject: OperatorId | null;
  /** Its slug. */
  readonly tenant: string | null;
  /** The error code of a refused sign-in; null: done. */
  readonly refusal: string | null;
}

export interface OperatorLogQuery {
  /** What they did, and what was done to their account. */
  readonly operator?: OperatorId;
  /** Entries before this one. */
  readonly before?: LogPosition;
  readonly limit: number;
}

/** What operators did, kept as long as the provisioning log. Every method rejects with UNAVAILABLE. */
export interface OperatorLog {
  readonly append: (entry: OperatorLogEntry) => Promise<void>;
  /** Newest first. */
  readonly page: (query: OperatorLogQuery) => Promise<readonly OperatorLogEntry[]>;
}
