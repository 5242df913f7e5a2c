import type { RequestHandler } from 'express';
import { raise } from '../../domain/refusals.js';
import type { ServiceState } from '../service-state.js';

/**
 * Refuses what arrives while the gateway stops, on connections that were open already, and asks
 * the others to come back on a new one, which reaches another instance (decisions.md 2: 503).
 */
export const refuseWhileStopping =
  (state: ServiceState): RequestHandler =>
  (_request, response, next) => {
    const phase = state.phase();
    if (phase !== 'serving') response.setHeader('Connection', 'close');
    if (phase === 'stopping') {
      raise('UNAVAILABLE', 'This gateway is shutting down. Nothing was changed; retry shortly.', {
        retryAfter: 1,
      });
    }
    next();
  };
