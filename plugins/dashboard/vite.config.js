import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import process from 'node:process';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { Marked } from 'marked';
import { defineConfig, transformWithEsbuild } from 'vite';

const fromRoot = (/** @type {string} */ path) =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** @type {{ components: { schemas: Record<'Tenant' | 'Command' | 'User' | 'UserChanges', { properties: Record<string, { properties?: unknown, 'x-titles'?: object, title?: string }> }> } }} */
// eslint-disable-next-line @typescript-eslint/no-unsafe-assignment
const { components } = JSON.parse(readFileSync(fromRoot('openapi.json'), 'utf8'));

/** The settings of tenants, of which the page of a tenant has a control each. */
const tenantSettings = () => {
  const { room_provisioning, scim } = components.schemas.Tenant.properties;
  return { room_provisioning, scim: scim?.properties };
};

/** The optional texts of users: what has a title; and whether a change may contain them. */
const textsOfUsers = () =>
  Object.entries(components.schemas.User.properties).flatMap(([name, { title }]) =>
    title === undefined ? [] : [[name, title, name in components.schemas.UserChanges.properties]],
  );

/** The script in the head of the page. */
const firstReads = async () => {
  const { outputFiles } = await build({
    entryPoints: [fromRoot('plugins/dashboard/app/first-reads.ts')],
    bundle: true,
    minify: true,
    target: 'es2022',
    write: false,
  });
  return outputFiles.map(({ text }) => text.trim()).join('');
};

/**
 * The page begins its first reads itself, and has the styles: they arrive while the browser waits
 * for the code. The gateway allows them by their hashes.
 * @type {() => import('vite').Plugin}
 */
const inlined = () => ({
  name: 'inlined',
  apply: 'build',
  // For the runtime of JSX: a shell may set another one, such as that of a test.
  config: () => {
    process.env.NODE_ENV = 'production';
  },
  transformIndexHtml: {
    order: 'post',
    handler: async (page, { bundle = {} }) => {
      const tags = [
        { tag: 'script', children: await firstReads(), injectTo: /** @type {const} */ ('head') },
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

/** @param {string} text */
const quoted = (text) => `"${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;

const markdown = new Marked({
  renderer: {
    heading({ depth, text, tokens }) {
      if (depth === 1) return '';
      // The anchor that GitHub derives.
      const id = text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-');
      const title = quoted(text.replaceAll('`', ''));
      return depth === 2
        ? `</Section><Section id="${id}" title=${title}>`
        : `<h3 id="${id}">${this.parser.parseInline(tokens)}</h3>`;
    },
    code: ({ text }) => `<Code of=${quoted(text)} what="example"/>`,
    link({ href, tokens }) {
      return `<A href="${href}">${this.parser.parseInline(tokens)}</A>`;
    },
    html: () => '',
  },
});

/**
 * Documents become components: the policy lets no text be parsed as HTML.
 * @type {() => import('vite').Plugin}
 */
const documents = () => ({
  name: 'documents',
  transform(text, file) {
    if (!file.endsWith('.md')) return undefined;
    /** @type {string[]} */
    const images = [];
    let examples = 0;
    const elements = markdown
      .parse(text, { async: false })
      .replaceAll(/[{}\n]/g, (character) => `&#${character.charCodeAt(0)};`)
      .replaceAll(/<(br|hr|img)\b([^>]*)>/g, '<$1$2/>')
      .replaceAll(
        /(?<=<img src=)"([^"]+)"/g,
        (_, /** @type {string} */ path) => `{image${images.push(path) - 1}}`,
      )
      .replaceAll('what="example"', () => `what="example ${(examples += 1)}"`)
      .replaceAll('<table>', '<div class="table-frame"><table class="table">')
      .replaceAll('</table>', '</table></div>');
    const [, title = ''] = /^# (.+)$/m.exec(text) ?? [];
    const imports = images.map((path, at) => `import image${at} from './${path}';`).join('');
    const code = `${imports} export default ({ A, Code, Document, Section }) =>
      <Document title=${quoted(title)}><Section title="Overview">${elements}</Section></Document>`;
    return transformWithEsbuild(code, file, {
      loader: 'jsx',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    });
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
        if (bytes.length < MIN_COMPRESSED || file.fileName.endsWith('.png')) continue;
        const forms = { br: brotliCompressSync(bytes), gz: gzipSync(bytes, { level: 9 }) };
        for (const [ending, source] of Object.entries(forms))
          this.emitFile({ type: 'asset', fileName: `${file.fileName}.${ending}`, source });
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
  plugins: [inlined(), documents(), compressed()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  define: {
    // What the description says is in `x-setting`, in parts.
    TENANT_SETTINGS: JSON.stringify(tenantSettings(), (key, value) =>
      key === 'description' ? undefined : /** @type {unknown} */ (value),
    ),
    TEXTS_OF_USERS: JSON.stringify(textsOfUsers()),
    TYPES_OF_COMMANDS: JSON.stringify(
      Object.entries(components.schemas.Command.properties.type?.['x-titles'] ?? {}),
    ),
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
      // Files are compressed one by one: many small ones are larger, and load later.
      output: {
        experimentalMinChunkSize: 16_000,
        // The first page, and all that it imports, is one file with the app. So is a document, without
        // what it shares: Rollup takes files in the order of their names.
        manualChunks: (id) => {
          if (/\/app\/(index\.html|main\.tsx|pages\/home\.tsx)$/.test(id)) return 'home';
          const [, name] = /\/docs\/(.+)\.md$/.exec(id) ?? [];
          return name === undefined ? undefined : `manual/${name}`;
        },
      },
    },
  },
  server: {
    proxy: { '/admin': process.env.ROLLGATE_URL ?? 'http://127.0.0.1:8080' },
  },
});
