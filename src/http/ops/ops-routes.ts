import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { raise } from '../../domain/kernel/refusals.js';
import { refuseMethod } from '../access/request-checks.js';
import { contextOf } from '../request-context.js';

import { type ServiceState, cacheReadiness, type Readiness } from '../service-state.js';
import type { PrometheusMetrics } from './prometheus-metrics.js';
import { renderReference, REFERENCE_STYLE } from './reference/render-reference.js';
import type { OpenApiDocument } from '../openapi/document.js';

export interface OpsParts {
  readonly state: ServiceState;
  readonly isReady: Readiness;
  readonly metrics: Pick<PrometheusMetrics, 'contentType' | 'text'>;
  /** Generated at the first request, to keep the start fast. */
  readonly openapi: () => OpenApiDocument;
  /** The base URL in the examples of the reference page. */
  readonly publicUrl: () => string;
}

type Handler = (request: Request, response: Response) => void | Promise<void>;

/** A path that only supports GET and HEAD. */
const readOnly = (route: string, handler: Handler): RequestHandler => {
  return async (request, response) => {
    contextOf(request).route = route;
    if (request.method === 'GET' || request.method === 'HEAD') return handler(request, response);
    return refuseMethod(response, ['GET', 'HEAD']);
  };
};

/** Probes need no authentication, so the response reveals nothing else. */
const sendOk = (response: Response): void => void response.json({ status: 'ok' });

interface Document {
  readonly bytes: Buffer;
  readonly tag: string;
}

const documentOf = (text: string): Document => {
  const bytes = Buffer.from(text);
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, tag };
};

/** A document that changes only with a release: cacheable, with an ETag. */
const staticDocument = (type: string, write: () => string): Handler => {
  let document: Document | undefined;
  return (request, response) => {
    const { bytes, tag } = (document ??= documentOf(write()));
    response.setHeader('Cache-Control', 'public, max-age=300');
    response.setHeader('ETag', tag);
    if (request.headers['if-none-match'] === tag) {
      response.writeHead(304).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.length });
    response.end(bytes);
  };
};

/** The reference page only loads its own style sheet and has no scripts. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const referencePage = (write: () => string): Handler => {
  const send = staticDocument('text/html; charset=utf-8', write);
  return (request, response) => {
    response.setHeader('Content-Security-Policy', PAGE_POLICY);
    return send(request, response);
  };
};

const readiness = ({ state, isReady }: OpsParts): Handler => {
  const cached = cacheReadiness(isReady, () => performance.now());
  return async (_request, response) => {
    if (state.phase() === 'serving' && (await cached())) sendOk(response);
    else raise('UNAVAILABLE', state.failure() ?? 'This gateway is not ready.', { retryAfter: 1 });
  };
};

/**
 * Probes, metrics, the OpenAPI document and the reference page (decisions.md 1), without
 * authentication.
 */
export const opsRoutes = (parts: OpsParts): Router => {
  const { metrics, openapi, publicUrl } = parts;
  const router = express.Router({ caseSensitive: true, strict: true });
  const serve = (path: string, handler: Handler): void => {
    router.all(path, readOnly(path, handler));
  };
  serve('/healthz', (_request, response) => sendOk(response));
  serve('/readyz', readiness(parts));
  serve('/metrics', async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.text());
  });
  const json = () => JSON.stringify(openapi());
  serve('/openapi.json', staticDocument('application/json; charset=utf-8', json));
  serve('/docs', (_request, response) => response.redirect(308, '/docs/'));
  serve(
    '/docs/',
    referencePage(() => renderReference(openapi(), publicUrl())),
  );
  serve(
    '/docs/style.css',
    staticDocument('text/css; charset=utf-8', () => REFERENCE_STYLE),
  );
  return router;
};
