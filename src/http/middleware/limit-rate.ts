import type { RequestHandler, Response } from 'express';
import type { RateLimiter, RateLimitResult } from '../../api/rate-limiter.js';
import { raise } from '../../domain/kernel/refusals.js';
import { callerOf } from '../request-context.js';

const setRateHeaders = (
  response: Response,
  { limit, remaining, resetSeconds }: RateLimitResult,
): void => {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', remaining);
  response.setHeader('RateLimit-Reset', resetSeconds);
};

/**
 * Counts the request against its key's limit and sets `RateLimit-*`, also on refusals (decisions.md
 * 3).
 */
export const limitRate =
  (limiter: RateLimiter): RequestHandler =>
  async (request, response, next) => {
    const taken = limiter.take(callerOf(request).key.id);
    const result = taken instanceof Promise ? await taken : taken;
    setRateHeaders(response, result);
    if (!result.allowed) {
      raise(
        'RATE_LIMITED',
        `Rate limit exceeded: ${result.limit} requests per minute for this key.`,
        { retryAfter: result.resetSeconds },
      );
    }
    next();
  };
