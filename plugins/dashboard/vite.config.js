import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import process from 'node:process';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { defineConfig } from 'vite';

const fromRoot = (/** @type {string} */ path) =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * Pages that one opens after another, and what only they use, are one part of the bundle. Files are
 * compressed one by one: with a file for each module, the site is a fifth larger.
 */
const PARTS = Object.entries({
  directory:
    /(users?|csv|use-roles|bulk-change|rooms?|room-actions|groups?|sms-list\S*|validity|import-numbers|preview-import|read-csv)/,
  monitor: /(log|log-entry|live|events|requests?|connections?)/,
  connectors: /(connectors?|connector-run|connector-mapping|sample-records)/,
  arrival: /(first-owner|signed-in|pages\/sign-in|guide(?:-health|-people|-webhooks)?)/,
  settings:
    /(tenant|api-keys|create-key|scopes|webhooks?|create-webhook|webhook-delivery|event-picker|header-fields|recover-dialog|rotate-secret|setup|directory-roles|role-test-bench|identity-providers|operators|operator-log|notifications|account|system|tenant-list|tenant-file)/,
}).map(([name, { source }]) => ({
  name,
  modules: new RegExp(`/(?:app/(?:(?:pages|components)/)?|src/client/)${source}\\.tsx?$`),
}));

/** @type {{ components: { schemas: Record<'Tenant' | 'Command' | 'User', { properties: Record<string, { properties?: unknown, enum?: string[], title?: string }> }> } }} */
// eslint-disable-next-line @typescript-eslint/no-unsafe-assignment
const { components } = JSON.parse(readFileSync(fromRoot('openapi.json'), 'utf8'));

/** The settings of tenants, of which the page of a tenant has a control each. */
const tenantSettings = () => {
  const { room_provisioning, scim } = components.schemas.Tenant.properties;
  return { room_provisioning, scim: scim?.properties };
};

/** The optional texts of users: what has a title. */
const textsOfUsers = () =>
  Object.entries(components.schemas.User.properties).flatMap(([name, { title }]) =>
    title === undefined ? [] : [[name, title]],
  );

/** What the home page shows first. */
const FIRST =
  /vite\/preload-helper|libraries$|\/node_modules\/(?!uplot)|\/src\/client\/|\/app\/(api\/|pages\/home|components\/(button|copy|fields|gauge|icon|layout|lazy(-page)?|note|page|sign-in-frame|time|toasts)\.|(?!changes|counted|custom-values|find-anything|identity-providers|passkeys|refusal-advice|use-|webhook-events)[\w-]+\.tsx?$)/;

/** What other pages share. */
const SHARED = /\/app\/(components\/(?!plot)|[\w-]+\.tsx?$)/;

const partOf = (/** @type {string} */ id) => {
  const part = PARTS.find(({ modules }) => modules.test(id));
  if (part) return part.name;
  if (FIRST.test(id)) return 'home';
  return SHARED.test(id) ? 'shared' : undefined;
};

/**
 * What the app uses of its libraries. The script in the head of the page has them: there they arrive
 * while the browser waits for the rest of the code.
 */
const LIBRARIES = Object.entries({
  preact: ['cloneElement', 'createContext', 'createElement', 'isValidElement', 'render'],
  'preact/hooks':
    'useCallback useContext useEffect useId useLayoutEffect useMemo useRef useState'.split(' '),
  'preact/jsx-runtime': ['Fragment', 'jsx', 'jsxs'],
  '@preact/signals': ['effect', 'signal'],
});
const EXPORTS = LIBRARIES.flatMap(([, names]) => names).join(', ');

/** The script in the head of the page. First it begins the reads. */
const headScript = async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: [
        "import './first-reads.ts';",
        ...LIBRARIES.map(([name, names]) => `import { ${names.join(', ')} } from '${name}';`),
        `window.libraries = { ${EXPORTS} };`,
      ].join('\n'),
      resolveDir: fromRoot('plugins/dashboard/app'),
    },
    bundle: true,
    minify: true,
    target: 'es2022',
    write: false,
  });
  return outputFiles.map(({ text }) => text.trim()).join('');
};

/** Modules take the libraries from the script in the head. */
const libraries = () => ({
  name: 'libraries',
  apply: /** @type {const} */ ('build'),
  enforce: /** @type {const} */ ('pre'),
  // The development runtime of JSX is none of them: a shell may set this, such as that of a test.
  config: () => {
    process.env.NODE_ENV = 'production';
  },
  resolveId: (/** @type {string} */ id) =>
    LIBRARIES.some(([name]) => name === id) ? '\0libraries' : undefined,
  load: (/** @type {string} */ id) =>
    id === '\0libraries' ? `export const { ${EXPORTS} } = window.libraries;` : undefined,
});

/**
 * The page begins its first reads itself, and has the styles: they arrive while the browser waits
 * for the code. The gateway allows them by their hashes.
 * @type {() => import('vite').Plugin}
 */
const inlined = () => ({
  name: 'inlined',
  transformIndexHtml: {
    order: 'post',
    handler: async (page, { bundle = {} }) => {
      const tags = [
        { tag: 'script', children: await headScript(), injectTo: /** @type {const} */ ('head') },
      ];
      const html = page.replace(
        / *<link rel="stylesheet"[^>]* href="\/dashboard\/([^"]+)">\n/,
        (_link, /** @type {string} */ name) => {
          const styles = bundle[name];
          if (styles?.type !== 'asset') throw new Error(`${name} is no file.`);
          Reflect.deleteProperty(bundle, name);
          for (const part of Object.values(bundle))
            if (part.type === 'chunk') part.viteMetadata?.importedCss.delete(name);
          return `<style>${String(styles.source).trim()}</style>\n`;
        },
      );
      return { html, tags };
    },
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
  plugins: [libraries(), inlined(), compressed()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  define: {
    // What the description says is in `x-setting`, in parts.
    TENANT_SETTINGS: JSON.stringify(tenantSettings(), (key, value) =>
      key === 'description' ? undefined : /** @type {unknown} */ (value),
    ),
    TEXTS_OF_USERS: JSON.stringify(textsOfUsers()),
    TYPES_OF_COMMANDS: JSON.stringify(components.schemas.Command.properties.type?.enum),
  },
  // Pico uses a syntax that Sass will replace.
  css: { preprocessorOptions: { scss: { quietDeps: true } } },
  build: {
    outDir: fromRoot('dist/plugins/dashboard/site'),
    // Browsers may still load parts of the build before: tools/build.js removes them a day later.
    emptyOutDir: false,
    target: 'es2022',
    cssTarget: 'esnext',
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
