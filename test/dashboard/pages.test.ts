import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  buildSite,
  HAS_CHROMIUM,
  useBrowser,
  useDashboardGateway,
  VIEWS,
  Visitor,
} from '../support/dashboard.js';
import { createDashboardWorld, type DashboardWorld } from '../support/dashboard-world.js';
import {
  createSettingsWorld,
  peopleFile,
  type SettingsWorld,
} from '../support/dashboard-settings.js';
import { useReceiver } from '../support/gateway.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-site-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const people = peopleFile(mkdtempSync(join(folder, 'people-')), 'tenant-1');
const receiver = useReceiver();
const gateway = useDashboardGateway(folder, () => ({
  ROLLGATE_CONFIG: people.config,
  ...receiver.env(),
  ROLLGATE_WEBHOOKS_RETRY: '10ms',
}));
const browser = useBrowser();
let world: DashboardWorld;
let settings: SettingsWorld;
let url: string;

const NOBODY = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';

/** Every page, by its address; `$` is the tenant's. */
const PAGES: readonly (readonly [name: string, path: () => string])[] = [
  ['home', () => '$'],
  ['users', () => '$/users'],
  ['user', () => `$/users/${world.ada}?room=${world.dispatch}`],
  ['no such user', () => `$/users/${NOBODY}`],
  ['users, none found', () => '$/users?q=zzzz'],
  ['rooms', () => '$/rooms'],
  ['room', () => `$/rooms/${world.dispatch}?user=${world.ada}`],
  ['log', () => '$/log'],
  ['log entry', () => `$/log/${world.refusal}`],
  ['live', () => '$/live'],
  ['requests', () => '$/requests'],
  ['identity provider', () => '$/setup?provider=okta'],
  ['directory roles', () => '$/admin/security/sso/directory-roles'],
  ['system', () => '/system'],
  ['operators', () => '/operators'],
  ['groups', () => '$/groups'],
  ['group', () => `$/groups/${settings.group}`],
  ['sms lists', () => '$/sms-lists'],
  ['sms list', () => `$/sms-lists/${settings.smsList}`],
  ['sms recipients', () => `$/sms-lists/${settings.smsList}?at=2026-11-22T12:00`],
  ['sms import', () => `$/sms-lists/${settings.smsList}?import=1`],
  ['connectors', () => '$/connectors'],
  ['connector', () => '$/connectors/hr'],
  ['held run', () => `$/connectors/hr?run=${settings.heldRun}`],
  ['events', () => '$/events'],
  ['api keys', () => '$/settings/api-keys'],
  ['webhooks', () => '$/settings/webhooks'],
  ['webhook', () => `$/settings/webhooks/${settings.webhook}`],
  ['paused webhook', () => `$/settings/webhooks/${settings.paused}`],
  ['delivery', () => `$/settings/webhooks/${settings.webhook}?delivery=${settings.delivery}`],
  ['no such page', () => '$/nothing'],
];

describe.skipIf(!HAS_CHROMIUM)('every page', () => {
  beforeAll(async () => {
    await buildSite(folder);
    await receiver.open();
    world = await createDashboardWorld(gateway);
    settings = await createSettingsWorld(gateway, world.tenant, { receiver, people });
    ({ url } = await gateway.open());
  });

  describe.each(VIEWS)('in $name', (view) => {
    let visitor: Visitor;

    beforeAll(async () => {
      visitor = await Visitor.open(await browser(), url, view);
      visitor.expectErrorOf('/admin/v1/session');
      visitor.expectErrorOf(NOBODY);
    });

    afterAll(() => visitor.close());

    it('sign-in is flawless', async () => {
      await visitor.page.goto(`${url}/`);
      await visitor.page.getByLabel('Admin token').waitFor();
      await visitor.expectFlawless('sign-in');
      await visitor.picture(`sign-in ${view.name}`);
      await visitor.signIn();
    });

    it.each(PAGES)('%s is flawless', async (name, path) => {
      await visitor.visit(path().replace('$', `/t/${world.tenant.slug}`));
      await visitor.picture(`${name} ${view.name}`);
      await visitor.expectFlawless(name);
      await visitor.expectNoSidewaysScroll(name);
      expect(await visitor.page.evaluate('"hacked" in globalThis')).toBe(false);
    });
  });
});
