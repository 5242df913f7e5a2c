import type { Browser } from '../../api/browser.js';
import type { OperatorCaller } from '../../api/caller.js';
import type { FoundSession, SessionStore } from '../../api/operators.js';
import type { SessionId } from '../../domain/kernel/ids.js';
import {
  expiryOf,
  limitSession,
  type OperatorSession,
  type SessionLifetime,
  SESSION_LIMITS,
  type SessionSubject,
  stepUpUntil,
} from '../../domain/operator/operator.js';
import { newId } from '../../pipeline/submit.js';
import type { AdminTokenCheck } from '../keys/admin-token-check.js';
import { hashSecret, newSecret } from '../keys/secret-hash.js';
import { type CookieRules, cookieRulesFor } from './session-cookie.js';
import type { SessionCache } from './session-cache.js';

export interface SessionParts {
  readonly store: SessionStore;
  readonly cache: SessionCache;
  readonly adminTokenCheck: Pick<AdminTokenCheck, 'isValid'>;
  readonly publicUrl: () => string;
  readonly lifetime: SessionLifetime;
  /** The database's clock. */
  readonly now: () => Date;
  readonly onTouchError: (error: unknown) => void;
}

/** A new session, and the value of its cookie. */
export interface BegunSession {
  readonly session: OperatorSession;
  readonly cookie: string;
  /** The header that sets the cookie. */
  readonly header: string;
}

export interface BeginOptions {
  /** When it ends at the latest; absent: after `maxAge`. */
  readonly endsAt?: Date;
  /**
   * When they proved who they are, as the OpenID provider says; null if it does not say, which is no
   * proof. Absent: now, by a secret.
   */
  readonly authenticatedAt?: Date | null;
}

/** The sessions of signed-in browsers. */
export interface Sessions {
  /** The caller whose cookie this is; undefined if the session has ended. */
  readonly find: (cookie: string) => Promise<OperatorCaller | undefined>;
  /** The cookie of the browser, if it has one. */
  readonly cookieIn: (browser: Browser) => string | undefined;
  /**
   * Begins a session with an id of its own, and ends the browser's previous one: a value that
   * an attacker has planted or seen before the sign-in must not work after it.
   */
  readonly begin: (
    browser: Browser,
    subject: SessionSubject,
    options?: BeginOptions,
  ) => Promise<BegunSession>;
  /** Ends it; returns the header that deletes the cookie. */
  readonly end: (session: OperatorSession) => Promise<string>;
  readonly cookies: () => CookieRules;
}

const ADMIN_TOKEN_NAME = 'admin-token';
const SETUP_LINK_NAME = 'setup-link';

/** What a session may do, without its name: the admin token is an owner. */
const rightsOf = ({
  session,
  operator,
  setupLink,
}: FoundSession): Omit<OperatorCaller, 'session'> => {
  const { subject } = session;
  if (subject.kind === 'setup')
    return {
      actor: { kind: 'operator', name: SETUP_LINK_NAME },
      role: 'setup',
      tenants: [subject.tenant],
      ...(setupLink && { setup: { provider: setupLink.provider, keyId: setupLink.keyId } }),
    };
  if (!operator)
    return { actor: { kind: 'operator', name: ADMIN_TOKEN_NAME }, role: 'owner', tenants: null };
  const { id, name, role, tenants } = operator;
  return { actor: { kind: 'operator', name, id }, role, tenants };
};

/** A provider's clock may be ahead. */
const notAfter = (latest: Date, time: Date | null): Date | null =>
  time && time > latest ? latest : time;

export const createSessions = (parts: SessionParts): Sessions => {
  const { store, cache, now, adminTokenCheck, lifetime } = parts;
  const cookies = (): CookieRules => cookieRulesFor(parts.publicUrl());

  /** Without a wait: the request does not depend on it. */
  const touch = (session: OperatorSession, at: Date): void => {
    store.touch(session, at).catch(parts.onTouchError);
    cache.invalidate(session.hash);
  };

  const isProven = async ({ subject }: OperatorSession): Promise<boolean> =>
    subject.kind !== 'admin-token' || adminTokenCheck.isValid(subject.tokenHash);

  const cookieIn = (browser: Browser): string | undefined =>
    browser.cookie(cookies().name('rg_sid'));

  return {
    find: async (cookie) => {
      const found = await cache.find(hashSecret(cookie));
      if (!found || !(await isProven(found.session))) return undefined;
      const session = limitSession(found.session, lifetime);
      const time = now();
      if (time >= expiryOf(session)) return undefined;
      const recentUntil = stepUpUntil(session);
      if (time.getTime() - session.lastSeenAt.getTime() > SESSION_LIMITS.touchMs)
        touch(session, time);
      return {
        ...rightsOf(found),
        session,
        ...((recentUntil === null || time >= recentUntil) && { needsStepUp: true as const }),
      };
    },
    cookieIn,
    begin: async (browser, subject, { endsAt, authenticatedAt } = {}) => {
      const cookie = newSecret();
      const at = now();
      const provenAt = authenticatedAt === undefined ? at : notAfter(at, authenticatedAt);
      const latest = new Date(at.getTime() + lifetime.maxAge);
      const session: OperatorSession = {
        id: newId<SessionId>(),
        hash: hashSecret(cookie),
        subject,
        createdAt: at,
        authenticatedAt: provenAt,
        lastSeenAt: at,
        endsAt: endsAt && endsAt < latest ? endsAt : latest,
        idleMs: lifetime.idleTimeout,
        userAgent: browser.userAgent,
      };
      await store.create(session);
      const previous = cookieIn(browser);
      if (previous !== undefined) {
        await store.delete(hashSecret(previous));
        cache.invalidate(hashSecret(previous));
      }
      const seconds = Math.floor((session.endsAt.getTime() - at.getTime()) / 1_000);
      return { session, cookie, header: cookies().header('rg_sid', cookie, seconds) };
    },
    end: async ({ hash }) => {
      await store.delete(hash);
      cache.invalidate(hash);
      return cookies().header('rg_sid', '', 0);
    },
    cookies,
  };
};
