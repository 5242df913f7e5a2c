import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { OperatorCaller } from '../../api/caller.js';
import { bearerTokenOf } from '../keys/bearer-token.js';
import { contextOf } from '../request-context.js';
import { NO_OPERATOR, type RefuseCredentials } from './refuse-credentials.js';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const OPERATOR: OperatorCaller = { actor: { kind: 'operator', name: 'admin-token' } };

/**
 * Lets through who holds the admin token. Digests are compared, in constant time: neither the
 * token's content nor its length shows in the time that a wrong one takes.
 */
export const authenticateOperator = (
  adminToken: string,
  refuseCredentials: RefuseCredentials,
): RequestHandler => {
  const expected = digest(adminToken);
  return (request, _response, next) => {
    const token = bearerTokenOf(request);
    if (token === undefined || !timingSafeEqual(digest(token), expected)) {
      throw refuseCredentials(request, NO_OPERATOR);
    }
    contextOf(request).operator = OPERATOR;
    next();
  };
};
