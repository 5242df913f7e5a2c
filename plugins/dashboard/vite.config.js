import { fileURLToPath, URL } from 'node:url';
import process from 'node:process';
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

const fromRoot = (/** @type {string} */ path) =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** `npm run build` bundles the app; `npm run dev:dashboard` serves it in front of a gateway. */
export default defineConfig({
  root: fromRoot('plugins/dashboard/app'),
  base: '/dashboard/',
  cacheDir: fromRoot('node_modules/.cache/dashboard'),
  plugins: [preact({ prefreshEnabled: false, devToolsEnabled: false })],
  build: {
    outDir: fromRoot('dist/plugins/dashboard/site'),
    // Browsers may still load parts of the build before: scripts/build.js removes them a day later.
    emptyOutDir: false,
    target: 'es2022',
    cssTarget: 'esnext',
    // The policy allows files only, no `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: { '/admin': process.env.ROLLGATE_URL ?? 'http://127.0.0.1:8080' },
  },
});
