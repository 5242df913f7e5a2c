import type { RequestHandler } from 'express';
import helmet from 'helmet';

const headers = helmet({
  // An answer of an API is data: nothing in it may run, load or be framed.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'same-origin' },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
  // What else lives under the operator's domain is not for us to decide.
  strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
  // For browsers and plugins of long ago, and for pages: they say nothing to a client of an API.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/** The security headers of every answer; and no cache keeps any, unless a route says otherwise. */
export const setApiHeaders: RequestHandler = (request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  headers(request, response, next);
};
