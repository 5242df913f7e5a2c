import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, expect, inject } from 'vitest';
import { connectors } from '../../plugins/connectors/index.js';
import { notifications } from '../../plugins/notifications/index.js';
import { createDashboard } from '../../plugins/dashboard/index.js';
import { webhooks } from '../../plugins/webhooks/index.js';
import { connect } from '../../src/store/connect.js';
import { collectionsOf } from '../../src/store/tables/collections.js';
import { ADMIN_TOKEN, TestGateway } from './gateway.js';

const MINUTE = 60_000;

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const HAS_CHROMIUM = existsSync(CHROMIUM);
if (!HAS_CHROMIUM) console.warn(`Skipped: tests in a browser need ${CHROMIUM}.`);

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const VITE = join(
  dirname(createRequire(import.meta.url).resolve('vite/package.json')),
  'bin/vite.js',
);

/** The folder of the site, which the files of a run share. */
export const siteFolder = (): string => join(inject('runFolder'), 'site');

/** Builds the site, unless a file of this run has; in a process of its own, which the build gives its environment. */
export const buildSite = async (folder: string): Promise<void> => {
  if (existsSync(folder)) return;
  const draft = await mkdtemp(`${folder}-`);
  const config = pathOf('plugins/dashboard/vite.config.js');
  const words = [VITE, 'build', '--config', config, '--outDir', draft, '--logLevel', 'error'];
  await promisify(execFile)(process.execPath, words);
  // A file that runs in parallel may have been faster.
  await rename(draft, folder).catch((error: unknown) => {
    if (!existsSync(folder)) throw error;
  });
};

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

