import type { RequestHandler, Response } from 'express';
import type { RateLimiter, RateLimitResult } from '../../api/rate-limiter.js';
import { raise } from '../../domain/kernel/refusals.js';
import { clientOf } from '../request-context.js';

const setRateHeaders = (
  response: Response,
  { limit, remaining, resetSeconds }: RateLimitResult,
): void => {
  response.setHeader('RateLimit-Limit', limit);
  response.setHeader('RateLimit-Remaining', remaining);
  response.setHeader('RateLimit-Reset', resetSeconds);
};

/**
 * Counts the request against the limit of its key, session or admin token and sets `RateLimit-*`, also
 * on refusals (decisions.md 3). Requests without credentials are not counted.
 */
export const limitRate =
  (limiter: RateLimiter, clientName: string): RequestHandler =>
  async (request, response, next) => {
    const client = clientOf(request);
    if (client === undefined) {
      next();
      return;
    }
    const taken = limiter.take(client);
    const result = taken instanceof Promise ? await taken : taken;
    setRateHeaders(response, result);
    if (!result.allowed) {
      raise(
        'RATE_LIMITED',
        `Rate limit exceeded: ${result.limit} requests per minute for this ${clientName}.`,
        { retryAfter: result.resetSeconds },
      );
    }
    next();
  };
