import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HAS_CHROMIUM, useBrowser, VIEWS, Visitor } from '../support/dashboard.js';
import { useSettingsGateway } from '../support/dashboard-settings.js';
import { createResource, type TestTenant } from '../support/gateway.js';
import { USER_URN } from '../support/scim-urns.js';

const site = useSettingsGateway();
const { gateway } = site;
const browser = useBrowser();
let tenant: TestTenant;
let visitor: Visitor;

describe.skipIf(!HAS_CHROMIUM)('an operator', () => {
  beforeAll(async () => {
    await site.prepare();
    tenant = await gateway.tenant({ name: 'Northwind Rescue' });
  });

  beforeEach(async () => {
    const { url } = await gateway.open();
    visitor = await Visitor.open(await browser(), url, VIEWS[0]);
    visitor.expectErrorOf('/admin/v1/session');
    await visitor.signIn();
  });

  afterEach(() => visitor.close());

  it('declares attributes, gives a user values, and removes an attribute', async () => {
    const { page } = visitor;
    const urn = `urn:ietf:params:scim:schemas:extension:${tenant.slug}:2.0:User`;
    const id = await createResource(tenant.scim, '/Users', {
      schemas: [USER_URN],
      userName: 'ada@example.com',
      displayName: 'Ada',
    });
    await visitor.visit(`/t/${tenant.slug}/settings/tenant`);
    const add = async (
      name: string,
      fill: (dialog: ReturnType<typeof page.getByRole>) => Promise<void>,
    ) => {
      await page.getByRole('button', { name: 'Add attribute' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add attribute' });
      await dialog.getByLabel('Name').fill(name);
      await fill(dialog);
      await visitor.expectFlawless(`the dialog for ${name}`);
      await dialog.getByRole('button', { name: 'Add attribute' }).click();
      await page.getByRole('listitem').filter({ hasText: name }).waitFor();
    };
    await add('level', async (dialog) => {
      await dialog.getByLabel('Type').selectOption('integer');
      await dialog.getByLabel('Required for new users').check();
    });
    await add('region', async (dialog) => {
      await dialog.getByLabel('Allowed values').fill('North, South');
      await dialog.getByLabel('Several values').check();
    });
    await visitor.picture('schema extension');
    await visitor.expectFlawless('the attributes');
    const { body: schema } = await tenant.scim('GET', `/Schemas/${urn}`);
    expect(schema).toMatchObject({
      attributes: [
        { name: 'level', type: 'integer', required: true },
        { name: 'region', multiValued: true, canonicalValues: ['North', 'South'] },
      ],
    });

    // Another operator adds one meanwhile.
    await page.getByRole('button', { name: 'Edit level' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit level' });
    const operator = await gateway.operator();
    const path = `/tenants/${tenant.slug}/schema-extension`;
    const read = async () =>
      (await operator<{ attributes: readonly object[] }>('GET', path)).body.attributes;
    await operator('PUT', path, { attributes: [...(await read()), { name: 'team' }] });
    await edit.getByLabel('Description').fill('Of training');
    await edit.getByRole('button', { name: 'Save changes' }).click();
    await edit.getByText('Another operator has changed the attributes.').waitFor();
    await visitor.expectFlawless('the conflict');
    await page.locator('li').filter({ hasText: 'team' }).waitFor();
    await edit.getByRole('button', { name: 'Save changes' }).click();
    await edit.waitFor({ state: 'detached' });
    expect(await read()).toMatchObject([
      { name: 'level', description: 'Of training' },
      { name: 'region' },
      { name: 'team' },
    ]);

    await visitor.visit(`/t/${tenant.slug}/users/${id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const values = page.getByRole('dialog', { name: 'Edit Ada' });
    visitor.expectErrorOf(`/users/${id}`);
    await values.getByLabel('level').fill('4O2');
    await values.getByRole('button', { name: 'Save changes' }).click();
    expect(await values.locator('input:invalid').count()).toBe(1);
    await values.getByLabel('level').fill('3');
    await values.getByLabel('region').fill('West');
    await values.getByRole('button', { name: 'Save changes' }).click();
    await values.getByText('must be one of North, South').waitFor();
    await values.getByLabel('region').fill('North, South');
    await values.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('North, South', { exact: true }).waitFor();
    await visitor.expectFlawless('the user');
    const { body: user } = await tenant.scim('GET', `/Users/${id}`);
    expect(user).toMatchObject({ [urn]: { level: 3, region: ['North', 'South'] } });

    await visitor.visit(`/t/${tenant.slug}/settings/tenant`);
    await page.getByRole('button', { name: 'Remove region' }).click();
    await page.getByRole('button', { name: 'Remove attribute region' }).click();
    await page.getByRole('button', { name: 'Remove region' }).waitFor({ state: 'detached' });
    const { body: after } = await tenant.scim('GET', `/Users/${id}`);
    expect(after).toMatchObject({ [urn]: { level: 3 } });
    expect(JSON.stringify(after)).not.toContain('North');
  });

  it('creates and edits a user, and sees the profile as it was sent', async () => {
    const { page } = visitor;
    const custom = { attributes: [{ name: 'callSign' }] };
    const other = await gateway.tenant({ name: 'Southwind Rescue' });
    const operator = await gateway.operator();
    await operator('PUT', `/tenants/${other.slug}/schema-extension`, custom);

    await visitor.visit(`/t/${other.slug}/users`);
    await page.getByRole('button', { name: 'Create user' }).click();
    const create = page.getByRole('dialog', { name: 'Create user' });
    await create.getByLabel('Email').fill('grace@example.com');
    await create.getByLabel('Display name').fill('Grace');
    await create.getByLabel('External ID').fill('HR-1906');
    await create.getByLabel('callSign').fill('Delta 1');
    await visitor.picture('create user');
    await visitor.expectFlawless('the form of a new user');
    await create.getByRole('button', { name: 'Create user' }).click();
    await page.getByRole('heading', { name: 'Grace', level: 1 }).waitFor();
    await page.getByText('Delta 1', { exact: true }).waitFor();

    // Then an identity provider sends more of the same user.
    const id = page.url().split('/').at(-1) ?? '';
    await other.scim('PATCH', `/Users/${id}`, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [
        {
          op: 'add',
          value: {
            title: 'Medic',
            phoneNumbers: [{ value: '+49 171 1234567', type: 'work' }],
            'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Field' },
          },
        },
      ],
    });
    await page.reload();
    const profile = page.getByRole('region', { name: 'Profile' });
    for (const text of ['Medic', /^enterprise\.\W*department$/, 'Field'])
      await profile.getByText(text, { exact: true }).waitFor();
    expect(await profile.textContent()).not.toContain('1234567');

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const edit = page.getByRole('dialog', { name: 'Edit Grace' });
    expect(await edit.getByLabel('External ID').count()).toBe(0);
    await edit.getByLabel('Display name').fill('Grace Hopper');
    await edit.getByLabel('callSign').fill('');
    await edit.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('heading', { name: 'Grace Hopper', level: 1 }).waitFor();
    await visitor.picture('user with a profile');
    await visitor.expectFlawless('the user with a profile');
    const { body } = await operator('GET', `/tenants/${other.slug}/users/${id}`);
    expect(body).toMatchObject({
      email: 'grace@example.com',
      display_name: 'Grace Hopper',
      external_id: 'HR-1906',
      custom: {},
    });
  });
});
