/** The operators' token: the database keeps its hash, so that all gateways accept the same one. */
export interface AdminTokens {
  /** Under the gateway's secret key: what the database holds is of no use without it. */
  readonly hashOf: (token: string) => string;
  /** The hash of the token that is valid now; undefined: none is. Rejects with UNAVAILABLE. */
  readonly findHash: () => Promise<string | undefined>;
  /**
   * Makes a new token in place of the one with this hash, which is dead from then on. Undefined
   * where that one is not valid any more; rejects with UNAVAILABLE where nothing was changed.
   */
  readonly rotate: (hash: string) => Promise<RotatedToken | undefined>;
}

/** A token that was just made; it is shown once. */
export interface RotatedToken {
  readonly token: string;
  /** The file on the gateway's machine that holds it, for its owner's eyes only. */
  readonly path: string;
  /** The gateway's own configuration still holds the old one. */
  readonly wasConfigured: boolean;
}
