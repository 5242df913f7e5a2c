import type { RequestHandler } from 'express';
import helmet from 'helmet';

const headers = helmet({
  // Responses are data: nothing in them may run, load or be framed.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
  // Other services under the operator's domain are not affected.
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  // For old browsers, plugins and pages; without effect for API clients.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** Sets the security headers of every response. Nothing is cached unless a route allows it. */
export const setApiHeaders: RequestHandler = (request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  headers(request, response, next);
};
