import type { Request, RequestHandler, Response } from 'express';
import type { IncomingMessage } from 'node:http';
import { kindOf } from '../../domain/kernel/refusals.js';
import type { SessionLifetime } from '../../domain/operator/operator.js';
import type { Route } from '../../routes/route.js';
import { contextOf, ownerOf } from '../request-context.js';
import type { EdgePorts } from '../resources/route-parts.js';
import { createAccessTokens } from './access-tokens.js';
import {
  authenticateTenantKey,
  createKeyCache,
  createRefuseKey,
  startLastUsedTracker,
} from './authenticate-key.js';
import { authenticateOperator } from './authenticate-operator.js';
import { createAdminTokenCheck } from './credentials.js';
import { createLoopShares } from './loop-shares.js';
import {
  addressKeyOf,
  createClientAddress,
  createRefuseCredentials,
} from './refuse-credentials.js';
import { createSessionCache, createSessions } from './sessions.js';
import { createSignInLog } from './sign-in-log.js';
import { tokenEndpoint } from './token-endpoint.js';
import { startConnectionTracker, trackRequests } from './track-connections.js';

export interface AccessParts extends Pick<
  EdgePorts,
  'apiKeys' | 'connections' | 'adminTokens' | 'signIn' | 'operatorLog' | 'publicUrl' | 'log' | 'now'
> {
  /** Per client address. */
  readonly failedAuthenticationsPerMinute: number;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly sessionLifetime: SessionLifetime;
}

/** Authentication by key, token or session, and what is counted of clients, with caches and timers. */
export const startAccess = (parts: AccessParts) => {
  const { apiKeys, log, publicUrl } = parts;
  const elapsed = () => performance.now();
  const keys = createKeyCache({ findByHash: apiKeys.findByHash, now: elapsed });
  const keyUsage = startLastUsedTracker({ noteUse: apiKeys.recordUse, now: () => new Date(), log });
  const tracker = startConnectionTracker({ store: parts.connections, now: parts.now, log });
  const addressOf = createClientAddress(parts.trustedProxies);
  const addressKey = (request: IncomingMessage) => addressKeyOf(addressOf(request));
  const refuseCredentials = createRefuseCredentials({
    limit: parts.failedAuthenticationsPerMinute,
    now: () => Date.now(),
    addressOf,
  });
  const shares = createLoopShares(addressKey);
  const track = trackRequests(tracker, addressOf);
  const tenantKeys = {
    keys,
    tokens: createAccessTokens({ mac: parts.adminTokens.hashOf, now: () => Date.now() }),
    refuseKey: createRefuseKey({
      refuseCredentials,
      recordFailure: tracker.authenticationFailed,
      addressOf,
    }),
    addressKey,
    recordUse: keyUsage.record,
  };
  const adminTokenCheck = createAdminTokenCheck({ ...parts.adminTokens, now: elapsed });
  const sessionCache = createSessionCache({ find: parts.signIn.sessions.find, now: elapsed });
  const sessions = createSessions({
    store: parts.signIn.sessions,
    cache: sessionCache,
    adminTokenCheck,
    publicUrl,
    lifetime: parts.sessionLifetime,
    now: parts.now,
    onTouchError: (error) => log.warn({ err: error }, 'cannot record the use of a session'),
  });
  return {
    ...{ keys, addressKey, adminTokenCheck, sessionCache, sessions },
    signInLog: createSignInLog(parts),
    shareOf: shares.shareOf,
    eventCommitted: tracker.eventCommitted,
    flushConnections: tracker.flush,
    authenticateKey: authenticateTenantKey(tenantKeys),
    tokenEndpoint: (limit: RequestHandler) => tokenEndpoint({ ...tenantKeys, limit }),
    authenticateOperator: (routes: readonly Route[]) =>
      authenticateOperator({ adminTokenCheck, sessions, refuseCredentials, publicUrl, routes }),
    /** Call it when a response has ended. */
    requestEnded: (request: Request, response: Response): void => {
      const owner = ownerOf(request);
      const { refusal } = contextOf(request);
      if (owner !== undefined || (refusal && kindOf(refusal) === 'unauthenticated'))
        shares.learn(request, owner);
      track(request, response);
    },
    /** Stores what was counted. */
    stop: async (): Promise<void> => {
      await Promise.all([keyUsage.stop(), tracker.stop()]);
    },
  };
};
