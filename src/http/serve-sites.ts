import type { Stats } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Page, Site } from '../routes/extensions.js';
import { raise, refuse, RefusalError } from '../domain/kernel/refusals.js';
import { contextOf } from './request-context.js';

/** Everything from the own origin, nothing inline, in no frame. */
const POLICY =
  "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const HTML = 'text/html; charset=utf-8';

const setHeaders = (response: Response, policy: string): void => {
  response.setHeader('Content-Security-Policy', policy);
};

const readable =
  (serve: RequestHandler): RequestHandler =>
  (request, response, next) => {
    if (request.method === 'GET' || request.method === 'HEAD')
      return serve(request, response, next);
    response.setHeader('Allow', 'GET, HEAD');
    return raise('METHOD_NOT_ALLOWED', 'Only GET and HEAD are allowed here.');
  };

const queryOf = ({ url }: Request): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(url, 'http://localhost').searchParams);

const sendPage = (response: Response, { status = 200, type = HTML, body }: Page): void => {
  const bytes = Buffer.from(body);
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': bytes.length });
  response.end(bytes);
};

/** Names that change with the content, as bundlers write them: `assets/main-Bf3kQ2xZ.js`. */
const NAMED_BY_CONTENT = /-[\w-]{8}\.\w+$/;

/** Encodings of a file that is there compressed as well, such as `main.js.br`. Best first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

type Folder = Pick<Site, 'fallback' | 'fallbackHeaders'> & { readonly root: string };

/** Caches revalidate other files by ETag; hidden files get 404. */
const serveFiles = (
  { root, fallback, fallbackHeaders }: Folder,
  encoding?: (typeof ENCODINGS)[number],
): RequestHandler => {
  const [name, ending = ''] = encoding ?? [];
  const page = fallback === undefined ? undefined : join(root, fallback);
  /** Of the page as it was written last. */
  let known: { readonly writtenAt: number; readonly headers: Map<string, string> } | undefined;
  return express.static(root, {
    dotfiles: 'ignore',
    cacheControl: true,
    // The whole file instead (RFC 9110, 14.2).
    acceptRanges: false,
    setHeaders: (response: Response, file: string, { mtimeMs }: Stats) => {
      const path = file.slice(0, file.length - ending.length);
      response.setHeader(
        'Cache-Control',
        NAMED_BY_CONTENT.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      if (path === page) {
        if (known?.writtenAt !== mtimeMs)
          known = {
            writtenAt: mtimeMs,
            headers: new Map(Object.entries(fallbackHeaders?.() ?? {})),
          };
        response.setHeaders(known.headers);
      }
      if (name === undefined) return;
      response.setHeader('Content-Encoding', name);
      response.type(extname(path));
    },
  });
};

/** Express's for a precondition (RFC 9110, 13.1) is the client's; others are of the file system. */
const fileErrorOf = (error: unknown): unknown =>
  (error as { readonly status?: unknown }).status === 412
    ? new RefusalError(refuse('PRECONDITION_FAILED', 'The file has another version.'))
    : error;

const serveFolder = (folder: Folder): RequestHandler => {
  const plain = serveFiles(folder);
  const compressed = ENCODINGS.map((encoding) => ({
    encoding: encoding[0],
    ending: encoding[1],
    serve: serveFiles(folder, encoding),
  }));
  return (request, response, next) => {
    response.vary('Accept-Encoding');
    const { url } = request;
    const [path = ''] = url.split('?', 1);
    const file = path.endsWith('/') ? `${path}index.html` : path;
    const accepted = compressed.filter(({ encoding }) => request.acceptsEncodings(encoding));
    const attempt = (at: number): void => {
      const candidate = accepted[at];
      request.url = candidate ? file + candidate.ending : url;
      (candidate?.serve ?? plain)(request, response, (error?: unknown) => {
        request.url = url;
        if (error !== undefined) next(fileErrorOf(error));
        else if (!candidate) next();
        else attempt(at + 1);
      });
    };
    attempt(0);
  };
};

const serveSite = ({ at, folder, pages = {}, policy = POLICY, ...site }: Site): Router => {
  const router = Router({ caseSensitive: true });
  router.use((request, response, next) => {
    contextOf(request).route = at;
    setHeaders(response, policy);
    next();
  });
  // Relative addresses in pages and files hold below `/dashboard/` only.
  router.get('/', (request, response, next) => {
    const [path = '', query] = request.originalUrl.split('?', 2);
    if (path === at) response.redirect(308, query === undefined ? `${at}/` : `${at}/?${query}`);
    else next();
  });
  for (const [path, make] of Object.entries(pages))
    router.all(
      path,
      readable(async (request, response) => {
        const { requestId } = contextOf(request);
        sendPage(response, await make({ query: queryOf(request), requestId }));
      }),
    );
  if (folder === undefined) return router;
  const root = folder instanceof URL ? fileURLToPath(folder) : folder;
  const serve = readable(serveFolder({ root, ...site }));
  router.use(serve);
  const { fallback } = site;
  if (fallback !== undefined)
    router.use((request, response, next) => {
      request.url = `/${fallback}`;
      serve(request, response, next);
    });
  return router;
};

/** The static files and pages of extensions. */
export const serveSites = (sites: readonly Site[]): Router => {
  const router = Router({ caseSensitive: true });
  for (const site of sites) router.use(site.at, serveSite(site));
  const home = sites.find(({ isHome }) => isHome);
  if (home) router.get('/', (_request, response) => response.redirect(302, `${home.at}/`));
  return router;
};
