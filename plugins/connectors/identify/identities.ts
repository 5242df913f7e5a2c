import type { UserId } from '../../../src/plugin/api.js';

/** Attributes by which users can be found. */
export type UserKey = 'externalId' | 'userName' | 'email';

/** The record that had a user before. */
export interface FormerRecord {
  readonly connector: string;
  readonly sourceId: string;
}

/** Who a record is that has no user of its own yet. A record with a living link is who its link says. */
export type Identity =
  | { readonly kind: 'new person' }
  | {
      readonly kind: 'takes over';
      readonly userId: UserId;
      /** What both have in common. */
      readonly by: UserKey;
      /** Null: no record had the user. */
      readonly from: FormerRecord | null;
    }
  | { readonly kind: 'waits'; readonly code: string; readonly message: string };

export const NEW_PERSON: Identity = { kind: 'new person' };

/** That a record wants a user. Each user has one claim at most. */
export interface Claim {
  readonly sourceId: string;
  /**
   * `applied`: this run gives the user to the record. `waits`: the record cannot be used yet. `future`:
   * the person joins later.
   */
  readonly state: 'applied' | 'waits' | 'future';
  /** In words, such as "has the same email". */
  readonly why: string;
}

/** Who the records of a run are: decided before anything is planned, and not changed by a plan. */
export interface Identities {
  readonly of: (sourceId: string) => Identity;
  readonly claimOn: (userId: UserId | null) => Claim | undefined;
  /** Whether another person gets the address that the record of this user has given away. */
  readonly isVacated: (userId: UserId | null) => boolean;
  /** Those of their records of which the run has nothing new. */
  readonly vacating: readonly string[];
  /** Records that the run has not read, that waited, and that can be used now. */
  readonly ready: readonly string[];
}
