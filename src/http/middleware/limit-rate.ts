import type { RequestHandler, Response } from 'express';
import type { RateLimiter, RateVerdict } from '../../api/rate-limiter.js';
import { raise } from '../../domain/refusals.js';
import { callerOf } from '../request-context.js';

const tellRate = (response: Response, { limit, remaining, resetSeconds }: RateVerdict): void => {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', remaining);
  response.setHeader('RateLimit-Reset', resetSeconds);
};

/**
 * Counts the request against its key and tells in `RateLimit-*` how that stands, on refusals too
 * (decisions.md 3). A request counts once, whatever it holds.
 */
export const limitRate =
  (limiter: RateLimiter): RequestHandler =>
  async (request, response, next) => {
    const taken = limiter.take(callerOf(request).key.id);
    const verdict = taken instanceof Promise ? await taken : taken;
    tellRate(response, verdict);
    if (!verdict.allowed) {
      raise(
        'RATE_LIMITED',
        `Rate limit exceeded: ${verdict.limit} requests per minute for this key.`,
        { retryAfter: verdict.resetSeconds },
      );
    }
    next();
  };
