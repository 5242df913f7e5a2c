import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import process from 'node:process';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

const fromRoot = (/** @type {string} */ path) =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * Pages that one opens after another, and what only they use, are one part of the bundle. Files are
 * compressed one by one: with a file for each module, the site is a fifth larger.
 */
const PARTS = Object.entries({
  directory:
    /(users?|compare(?:-users)?|csv|use-roles|bulk-change|rooms?|room-actions|groups?|sms-list\S*|validity|import-numbers|preview-import|read-csv)/,
  monitor: /(log|log-entry|live|events|requests?|connections?)/,
  guide: /guide(-health|-people|-webhooks)?/,
  connectors: /(connectors?|connector-run)/,
  settings:
    /(tenant|api-keys|create-key|scopes|webhooks?|create-webhook|webhook-delivery|event-picker|header-fields|recover-dialog|rotate-secret|setup|directory-roles|role-test-bench|operators|operator-log|notifications|account|system|tenant-list|tenant-file)/,
}).map(([name, { source }]) => ({
  name,
  modules: new RegExp(`/(?:app/(?:(?:pages|components)/)?|src/client/)${source}\\.tsx?$`),
}));

/** The settings of tenants, of which the page of a tenant has a control each. */
const tenantSettings = () => {
  /** @type {{ components: { schemas: { Tenant: { properties: Record<string, { properties?: unknown }> } } } }} */
  // eslint-disable-next-line @typescript-eslint/no-unsafe-assignment
  const { components } = JSON.parse(readFileSync(fromRoot('openapi.json'), 'utf8'));
  const { room_provisioning, scim } = components.schemas.Tenant.properties;
  return { room_provisioning, scim: scim?.properties };
};

/** Begins the first reads, and loads the rest. */
const ENTRY = /\/app\/(main|early-reads)\.ts$|vite\/preload-helper/;

/** What the home page shows first. */
const FIRST =
  /\/node_modules\/(?!uplot)|\/src\/client\/|\/app\/(api\/|pages\/home|components\/(button|copy|fields|gauge|icon|layout|lazy(-page)?|no-access|note|page|sign-in-frame|time|toasts)\.|(?!find-anything|identity-providers|webhook-events|counted)[\w-]+\.tsx?$)/;

/** What other pages share. */
const SHARED = /\/app\/(components\/(?!plot)|[\w-]+\.tsx?$)/;

const partOf = (/** @type {string} */ id) => {
  if (ENTRY.test(id)) return 'index';
  const part = PARTS.find(({ modules }) => modules.test(id));
  if (part) return part.name;
  if (FIRST.test(id)) return 'home';
  return SHARED.test(id) ? 'shared' : undefined;
};

/**
 * The browser loads the first view beside the entry, which begins its reads.
 * @type {() => import('vite').Plugin}
 */
const preloaded = () => ({
  name: 'preloaded',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((name) => /\/home-[\w-]+\.js$/.test(name))
        .map((name) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', href: `/dashboard/${name}` },
          injectTo: 'head',
        })),
  },
});

/** Smaller files gain nothing. */
const MIN_COMPRESSED = 1_024;

/**
 * Adds the compressed form of each file, which the gateway sends to browsers that accept it.
 * @type {() => import('vite').Plugin}
 */
const compressed = () => ({
  name: 'compressed',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const file of Object.values(bundle)) {
        const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source);
        if (bytes.length < MIN_COMPRESSED) continue;
        const { fileName } = file;
        this.emitFile({
          type: 'asset',
          fileName: `${fileName}.br`,
          source: brotliCompressSync(bytes),
        });
        this.emitFile({
          type: 'asset',
          fileName: `${fileName}.gz`,
          source: gzipSync(bytes, { level: 9 }),
        });
      }
    },
  },
});

/** `npm run build` bundles the app; `npm run dev:dashboard` serves it in front of a gateway. */
export default defineConfig({
  root: fromRoot('plugins/dashboard/app'),
  base: '/dashboard/',
  cacheDir: fromRoot('node_modules/.cache/dashboard'),
  // From source, so that it needs no build before.
  resolve: { alias: { 'rollgate/client': fromRoot('src/client/index.ts') } },
  plugins: [preact({ prefreshEnabled: false, devToolsEnabled: false }), preloaded(), compressed()],
  define: { TENANT_SETTINGS: JSON.stringify(tenantSettings()) },
  // Pico uses a syntax that Sass will replace.
  css: { preprocessorOptions: { scss: { quietDeps: true } } },
  build: {
    outDir: fromRoot('dist/plugins/dashboard/site'),
    // Browsers may still load parts of the build before: tools/build.js removes them a day later.
    emptyOutDir: false,
    target: 'es2022',
    cssTarget: 'esnext',
    // Two kilobytes smaller than esbuild's.
    minify: 'terser',
    terserOptions: { module: true, compress: { passes: 2 } },
    // The policy allows files only, no `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      // What only some pages use of the client must not be loaded with its index.
      treeshake: { moduleSideEffects: (id) => !id.includes('/src/client/') },
      output: { manualChunks: partOf },
    },
  },
  server: {
    proxy: { '/admin': process.env.ROLLGATE_URL ?? 'http://127.0.0.1:8080' },
  },
});
