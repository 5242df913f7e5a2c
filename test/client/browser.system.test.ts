import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAS_CHROMIUM, useBrowser } from '../support/dashboard.js';
import { runBuilt } from '../support/built-gateway.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BUILT = join(ROOT, 'dist/src/client/index.js');
const folder = mkdtempSync(join(tmpdir(), 'rollgate-browser-'));
const openBrowser = useBrowser();

const PROGRAM = `
  import { createRollgateClient } from '${BUILT}';
  const rollgate = createRollgateClient({ baseUrl: location.origin, token: 'a-key' });
  const names = [];
  for await (const { email } of rollgate.list('/v1/{tenantSlug}/users', { path: { tenantSlug: 'acme' } }))
    names.push(email);
  document.title = names.join();
`;

/** Bundles a program that imports the built client, as a web application does. */
const bundle = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
  });
  return outputFiles[0]?.text ?? '';
};

// Builds the package if it is older than its sources.
beforeAll(() => runBuilt(['--version'], { cwd: folder }), 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the built rollgate/client', () => {
  it('is readable, imports nothing of Node.js, and has a source map with its sources', () => {
    const text = readFileSync(BUILT, 'utf8');
    expect(text).not.toMatch(/node:|\brequire\b/);
    expect(text.split('\n').length).toBeGreaterThan(200);
    const map = JSON.parse(readFileSync(`${BUILT}.map`, 'utf8')) as {
      readonly sources: readonly string[];
      readonly sourcesContent: readonly string[];
    };
    expect(map.sources).toContain('../../../src/client/client.ts');
    expect(map.sourcesContent).toHaveLength(map.sources.length);
  });

  it.skipIf(!HAS_CHROMIUM)('runs in a browser, bundled by esbuild', async () => {
    // Given a page with the program, on the server whose API it reads
    const script = await bundle();
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      if (!request.url?.startsWith('/v1/'))
        return response
          .setHeader('content-type', 'text/html')
          .end(`<!doctype html><script type="module">${script}</script>`);
      seen.push(request.headers.authorization);
      return response
        .setHeader('content-type', 'application/json')
        .end('{"users":[{"email":"ada@example.com"}],"total":1,"limit":100,"offset":0}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { readonly port: number };

    // When a browser opens it
    const page = await (await openBrowser()).newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.waitForFunction("document.title !== ''").catch(() => undefined);

    // Then the program has read the API with the key
    expect([errors, await page.title(), seen]).toEqual([[], 'ada@example.com', ['Bearer a-key']]);
    await page.close();
    server.closeAllConnections();
    server.close();
  });
});
