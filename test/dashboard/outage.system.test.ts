import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type CutProxy, openCutProxy, throughProxy } from '../support/cut-proxy.js';
import {
  buildSite,
  HAS_CHROMIUM,
  siteFolder,
  useBrowser,
  useDashboardGateway,
  VIEWS,
  Visitor,
} from '../support/dashboard.js';

const folder = siteFolder();

let proxy: CutProxy;
const gateway = useDashboardGateway(folder, (uri) => ({
  ROLLGATE_MONGODB_URI: throughProxy(uri, proxy),
}));
const browser = useBrowser();
let visitor: Visitor;
let url: string;
let at: string;

const MESSAGE = 'This page retries and updates by itself.';
const ERRORS = ['/admin/v1/session', '/admin/v1/sign-in', '/admin/v1/tenants?limit=500'];

describe.skipIf(!HAS_CHROMIUM)('while the database is away', () => {
  beforeAll(async () => {
    await buildSite(folder);
    const { hostname, port } = new URL(inject('mongodbUri'));
    proxy = await openCutProxy({ host: hostname, port: Number(port) });
    ({ url } = await gateway.open());
    const tenant = await gateway.tenant({ name: 'Northwind Rescue' });
    at = `/t/${tenant.slug}`;
    visitor = await Visitor.open(await browser(), url, VIEWS[0]);
    for (const address of [...ERRORS, '&limit=50', '&limit=100', '/role-mappings?limit=500'])
      visitor.expectErrorOf(address);
    await visitor.signIn();
  });

  afterAll(async () => {
    await visitor.close();
    proxy.restore();
    await gateway.stop();
    await proxy.close();
  });

  it('a page says so, and shows its content when the database is back', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users`);
    proxy.cut();
    await page.getByRole('link', { name: 'Rooms', exact: true }).click();
    await page.getByRole('status').getByText(MESSAGE).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await visitor.picture('outage');
    await visitor.expectFlawless('the outage');
    proxy.restore();
    await page.getByText('No rooms yet').waitFor();
    await page.getByText(MESSAGE).waitFor({ state: 'detached' });
    await visitor.expectFlawless('the page');
  });

  it('a reload keeps the session', async () => {
    const { page } = visitor;
    await visitor.visit(`${at}/users`);
    proxy.cut();
    await page.reload();
    await page.getByRole('status').getByText(MESSAGE).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Waiting for the gateway' }).waitFor();
    await visitor.expectFlawless('the reload');
    expect(new URL(page.url()).pathname).toBe(`/dashboard${at}/users`);
    proxy.restore();
    await page.getByText('No users yet').waitFor();
    await page.getByText(MESSAGE).waitFor({ state: 'detached' });
    await visitor.expectFlawless('the page');
  });
});
