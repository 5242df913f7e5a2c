import type { RequestHandler } from 'express';
import { raise } from '../../domain/kernel/refusals.js';
import type { ServiceState } from '../service-state.js';

/**
 * Refuses requests with 503 while the gateway starts or stops (decisions.md 2). From draining on,
 * `Connection: close` makes clients reconnect, which takes them to another instance.
 */
export const refuseUnlessServing =
  (state: ServiceState): RequestHandler =>
  (_request, response, next) => {
    const phase = state.phase();
    if (phase === 'draining' || phase === 'stopping') response.setHeader('Connection', 'close');
    if (phase === 'starting' || phase === 'stopping') {
      const verb = phase === 'starting' ? 'starting' : 'shutting down';
      raise('UNAVAILABLE', `This gateway is ${verb}. Nothing was changed; retry shortly.`, {
        retryAfter: 1,
      });
    }
    next();
  };
