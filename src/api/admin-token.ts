/** The operators' token. Its hash is in the database, so that all instances accept the same one. */
export interface AdminTokens {
  /** An HMAC with the gateway's secret key, without which the stored hash is useless. */
  readonly hashOf: (token: string) => string;
  /** The hash of the valid token; undefined if there is none. Rejects with UNAVAILABLE. */
  readonly findHash: () => Promise<string | undefined>;
  /**
   * Replaces the token with this hash, which becomes invalid, by a new one. Undefined if it is no
   * longer valid; rejects with UNAVAILABLE if nothing was changed.
   */
  readonly rotate: (hash: string) => Promise<RotatedToken | undefined>;
}

/** A new token, which is shown once. */
export interface RotatedToken {
  readonly token: string;
  /** The file on the gateway's machine that contains it, readable by its owner only. */
  readonly path: string;
  /** Whether the gateway's configuration still contains the old token. */
  readonly wasConfigured: boolean;
}
