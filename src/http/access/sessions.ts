import type { Browser, OperatorCaller } from '../../routes/caller.js';
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../../config/is-loopback.js';
import type { FoundSession, SessionStore } from '../../ports/operators.js';
import type { OperatorId, SessionId } from '../../domain/kernel/ids.js';
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
import { type AdminTokenCheck, hashSecret, newSecret } from './credentials.js';
import { createRecentReads } from './recent-reads.js';

/** The browser of a request to the operators' API. */
export const browserIn = ({ browser }: { readonly browser?: Browser }): Browser => {
  if (!browser) throw new Error('authenticateOperator must run first');
  return browser;
};

/** Of sign-ins that are under way. */
export type FlowCookieName = 'rg_oidc' | 'rg_passkey';

/** Also of operators, and of setup links, so that one opened by an operator does not end their session. */
type CookieBase = 'rg_sid' | 'rg_setup' | FlowCookieName;

const cookieOfKind = (kind: SessionSubject['kind']): CookieBase =>
  kind === 'setup' ? 'rg_setup' : 'rg_sid';

/**
 * A cookie that only this host gets, over TLS (RFC 6265bis, 4.1.3.2). Without TLS only on loopback,
 * where browsers accept no such prefix.
 */
interface CookieRules {
  readonly name: (base: CookieBase) => string;
  /** The header that sets it, or with an empty value deletes it. */
  readonly header: (base: CookieBase, value: string, maxAgeSeconds: number) => string;
  /** Whether browsers keep such cookies for this URL. */
  readonly areKept: boolean;
}

const cookieRulesFor = (publicUrl: string): CookieRules => {
  const { protocol } = new URL(publicUrl);
  const isPlain = protocol === 'http:' && isLoopback(publicUrl);
  const name: CookieRules['name'] = (base) => (isPlain ? base : `__Host-${base}`);
  return {
    name,
    header: (base, value, maxAge) =>
      [
        `${name(base)}=${value}`,
        ...(isPlain ? [] : ['Secure']),
        'HttpOnly',
        'SameSite=Lax',
        'Path=/',
        `Max-Age=${maxAge}`,
      ].join('; '),
    areKept: isPlain || protocol === 'https:',
  };
};

const MAX_HEADER_LENGTH = 16_384;
/** Of secrets, and of what is sealed. */
const VALUE = /^[A-Za-z0-9_.-]{1,4096}$/;

/** The value of a cookie, if it looks like one of this gateway. */
export const cookieOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const { cookie = '' } = headers;
  if (cookie.length > MAX_HEADER_LENGTH) return undefined;
  const prefix = `${name}=`;
  const found = cookie
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  const value = found?.slice(prefix.length);
  return value !== undefined && VALUE.test(value) ? value : undefined;
};

/**
 * Sent back by the dashboard with every write: another site can make a browser send its cookie, but
 * cannot read this.
 */
export const csrfTokenOf = (cookie: string): string =>
  createHmac('sha256', cookie).update('rollgate: csrf token').digest('base64url');

/** Caches valid sessions for less than a second. */
export interface SessionCache {
  readonly find: (hash: string) => Promise<FoundSession | undefined>;
  /** Call it after ending a session, so that it stops working immediately. */
  readonly invalidate: (hash: string) => void;
  /** Call it after changing or deleting an operator, or ending their sessions. */
  readonly invalidateOperator: (id: OperatorId) => void;
}

interface CacheParts extends Pick<SessionStore, 'find'> {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

export const createSessionCache = ({ find, now }: CacheParts): SessionCache => {
  const recent = createRecentReads<FoundSession>({ read: find, now });
  return {
    find: recent.find,
    invalidate: (hash) => recent.invalidate(({ session }) => session.hash === hash),
    invalidateOperator: (id) => recent.invalidate(({ operator }) => operator?.id === id),
  };
};

interface SessionParts {
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
interface BegunSession {
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
  /** The cookie of the session that the request is for, if the browser has one. */
  readonly cookieIn: (browser: Pick<Browser, 'cookie' | 'isSetup'>) => string | undefined;
  /**
   * Begins a session with an id of its own, and ends the browser's previous one of its kind: a value
   * that an attacker has planted or seen before the sign-in must not work after it.
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
      ...(setupLink && {
        setup: {
          provider: setupLink.provider,
          keyId: setupLink.keyId,
          expiresAt: setupLink.expiresAt,
          hasIntegrations: setupLink.hasIntegrations,
        },
      }),
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

  const cookieIn: Sessions['cookieIn'] = ({ cookie, isSetup }) =>
    cookie(cookies().name(isSetup ? 'rg_setup' : 'rg_sid'));

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
      const base = cookieOfKind(subject.kind);
      const previous = browser.cookie(cookies().name(base));
      if (previous !== undefined) {
        await store.delete(hashSecret(previous));
        cache.invalidate(hashSecret(previous));
      }
      const seconds = Math.floor((session.endsAt.getTime() - at.getTime()) / 1_000);
      return { session, cookie, header: cookies().header(base, cookie, seconds) };
    },
    end: async ({ hash, subject }) => {
      await store.delete(hash);
      cache.invalidate(hash);
      return cookies().header(cookieOfKind(subject.kind), '', 0);
    },
    cookies,
  };
};
