import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { HELP } from '../../plugins/dashboard/app/help.js';
import { buildSite, siteFolder, useDashboardGateway } from '../support/dashboard.js';

const folder = siteFolder();

const gateway = useDashboardGateway(folder);

beforeAll(() => buildSite(folder));

const filesOf = (ending: RegExp): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => ending.test(name));

const gzipped = (name: string): number => gzipSync(readFileSync(join(folder, name))).length;

/** The address of the file that the home page needs first. */
const first = (): string => {
  const [file = '', ...others] = filesOf(/assets.index-[\w-]+\.js$/);
  expect(others).toEqual([]);
  return `/dashboard/${file}`;
};

const get = async (path: string): Promise<Response> => {
  const { url } = await gateway.open();
  return fetch(url + path, { redirect: 'manual' });
};

describe('the built site', () => {
  it('is under 170 kB gzipped, all pages included', () => {
    // Documents are read one at a time, in a tab of their own, and are as long as they need to be.
    const files = filesOf(/\.(js|css|html|svg)$/).filter((name) => !name.includes('/manual/'));
    const bytes = files.reduce((sum, name) => sum + gzipped(name), 0);
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(170_000);
  });

  it.each(HELP.map(([section]) => section))('has the document of %s', (section) => {
    const [name] = section.split('#');
    expect(filesOf(new RegExp(`assets.manual.${name}-[\\w-]{8}\\.js$`))).toHaveLength(1);
  });

  it('loads pages when they are opened', () => {
    expect(filesOf(/\.js$/).length).toBeGreaterThan(7);
  });

  it('loads one file besides the page for what the home page shows first, under 55 kB', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const tags = page.match(/<(script|style|link rel="(?:stylesheet|modulepreload))[^>]*>/g);
    expect(tags).toEqual([
      `<script type="module" crossorigin src="${first()}">`,
      '<style>',
      '<script>',
    ]);
    const file = first().replace('/dashboard/', '');
    expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/(?:from|import)"\.\//);
    expect(gzipped('index.html') + gzipped(file)).toBeLessThan(55_000);
  });

  it('contains nothing that the policy refuses', () => {
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).not.toMatch(/\sstyle=|\son\w+=/);
    for (const name of filesOf(/\.js$/)) {
      const code = readFileSync(join(folder, name), 'utf8');
      expect({ name, found: /\beval\(|new Function\(/.exec(code) }).toEqual({ name, found: null });
    }
  });
});

describe('the gateway', () => {
  it('redirects / to the dashboard', async () => {
    const response = await get('/');
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/dashboard/');
  });

  it.each(['/dashboard/', '/dashboard/t/acme/users', '/dashboard/sign-in'])(
    'serves the application at %s, under a strict policy',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe|data:|\*/);
      expect(response.headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('allows what the page has inline by hash, and names the files that it needs first', async () => {
    const { headers } = await get('/dashboard/');
    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    for (const tag of ['script', 'style']) {
      const [, text = ''] = new RegExp(`<${tag}>(.+?)</${tag}>`, 's').exec(page) ?? [];
      const hash = createHash('sha256').update(text).digest('base64');
      expect(headers.get('content-security-policy')).toContain(
        `; ${tag}-src 'self' 'sha256-${hash}'`,
      );
    }
    expect(headers.get('link')).toBe(`<${first()}>; rel=modulepreload`);
  });

  it('lets browsers keep files whose names change with their content', async () => {
    const response = await get(first());
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });
});
