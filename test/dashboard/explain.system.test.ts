import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  buildSite,
  HAS_CHROMIUM,
  siteFolder,
  useBrowser,
  useDashboardGateway,
  VIEWS,
  Visitor,
} from '../support/dashboard.js';
import { createResource, type TestTenant } from '../support/gateway.js';
import { logged } from '../support/logged.js';
import { GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

const folder = siteFolder();
const gateway = useDashboardGateway(folder);
const browser = useBrowser();

let tenant: TestTenant;
let visitor: Visitor;
let at: string;

const createUser = (userName: string, displayName: string) =>
  createResource(tenant.scim, '/Users', { schemas: [USER_URN], userName, displayName });
/** Sends what is refused; resolves when the log has it. */
const push = async (path: string, body: object) =>
  logged(gateway, tenant.slug, await tenant.scim('POST', path, body));
const pushGroup = (displayName: string, ...members: readonly string[]) =>
  push('/Groups', {
    schemas: [GROUP_URN],
    displayName,
    members: members.map((value) => ({ value })),
  });

describe.skipIf(!HAS_CHROMIUM)('why a user is not in a room', () => {
  beforeAll(() => buildSite(folder));

  beforeEach(async () => {
    tenant = await gateway.tenant({ seat_capacity: 2 });
    at = `/t/${tenant.slug}`;
    visitor = await Visitor.open(await browser(), (await gateway.open()).url, VIEWS[0]);
    visitor.expectErrorOf('/admin/v1/session');
    await visitor.signIn();
  });

  afterEach(() => visitor.close());

  /** Searches for the text and opens the result. */
  const search = async (text: string, result: RegExp) => {
    const { page } = visitor;
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    await page.getByRole('option', { name: result }).click();
  };

  /** Presses the button of a remedy and confirms. */
  const remedy = async (name: RegExp) => {
    const { page } = visitor;
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  const askOnUserPage = async (id: string, room: string, result: RegExp) => {
    const { page } = visitor;
    await visitor.visit(`${at}/users/${id}`);
    await page.getByRole('combobox', { name: 'Room' }).fill(room);
    await page.getByRole('option', { name: result }).click();
  };

  it('is that all seats are taken: the search finds the refused request by the name', async () => {
    await createUser('first@example.com', 'First');
    await createUser('second@example.com', 'Second');
    await push('/Users', {
      schemas: [USER_URN],
      userName: 'al@example.com',
      displayName: 'Ada Lovelace',
    });
    await visitor.visit(at);
    await search('lovelace', /Create the user "al@example.com".*Refused on/);
    const { page } = visitor;
    const answer = page.getByRole('region', { name: 'Which role does al@example.com have?' });
    await answer.getByText('Seats in use now: 2 of 2.').waitFor();
    await visitor.picture('explain never created');
    await visitor.expectFlawless('the refused request');
    await remedy(/Raise the seats to 3/);
    await answer.getByText('Seats in use now: 2 of 3.').waitFor();
  });

  it('is that the group was refused: the page creates its room', async () => {
    const ada = await createUser('ada@example.com', 'Ada Lovelace');
    await pushGroup('Night watch', ada);
    await askOnUserPage(ada, 'Night watch', /“Night watch”/);
    const { page } = visitor;
    await page.getByText('No room is named "Night watch".').waitFor();
    await page.getByText('Affected: ada@example.com').first().waitFor();
    await visitor.picture('explain refused group');
    await visitor.expectFlawless('the refused group');
    await remedy(/Create the room Night watch/);
    await page.getByText('Never added to the room "Night watch".').waitFor();
  });

  it('is on the page of groups, until the room exists', async () => {
    await pushGroup('Night watch');
    const { page } = visitor;
    await visitor.visit(`${at}/groups`);
    await page
      .getByText('1 group was refused in the last 7 days: no room or role mapping has its name.')
      .click();
    await visitor.picture('refused group on groups');
    await visitor.expectFlawless('groups');
    await remedy(/Create the room Night watch/);
    await page.getByText('1 group was refused').waitFor({ state: 'detached' });
    await visitor.visit(`${at}/rooms`);
    await page.getByRole('link', { name: 'Night watch' }).waitFor();
    await visitor.expectFlawless('the room');
  });

  it('is on the home page, with a form for every way out', async () => {
    const operator = await gateway.operator();
    await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Depot' });
    for (const name of ['Quay', 'Night watch', 'All staff']) await pushGroup(name);
    await visitor.visit(at);
    const { page } = visitor;
    const attention = page.getByRole('list', { name: 'What needs attention' });
    await attention.getByText('3 groups were refused in the last 7 days').waitFor();
    const ways = (name: string) =>
      attention.locator('.explanation-action', { has: page.getByRole('link', { name }) });
    const open = async (group: string, way: RegExp) => {
      await ways(group).getByRole('button', { name: way }).click();
      return page.getByRole('dialog');
    };
    await ways('Quay').waitFor();
    await visitor.picture('refused groups');
    await visitor.expectFlawless('the refused groups');
    const room = await open('Quay', /Map to a room/);
    await room.getByRole('combobox', { name: 'Room' }).fill('Depot');
    await room.getByRole('option', { name: /Depot/ }).click();
    await visitor.picture('refused group to a room');
    await room.getByRole('button', { name: 'Map Depot' }).click();
    await attention.getByText('2 groups were refused').waitFor();
    const role = await open('Night watch', /Map to a role/);
    expect(await role.getByLabel('Group in the identity provider').inputValue()).toBe(
      'Night watch',
    );
    await role.getByLabel('Role of its members').fill('watch');
    await role.getByRole('button', { name: 'Preview' }).click();
    await role.getByRole('button', { name: /Save/ }).click();
    await attention.getByText('One group was refused').waitFor();
    const ignored = await open('All staff', /Ignore/);
    await visitor.picture('ignore a refused group');
    await ignored.getByRole('button', { name: 'Ignore All staff' }).click();
    await attention.getByText('refused in the last 7 days').waitFor({ state: 'detached' });
    await visitor.visit(`${at}/admin/security/sso/directory-roles`);
    await page.getByRole('row', { name: /All staff.*Off/ }).waitFor();
    await visitor.expectFlawless('the ignored group');
  });

  it('is that a similar group was refused: the page maps the room', async () => {
    const ada = await createUser('ada@example.com', 'Ada Lovelace');
    const operator = await gateway.operator();
    await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    await pushGroup('dispatch-team', ada);
    await askOnUserPage(ada, 'Dispatch', /^Dispatch/);
    const { page } = visitor;
    await page.getByText('tried to create the group "dispatch-team"').first().waitFor();
    await visitor.expectFlawless('the similar group');
    await visitor.picture('explain similar group');
    await remedy(/Map Dispatch to a group/);
    await page.getByText('is mapped to the SCIM group "dispatch-team"').waitFor();
  });

  it('is that there is no such room: the page names a similar one', async () => {
    const ada = await createUser('ada@example.com', 'Ada Lovelace');
    const operator = await gateway.operator();
    await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    await askOnUserPage(ada, 'Dispach', /“Dispach”/);
    const { page } = visitor;
    await page.getByText('The room "Dispatch" has a similar name.').waitFor();
    await visitor.picture('explain no room');
  });

  it('reads from left to right, whatever is in a name', async () => {
    const ada = await createUser('ada@example.com', 'Ada \u202eLovelace');
    await askOnUserPage(ada, 'Dispatch', /“Dispatch”/);
    const answer = visitor.page.locator('.explanation');
    await answer.getByText('Why is Ada Lovelace (ada@example.com) not in').waitFor();
    await answer.getByText('Ada Lovelace (ada@example.com) is active.').waitFor();
  });

  it('is that the user is inactive: the page reactivates', async () => {
    const ada = await createUser('ada@example.com', 'Ada Lovelace');
    const operator = await gateway.operator();
    await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: 'Dispatch' });
    await pushGroup('Dispatch', ada);
    await tenant.scim('PATCH', `/Users/${ada}`, {
      schemas: [PATCH_URN],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    });
    await askOnUserPage(ada, 'Dispatch', /^Dispatch/);
    const { page } = visitor;
    await page.getByText('the user cannot sign in. The user is still a member').waitFor();
    await visitor.picture('explain inactive');
    await remedy(/Reactivate the user/);
    await page.getByText('Added to the room "Dispatch" by the API key').waitFor();
  });

  it('is found from the search, as are actions and all results', async () => {
    const operator = await gateway.operator();
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8])
      await createResource(operator, `/tenants/${tenant.slug}/rooms`, { name: `Watch ${number}` });
    await visitor.visit(at);
    const { page } = visitor;
    await search('watch', /Show all results/);
    await page.getByRole('option', { name: /Watch 8/ }).waitFor();
    await visitor.picture('search all results');
    await page.getByRole('group', { name: 'Rooms' }).getByRole('option').nth(7).waitFor();
    await visitor.expectFlawless('all results');
    await page.getByRole('combobox', { name: 'Search' }).fill('create room');
    await page.getByRole('option', { name: /Create room/ }).click();
    await page.getByRole('dialog', { name: 'Create room' }).waitFor();
  });

  it('is asked by people who type before the search has been loaded', async () => {
    await visitor.visit(at);
    const { page } = visitor;
    let release: () => void = () => undefined;
    const isTyped = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/shared-*.js', async (route) => {
      await isTyped;
      await route.continue();
    });
    await page.reload({ waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('create ');
    release();
    const field = page.getByRole('combobox', { name: 'Search' });
    await field.waitFor();
    await page.keyboard.type('room');
    expect(await field.inputValue()).toBe('create room');
  });
});
