import type { RequestHandler } from 'express';
import { bearerTokenOf } from '../keys/bearer-token.js';
import type { AdminTokenCheck } from '../keys/admin-token-check.js';
import { contextOf } from '../request-context.js';
import { ADMIN_TOKEN_REQUIRED, type RefuseCredentials } from './refuse-credentials.js';

const ACTOR = { kind: 'operator', name: 'admin-token' } as const;

/** Requires the admin token. */
export const authenticateOperator =
  (
    { check }: Pick<AdminTokenCheck, 'check'>,
    refuseCredentials: RefuseCredentials,
  ): RequestHandler =>
  async (request, _response, next) => {
    const token = bearerTokenOf(request);
    const tokenHash = token === undefined ? undefined : await check(token);
    if (tokenHash === undefined) throw refuseCredentials(request, ADMIN_TOKEN_REQUIRED);
    contextOf(request).operator = { actor: ACTOR, tokenHash };
    next();
  };
