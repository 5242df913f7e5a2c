/** What must be remembered between leaving for the provider and coming back. */
export interface OpenIdFlow {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Seconds; set: they must have proved who they are within this time. */
  readonly maxAge?: number;
}

/** Who the provider says has signed in. */
export interface OpenIdPerson {
  /** Issuer and subject, unique in the world. */
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  readonly groups: readonly string[];
  /**
   * When they proved who they are; null if the provider does not say: then they may have done so at
   * any time before.
   */
  readonly authenticatedAt: Date | null;
}

/** Why a person could not be signed in; `cause` is for the log and contains no secret. */
export class OpenIdFault extends Error {
  override readonly name = 'OpenIdFault';
  constructor(
    /**
     * `refused`: the provider said no; `failed`: it cannot be used, or its answer is not valid;
     * `not-recent`: it did not confirm that they proved who they are within `maxAge`.
     */
    readonly kind: 'refused' | 'failed' | 'not-recent',
    message: string,
  ) {
    super(message);
  }
}

/** The OpenID provider of the operators. Rejects with OpenIdFault. */
export interface OpenIdProvider {
  /** For people. */
  readonly name: string;
  /** Where to send the browser. */
  readonly begin: (request: {
    readonly redirectUri: string;
    readonly isStepUp: boolean;
  }) => Promise<{ readonly url: string; readonly flow: OpenIdFlow }>;
  /** Who came back to this URL. Each code is accepted once. */
  readonly finish: (returned: URL, flow: OpenIdFlow) => Promise<OpenIdPerson>;
  /** Where to sign out of the provider; null if it has no such page, or did not answer yet. */
  readonly signOutUrl: (returnTo: string) => string | null;
}
