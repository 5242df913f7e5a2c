import type { OperatorId, ApiKeyId, PasskeyId, SessionId } from '../kernel/ids.js';

/** From least to most: each role may do everything that those before it may. */
export const OPERATOR_ROLES = ['auditor', 'operator', 'admin', 'owner'] as const;

/**
 * What an operator may do: `auditor` reads; `operator` also does the daily work; `admin` also changes
 * keys, webhooks, mappings, rooms and settings of tenants; `owner` also operators, tenants and the
 * admin token.
 */
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Of a session: that of its operator, or of a setup link for the administrator of a customer. */
export type SessionRole = OperatorRole | 'setup';

/** Whether this role may do what needs the other. A setup link may do nothing that needs a role. */
export const hasRole = (role: SessionRole, needed: OperatorRole): boolean =>
  role !== 'setup' && OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);

/** A person who operates this gateway. */
export interface Operator {
  readonly id: OperatorId;
  readonly name: string;
  readonly email: string | null;
  readonly role: OperatorRole;
  /** Slugs of the tenants they may see; null: all. */
  readonly tenants: readonly string[] | null;
  /** How they sign in: by links and passkeys, or by the OpenID provider, which then decides name and role. */
  readonly source: 'link' | 'oidc';
  /** Issuer and subject at the OpenID provider. */
  readonly subject: string | null;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly lastSignInAt: Date | null;
}

/** Whether an operator bound to these tenants may see this one. */
export const mayUseTenant = (tenants: readonly string[] | null, slug: string): boolean =>
  tenants === null || tenants.includes(slug);

const MINUTE = 60_000;

/** How long sessions last, as configured. */
export interface SessionLifetime {
  /** Without a request. */
  readonly idleTimeout: number;
  /** From the sign-in on. */
  readonly maxAge: number;
}

export const SESSION_LIMITS = {
  stepUpMs: 15 * MINUTE,
  /** How exact `lastSeenAt` is. */
  touchMs: MINUTE,
} as const;

/** Who a session acts for, and how they proved it. */
export type SessionSubject =
  | { readonly kind: 'operator'; readonly operatorId: OperatorId; readonly by: 'link' | 'oidc' }
  /** Ends when the passkey is removed. */
  | {
      readonly kind: 'operator';
      readonly operatorId: OperatorId;
      readonly by: 'passkey';
      readonly passkeyId: PasskeyId;
    }
  /** A person with the admin token with this hash: the session ends when the token is replaced. */
  | { readonly kind: 'admin-token'; readonly tokenHash: string }
  /** The administrator of a customer, by the setup link with this hash. */
  | { readonly kind: 'setup'; readonly tenant: string; readonly linkHash: string };

/** Identity providers that the wizard of setup links has steps for, and their names. */
export const SETUP_PROVIDERS: Readonly<Record<string, string>> = {
  okta: 'Okta',
  entra: 'Microsoft Entra ID',
  google: 'Google Workspace',
  keycloak: 'Keycloak',
  authentik: 'authentik',
  other: 'Identity provider',
};

/** The ways to sign in; with `setup`, as the administrator of a customer. */
export const SIGN_IN_WAYS = ['link', 'oidc', 'passkey', 'admin-token', 'setup'] as const;

export type SignInWay = (typeof SIGN_IN_WAYS)[number];

/** How a session began. */
export const wayOf = (subject: SessionSubject): SignInWay =>
  subject.kind === 'operator' ? subject.by : subject.kind;

/** A signed-in browser. */
export interface OperatorSession {
  readonly id: SessionId;
  /** SHA-256 of the value of its cookie. */
  readonly hash: string;
  readonly subject: SessionSubject;
  readonly createdAt: Date;
  /** When they last proved who they are; null: it is not known, so not recently. */
  readonly authenticatedAt: Date | null;
  readonly lastSeenAt: Date;
  /** At the latest; earlier if it is not used for `idleMs`. */
  readonly endsAt: Date;
  readonly idleMs: number;
  readonly userAgent: string | null;
}

/** How often a setup link may be opened, each time for a session of its own. */
export const MAX_OPENINGS = 100;

/** A link that signs in, once unless it says otherwise. Only its hash is stored. */
export type SignInLink = { readonly hash: string; readonly expiresAt: Date } & (
  | { readonly kind: 'first-owner' }
  | { readonly kind: 'operator'; readonly operatorId: OperatorId }
  /** For the administrator of a customer; works until it expires. */
  | {
      readonly kind: 'setup';
      readonly tenant: string;
      readonly provider: string;
      /** The one API key made with it. */
      readonly keyId: ApiKeyId | null;
      /** Whether the customer may manage integrations of their own. */
      readonly hasIntegrations: boolean;
    }
);

export const expiryOf = ({
  lastSeenAt,
  endsAt,
  idleMs,
}: Pick<OperatorSession, 'lastSeenAt' | 'endsAt' | 'idleMs'>): Date =>
  new Date(Math.min(lastSeenAt.getTime() + idleMs, endsAt.getTime()));

/** The session under settings that may be stricter than when it began. */
export const limitSession = (
  session: OperatorSession,
  { idleTimeout, maxAge }: SessionLifetime,
): OperatorSession => {
  const { createdAt, endsAt, idleMs } = session;
  const latest = new Date(createdAt.getTime() + maxAge);
  return {
    ...session,
    idleMs: Math.min(idleMs, idleTimeout),
    endsAt: endsAt < latest ? endsAt : latest,
  };
};

/** Until when operations that need a recent sign-in are allowed; null: they are not. */
export const stepUpUntil = ({
  authenticatedAt,
}: Pick<OperatorSession, 'authenticatedAt'>): Date | null =>
  authenticatedAt && new Date(authenticatedAt.getTime() + SESSION_LIMITS.stepUpMs);

/** The role that an OpenID group gives. */
export interface GroupRole {
  readonly group: string;
  readonly role: OperatorRole;
  readonly tenants: readonly string[] | null;
}
