import { definePlugin, z } from '../../src/plugin/api.js';
import { siteFolder } from './site-folder.js';

/** From this origin only, and no text is ever parsed as HTML. */
const POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

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
          : { folder, fallback: 'index.html' };
      return { sites: [{ at: '/dashboard', isHome: true, policy: POLICY, ...site }] };
    },
  });

export const dashboard = createDashboard(siteFolder);
