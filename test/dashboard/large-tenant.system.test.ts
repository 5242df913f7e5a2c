import { beforeAll, describe, expect, it } from 'vitest';
import type { TenantId, UserId } from '../../src/domain/kernel/ids.js';
import { connect } from '../../src/store/connect.js';
import { collectionsOf } from '../../src/store/tables/collections.js';
import { countBySegment, SEGMENTS, USER_SEGMENT } from '../../src/store/tables/segments.js';
import { toUserDocument } from '../../src/store/tables/users.js';
import { aUser, idOf } from '../support/builders.js';
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

let database = '';
const gateway = useDashboardGateway(folder, (uri) => {
  database = uri;
  return {};
});
const browser = useBrowser();

const USERS = 100_000;
const PART = 5_000;
/** A page that reads all users sends hundreds. */
const MAX_REQUESTS = 20;

/** Stores users without the pipeline, which would take minutes. */
const storeUsers = async (tenantId: TenantId): Promise<void> => {
  const client = await connect(database);
  const { users, tenantState } = collectionsOf(client);
  for (let from = 0; from < USERS; from += PART)
    await users.insertMany(
      Array.from({ length: PART }, (_, step) => {
        const at = from + step;
        const user = {
          ...aUser(at, { displayName: `User ${at}` }),
          id: idOf<UserId>(0x100_000 + at),
        };
        return toUserDocument({ ...user, tenantId }, at + 1);
      }),
      { ordered: false },
    );
  const numbers = Array.from({ length: USERS }, (_, at) => at + 1);
  const counts = {
    userCount: USERS,
    seatsProvisioned: USERS,
    [SEGMENTS]: countBySegment(USER_SEGMENT, { added: numbers }),
  };
  await tenantState.updateOne({ _id: tenantId }, { $set: counts }, { upsert: true });
  await client.close();
};

const PAGES = [
  ['home', '', `document.querySelector('main h1') && /100,?0/.test(document.body.innerText)`],
  ['users', '/users', `document.querySelectorAll('tbody tr').length > 20`],
] as const;

describe.skipIf(!HAS_CHROMIUM)('with 100,000 users in the tenant', () => {
  let slug: string;
  let url: string;

  beforeAll(async () => {
    await buildSite(folder);
    const tenant = await gateway.tenant({ name: 'Northwind Rescue', default_role: 'member' });
    const operator = await gateway.operator();
    const { body } = await operator<{ readonly id: TenantId }>('GET', `/tenants/${tenant.slug}`);
    await storeUsers(body.id);
    ({ url } = await gateway.open());
    ({ slug } = tenant);
  });

  it.each(PAGES)('the page %s is complete after a few requests', async (name, path, condition) => {
    const visitor = await Visitor.open(await browser(), url, VIEWS[0]);
    visitor.expectErrorOf('/admin/v1/session');
    await visitor.signIn();
    const requests: string[] = [];
    visitor.page.on('request', (sent) => {
      if (sent.url().includes('/admin/v1/')) requests.push(sent.url());
    });
    await visitor.visit(`/t/${slug}${path}`);
    await visitor.page.waitForFunction(condition);
    expect(requests.length).toBeLessThan(MAX_REQUESTS);
    await visitor.picture(`large ${name}`);
    await visitor.expectFlawless(name);
    await visitor.close();
  });
});
