import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { definePlugin, z } from '../../src/plugin/api.js';

const SITE = 'dist/plugins/dashboard/site';

const packageFolder = (folder: string): string | undefined => {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : packageFolder(parent);
};

/** The built site: the same folder for sources and bundles. Undefined: it is not built. */
const siteFolder = (): string | undefined => {
  const root = packageFolder(dirname(fileURLToPath(import.meta.url)));
  const folder = root === undefined ? undefined : join(root, SITE);
  return folder !== undefined && existsSync(join(folder, PAGE)) ? folder : undefined;
};

const PAGE = 'index.html';

/** From this origin only, and no text is ever parsed as HTML. */
const POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/**
 * Of the page that was built last, also if that was while the gateway runs: what it has inline is
 * allowed by hash, and browsers load its code before they have read it.
 */
const headersOf = (folder: string) => () => {
  const page = readFileSync(join(folder, PAGE), 'utf8');
  const hashes = (tag: string): string =>
    [...page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))]
      .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
      .join(' ');
  const code = [...page.matchAll(/<(?:script|link) [^>]*?(?:src|href)="([^"]+\.js)"/g)]
    .map(([, file]) => `<${file}>; rel=modulepreload`)
    .join(', ');
  return {
    'Content-Security-Policy': `${POLICY}; script-src 'self' ${hashes('script')}; style-src 'self' ${hashes('style')}`,
    ...(code !== '' && { Link: code }),
  };
};

const NOT_BUILT = `<!doctype html>
<html lang="en"><title>Rollgate</title>
<h1>The dashboard is not built</h1>
<p>This gateway runs from source. Run <code>npm run build</code>, then reload this page.</p></html>`;

/**
 * The operators' dashboard at /dashboard/: a client of the operators' API, served as static files.
 *
 * @internal Exported for tests, which build the site into a folder of their own.
 */
export const createDashboard = (findSite: () => string | undefined) =>
  definePlugin({
    apiVersion: 1,
    name: 'dashboard',
    title: 'Dashboard',
    description: "Serves the operators' dashboard at /dashboard/.",
    settings: z.strictObject({}),
    start: () => {
      const folder = findSite();
      const site =
        folder === undefined
          ? { pages: { '/': () => ({ status: 503, body: NOT_BUILT }) } }
          : { folder, fallback: PAGE, fallbackHeaders: headersOf(folder) };
      return { sites: [{ at: '/dashboard', isHome: true, policy: POLICY, ...site }] };
    },
  });

export const dashboard = createDashboard(siteFolder);