export const VIEWS = [
  { name: 'light desktop', colorScheme: 'light', viewport: { width: 1360, height: 850 } },
  { name: 'dark desktop', colorScheme: 'dark', viewport: { width: 1360, height: 850 } },
  { name: 'light phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'dark phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

export type View = (typeof VIEWS)[number];

/** A browser window at a gateway, with everything that went wrong in it. */
export class Visitor {
  readonly #faults: string[] = [];
  /** Parts of addresses that answer with an error, which browsers report. */
  readonly #expected: string[] = [];

  private constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    private readonly base: string,
  ) {
    page.on('pageerror', (error) => this.#faults.push(`error: ${error.message}`));
    page.on('console', (message) => {
      const { url } = message.location();
      if (
        !['error', 'warning'].includes(message.type()) ||
        this.#expected.some((path) => url.includes(path))
      )
        return;
      this.#faults.push(`console: ${message.text()} (${url})`);
    });
  }

  static async open(browser: Browser, base: string, view: View): Promise<Visitor> {
    const context = await browser.newContext({
      colorScheme: view.colorScheme,
      viewport: view.viewport,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      permissions: ['clipboard-read', 'clipboard-write'],
      // The authority of tests is not installed.
      ignoreHTTPSErrors: true,
    });
    const page = await context.newPage();
    return new Visitor(page, context, base);
  }

  /** Signs in by the admin token. */
  async signIn(): Promise<void> {
    await this.page.goto(`${this.base}/`);
    await this.signInHere();
  }

  /** Signs in on the page that asks for it. */
  async signInHere(): Promise<void> {
    await this.page.getByLabel('Admin token').fill(ADMIN_TOKEN);
    await this.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await this.page.locator('.shell').waitFor();
  }

  /** Signs in by a one-time link. */
  async signInBy(link: string): Promise<void> {
    await this.page.goto(link);
    await this.page.getByRole('button', { name: 'Continue' }).click();
    await this.page.locator('.shell').waitFor();
  }

  /** Proves again who they are, in the dialog that asks for it. */
  async confirmByToken(dialog: Locator, button = 'Confirm'): Promise<void> {
    await dialog.getByLabel('Admin token').fill(ADMIN_TOKEN);
    await dialog.getByRole('button', { name: button }).click();
  }

  /** Makes every session older, as if the last proof of identity was 16 minutes ago. */
  async ageSessions(databaseUri: string): Promise<void> {
    const client = await connect(databaseUri);
    const { operatorSessions } = collectionsOf(client);
    const authenticatedAt = new Date(Date.now() - 16 * MINUTE);
    await operatorSessions.updateMany({}, { $set: { authenticatedAt } });
    await client.close();
    // The gateway keeps a session in memory for less than a second.
    await expect
      .poll(async () => {
        const read = await this.context.request.get(`${this.base}/admin/v1/session`);
        return Date.parse(((await read.json()) as { step_up_until: string }).step_up_until);
      })
      .toBeLessThan(Date.now());
  }

  /** Opens an address below `/dashboard` and waits until it shows what it read. */
  async visit(path: string): Promise<void> {
    await this.page.goto(`${this.base}/dashboard${path}`);
    await this.settle();
  }

  /** Previews a new role mapping, and returns its dialog. */
  async previewMapping(
    tenantPath: string,
    { group, priority }: { readonly group: string; readonly priority: number },
  ): Promise<Locator> {
    await this.visit(`${tenantPath}/admin/security/sso/directory-roles`);
    await this.page.getByRole('button', { name: 'New mapping' }).click();
    const dialog = this.page.getByRole('dialog', { name: 'New role mapping' });
    await dialog.getByLabel('Group in the identity provider').fill(group);
    await dialog.getByLabel('Role of its members').fill('responder');
    await dialog.getByLabel('Priority').fill(String(priority));
    await dialog.getByRole('button', { name: 'Preview' }).click();
    return dialog;
  }

  /** Takes a line of a menu of actions. */
  async choose(menu: string | RegExp, item: string): Promise<void> {
    await this.page.getByRole('button', { name: menu }).click();
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }

  /** Opens Help in another tab; expects the document there, and its section on the screen. */
  async openHelp(document: string, section = document): Promise<Page> {
    const opening = this.context.waitForEvent('page');
    await this.page.getByRole('link', { name: 'Help', exact: true }).click();
    const help = await opening;
    await help.getByRole('heading', { name: document, level: 1 }).waitFor();
    const heading = help.getByRole('heading', { name: section, exact: true });
    const { height } = help.viewportSize()!;
    await expect
      .poll(async () => (await heading.boundingBox())?.y)
      .toSatisfy((y: number | undefined) => y !== undefined && y >= 0 && y < height);
    return help;
  }

  /** From now on, an error of this address is no fault. */
  expectErrorOf(path: string): void {
    this.#expected.push(path);
  }

  /** Until nothing loads. */
  async settle(): Promise<void> {
    await this.page.locator('h1').first().waitFor();
    await expect.poll(() => this.page.locator('.skeleton, .is-stale').count()).toBe(0);
  }

  /** Expects no axe violation, no policy report and no console error since the last call. */
  async expectFlawless(where: string): Promise<void> {
    await this.page.evaluate(AXE);
    const violations = await this.page.evaluate(async (tags) => {
      const { axe } = globalThis as unknown as {
        axe: { run: (options: object) => Promise<{ violations: Violation[] }> };
      };
      return (await axe.run({ runOnly: tags, resultTypes: ['violations'] })).violations;
    }, RULES);
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`),
    );
    expect.soft({ where, violations: found, faults: this.#faults.splice(0) }).toEqual({
      where,
      violations: [],
      faults: [],
    });
  }

  /** Nothing is wider than the window, and no table than its frame. */
  async expectNoSidewaysScroll(where: string): Promise<void> {
    // As text, because the tests are compiled without the types of browsers.
    // A gutter for the scrollbar makes the content narrower than the window.
    const beyond = await this.page.evaluate<number>(
      'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
    );
    const tables = await this.page.evaluate<number>(
      "[...document.querySelectorAll('.table-frame')].filter((one) => one.scrollWidth > one.clientWidth).length",
    );
    expect.soft({ where, beyond, tables }).toEqual({ where, beyond: 0, tables: 0 });
  }

  /** A picture for people, if DASHBOARD_PICTURES names a folder. */
  async picture(name: string): Promise<void> {
    const folder = process.env['DASHBOARD_PICTURES'];
    if (folder === undefined) return;
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, '-')}.png`) });
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

/** A browser for the calling file; `flags` is called when it starts. */
export const useBrowser = (flags: () => readonly string[] = () => []) => {
  let browser: Browser | undefined;
  afterAll(() => browser?.close());
  return async (): Promise<Browser> =>
    (browser ??= await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags()] }));
};

/** A gateway whose dashboard was built into this folder; `env` returns further settings. */
export const useDashboardGateway = (
  folder: string,
  env: (databaseUri: string) => Record<string, string> = () => ({}),
): TestGateway =>
  TestGateway.use(env, {
    builtIns: [webhooks, connectors, notifications, createDashboard(() => folder)],
  });
