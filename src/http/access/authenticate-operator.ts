import {
  type AdminTokenCheck,
  isSameSecret,
  bearerTokenOf,
  hasBearerToken,
} from './credentials.js';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../../config/is-loopback.js';
import { raise, refuse, RefusalError } from '../../domain/kernel/refusals.js';
import type { Request, RequestHandler } from 'express';
import type { Browser, OperatorCaller } from '../../routes/caller.js';
import type { Route } from '../../routes/route.js';
import { contextOf } from '../request-context.js';
import { cookieOf, csrfTokenOf, type Sessions } from './sessions.js';
import {
  ADMIN_TOKEN_INVALID,
  ADMIN_TOKEN_REQUIRED,
  type RefuseCredentials,
} from './refuse-credentials.js';

const reject = (message: string): never => raise('CSRF_REJECTED', message);

/** `localhost` and `127.0.0.1` with the same port are the same gateway. */
const isOwnOrigin = (origin: string, publicUrl: string): boolean => {
  if (!URL.canParse(origin)) return false;
  const [given, own] = [new URL(origin), new URL(publicUrl)];
  if (given.origin === own.origin) return true;
  const isSameScheme = given.protocol === own.protocol && given.port === own.port;
  return isSameScheme && isLoopback(origin) && isLoopback(publicUrl);
};

/**
 * Refuses writes that a page of another site makes a browser send. Browsers send `Origin` with every
 * write, and current ones `Sec-Fetch-Site`; neither can be set by scripts.
 */
const requireSameOrigin = ({ headers }: IncomingMessage, publicUrl: string): void => {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin === undefined)
    reject('Send the header Origin, as browsers do, or use the admin token.');
  else if (!isOwnOrigin(origin, publicUrl))
    reject(
      `Requests from this origin are not accepted. If it is how browsers reach this gateway, set ` +
        `publicUrl to it; it is ${publicUrl} now.`,
    );
  if (site !== undefined && site !== 'same-origin')
    reject('Requests that another site has caused are not accepted.');
};

const ACTOR = { kind: 'operator', name: 'admin-token' } as const;

export const SESSION_ENDED = refuse('UNAUTHENTICATED', 'Your session has ended. Sign in again.');

interface OperatorParts {
  readonly adminTokenCheck: Pick<AdminTokenCheck, 'check'>;
  readonly sessions: Pick<Sessions, 'find' | 'cookieIn'>;
  readonly refuseCredentials: RefuseCredentials;
  readonly publicUrl: () => string;
  /** Operators' routes; the public ones need no credentials. */
  readonly routes: readonly Route[];
}

const MAX_USER_AGENT = 256;

const browserOf = (request: Request, refuseCredentials: RefuseCredentials): Browser => ({
  cookie: (name) => cookieOf(request, name),
  userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
  isSetup: request.headers['x-rollgate-session'] === 'setup',
  refuse: (refusal) => refuseCredentials(request, refusal),
});

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

const isFromBrowser = ({ headers }: Request): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

const titleOf = (method: string, path: string): string =>
  `${method === 'HEAD' ? 'GET' : method} ${path}`;

/**
 * Requires the admin token, or the cookie of a session. A request with an Authorization header is
 * never authenticated by its cookie.
 */
export const authenticateOperator = (parts: OperatorParts): RequestHandler => {
  const { adminTokenCheck, sessions, refuseCredentials, publicUrl } = parts;
  // Exact paths: what is spelt differently needs credentials.
  const publicRoutes = new Set(
    parts.routes
      .filter(({ scope }) => scope === 'public')
      .map(({ method, path }) => titleOf(method, path)),
  );

  const byToken = async (request: Request): Promise<OperatorCaller> => {
    const token = bearerTokenOf(request);
    const tokenHash = token === undefined ? undefined : await adminTokenCheck.check(token);
    if (tokenHash === undefined)
      throw refuseCredentials(
        request,
        hasBearerToken(request) ? ADMIN_TOKEN_INVALID : ADMIN_TOKEN_REQUIRED,
      );
    return { actor: ACTOR, role: 'owner', tenants: null, tokenHash };
  };

  const bySession = async (
    request: Request,
    { isSetup }: Browser,
    cookie: string,
  ): Promise<OperatorCaller> => {
    const caller = await sessions.find(cookie);
    // Versions without a cookie for setup links stored their sessions in that of operators.
    if (!caller || (caller.role === 'setup') !== isSetup)
      throw refuseCredentials(request, SESSION_ENDED);
    if (isRead(request)) return caller;
    requireSameOrigin(request, publicUrl());
    const given = request.headers['x-csrf-token'];
    if (typeof given !== 'string' || !isSameSecret(given, csrfTokenOf(cookie)))
      raise('CSRF_REJECTED');
    return caller;
  };

  return async (request, _response, next) => {
    const context = contextOf(request);
    const browser = browserOf(request, refuseCredentials);
    context.browser = browser;
    const cookie = sessions.cookieIn(browser);
    if (publicRoutes.has(titleOf(request.method, request.path))) {
      // Another site must not sign a browser in as another person; other programs have no origin.
      if (!isRead(request) && isFromBrowser(request)) requireSameOrigin(request, publicUrl());
    } else if (request.headers.authorization !== undefined || cookie === undefined)
      context.operator = await byToken(request);
    else {
      context.operator = await bySession(request, browser, cookie);
      context.confirmOperator = async () => {
        if (!(await sessions.find(cookie))) throw new RefusalError(SESSION_ENDED);
      };
    }
    next();
  };
};
