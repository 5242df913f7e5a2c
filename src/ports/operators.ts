import type { Operator, OperatorSession, SignInLink } from '../domain/operator/operator.js';
import type { Passkey } from '../domain/operator/passkey.js';
import type { ApiKeyId, OperatorId, PasskeyId, SessionId } from '../domain/kernel/ids.js';
import type { Page, PageOf } from './entity-reader.js';

/** What can change of an operator. */
export type OperatorChanges = Partial<
  Pick<Operator, 'name' | 'email' | 'role' | 'tenants' | 'disabledAt' | 'lastSignInAt'>
>;

export interface OwnerRule {
  /**
   * Rejects with LAST_OWNER, and changes nothing, if no owner could sign in any more. Of several
   * concurrent calls, on any gateways, one owner remains.
   */
  readonly keepsOwner: boolean;
}

/** The people who operate the gateways of this database. Every method rejects with UNAVAILABLE. */
export interface OperatorStore {
  readonly find: (id: OperatorId) => Promise<Operator | undefined>;
  /** By issuer and subject. */
  readonly findBySubject: (subject: string) => Promise<Operator | undefined>;
  readonly page: (page: Page) => Promise<PageOf<Operator>>;
  /** Whether there is an operator, or ever was one. */
  readonly exist: () => Promise<boolean>;
  /** False if an operator has this subject already. */
  readonly create: (operator: Operator) => Promise<boolean>;
  /**
   * Creates the owner of a setup link and ends all such links; false if an operator exists, or ever
   * existed. Of several concurrent calls, on any gateways, one creates an owner.
   */
  readonly createFirst: (owner: Operator) => Promise<boolean>;
  /** Undefined if there is no such operator. */
  readonly update: (
    id: OperatorId,
    changes: OperatorChanges,
    rule?: OwnerRule,
  ) => Promise<Operator | undefined>;
  /** Also deletes their sessions, links and passkeys; false if there is no such operator. */
  readonly delete: (id: OperatorId, rule?: OwnerRule) => Promise<boolean>;
  /** No operator is bound to this tenant any more: another one may get its slug. */
  readonly unbind: (slug: string) => Promise<void>;
}

/** The link of a setup session. */
export type SetupLink = Extract<SignInLink, { kind: 'setup' }>;

/** A session, and who it acts for; both null for the admin token. */
export interface FoundSession {
  readonly session: OperatorSession;
  readonly operator: Operator | null;
  readonly setupLink: SetupLink | null;
}

/** Sessions of operators, shared by all gateways. Every method rejects with UNAVAILABLE. */
export interface SessionStore {
  /** Undefined if it has expired, or its operator, passkey or setup link has ended. */
  readonly find: (hash: string) => Promise<FoundSession | undefined>;
  readonly create: (session: OperatorSession) => Promise<void>;
  /** Records that it is in use. */
  readonly touch: (session: OperatorSession, at: Date) => Promise<void>;
  readonly delete: (hash: string) => Promise<void>;
  readonly listOf: (operator: OperatorId) => Promise<readonly OperatorSession[]>;
  /** One session, or all. False if there is none. */
  readonly deleteOf: (operator: OperatorId, id?: SessionId) => Promise<boolean>;
}

/** Links that sign in. Every method rejects with UNAVAILABLE. */
export interface LinkStore {
  /** Undefined if it has expired or was used. */
  readonly find: (hash: string) => Promise<SignInLink | undefined>;
  readonly create: (link: SignInLink) => Promise<void>;
  /** Deletes it; false if another request was faster. */
  readonly use: (link: SignInLink) => Promise<boolean>;
  /** Counts an opening of a setup link; false once it was opened as often as it may be. */
  readonly countOpening: (hash: string) => Promise<boolean>;
  /** Records the key that was made with a setup link; resolves with the one before it. */
  readonly replaceKey: (hash: string, keyId: ApiKeyId) => Promise<ApiKeyId | null>;
  /** Those that work, the one that expires first at the top. */
  readonly setupLinksOf: (slug: string) => Promise<readonly SetupLink[]>;
  /** Ends all setup links of a tenant, and with them their sessions. */
  readonly endOfTenant: (slug: string) => Promise<void>;
  /** Ends all links of an operator. */
  readonly endOf: (operator: OperatorId) => Promise<void>;
  /** Records that a challenge with this hash was answered; false if it was before. */
  readonly spend: (hash: string, until: Date) => Promise<boolean>;
}

/** Passkeys of operators. Every method rejects with UNAVAILABLE. */
export interface PasskeyStore {
  /** By the credential's id. */
  readonly find: (credentialId: string) => Promise<Passkey | undefined>;
  /** Oldest first. */
  readonly listOf: (operator: OperatorId) => Promise<readonly Passkey[]>;
  /** `exists`: one has this credential; `full`: the operator has as many as allowed. */
  readonly create: (passkey: Passkey) => Promise<'created' | 'exists' | 'full'>;
  /** Records a sign-in and its signature count; false if another was faster, or it was removed. */
  readonly use: (passkey: Passkey, counter: number, at: Date) => Promise<boolean>;
  /** Also deletes the sessions that it began; false if there is none. */
  readonly delete: (operator: OperatorId, id: PasskeyId) => Promise<boolean>;
}

/** Everything that signing in reads and writes. */
export interface SignInStores {
  readonly operators: OperatorStore;
  readonly sessions: SessionStore;
  readonly links: LinkStore;
  readonly passkeys: PasskeyStore;
}

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
interface RotatedToken {
  readonly token: string;
  /** The file on the gateway's machine that contains it, readable by its owner only. */
  readonly path: string;
  /** Whether the gateway's configuration still contains the old token. */
  readonly wasConfigured: boolean;
}

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

/** The hash of the admin token, one for all gateways of the database. */
export interface AdminTokenStore {
  /** Undefined before the first start. */
  readonly find: () => Promise<string | undefined>;
  /** Sets it unless there is one; resolves with the current one. */
  readonly propose: (hash: string) => Promise<string>;
  /**
   * Sets it and resolves with the previous one; 'retired' if a rotation has replaced this hash, in
   * which case nothing changes.
   */
  readonly impose: (hash: string) => Promise<{ readonly before: string | undefined } | 'retired'>;
  /** Replaces one by another; false if the current one is not `from`. */
  readonly replace: (from: string, to: string) => Promise<boolean>;
}
