import { expect, it } from 'vitest';
import { createResource, TestGateway } from '../support/gateway.js';
import { eventually } from '../support/eventually.js';
import { PATCH_URN, USER_URN } from '../support/scim-urns.js';

const gateway = TestGateway.use();

interface Progress {
  readonly steps: readonly { readonly id: string; readonly state: string }[];
}

it('the steps of connecting an identity provider are ticked off as it sends requests', async () => {
  // Given a tenant with a key that was never used
  const operator = await gateway.operator();
  const tenant = await gateway.tenant();
  const path = `/tenants/${tenant.slug}/setup?key_id=${tenant.keyId}`;
  const states = async () => {
    const { body } = await operator<Progress>('GET', path);
    return Object.fromEntries(body.steps.map(({ id, state }) => [id, state]));
  };
  expect(await states()).toEqual({
    key: 'done',
    first_request: 'waiting',
    test_user_lookup: 'waiting',
    first_user: 'waiting',
    first_group: 'waiting',
    deactivation: 'waiting',
  });
  // When the provider tests the connection, it is seen at once
  await tenant.scim('GET', '/Users?filter=userName%20eq%20%22test%22');
  await eventually(async () =>
    expect(await states()).toMatchObject({ first_request: 'done', test_user_lookup: 'done' }),
  );
  // And when it creates a user, and pushes a group without a room
  const user = await createResource(tenant.scim, '/Users', {
    schemas: [USER_URN],
    userName: 'ada@example.com',
  });
  await tenant.scim('POST', '/Groups', { displayName: 'Nowhere' });
  await eventually(async () =>
    expect(await states()).toMatchObject({ first_user: 'done', first_group: 'failed' }),
  );
  const { body } = await operator('GET', path);
  expect(body).toMatchObject({
    scim_url: expect.stringContaining(`/v1/${tenant.slug}/scim/v2`) as string,
    provider: null,
    last_error: { error: 'ROOM_NOT_FOUND' },
  });
  await tenant.scim('PATCH', `/Users/${user}`, {
    schemas: [PATCH_URN],
    Operations: [{ op: 'replace', path: 'active', value: false }],
  });
  expect(await states()).toMatchObject({ deactivation: 'done' });
  // Keys of other tenants are unknown
  const other = await gateway.tenant();
  const wrong = await operator('GET', `/tenants/${other.slug}/setup?key_id=${tenant.keyId}`);
  expect(wrong.body).toMatchObject({ error: 'API_KEY_NOT_FOUND' });
});

it('a step stays done, however many requests follow', async () => {
  // Given a key whose first request pushed a group that was refused, and the second one created a user
  const operator = await gateway.operator();
  const tenant = await gateway.tenant();
  await tenant.scim('POST', '/Groups', { displayName: 'Nowhere' });
  const user = await createResource(tenant.scim, '/Users', {
    schemas: [USER_URN],
    userName: 'ada@example.com',
  });
  // When it sends more than are examined
  const Operations = Array.from({ length: 600 }, (_, at) => ({
    method: 'PATCH',
    path: `/Users/${user}`,
    data: {
      schemas: [PATCH_URN],
      Operations: [{ op: 'replace', path: 'displayName', value: `Ada ${at}` }],
    },
  }));
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'];
  expect((await tenant.scim('POST', '/Bulk', { schemas, Operations })).status).toBe(200);
  // Then both steps are shown as before
  const path = `/tenants/${tenant.slug}/setup?key_id=${tenant.keyId}`;
  const { body } = await operator<Progress>('GET', path);
  expect(body.steps).toMatchObject([
    {},
    {},
    {},
    { id: 'first_user', state: 'done', detail: 'Created the user: ada@example.com.' },
    { id: 'first_group', state: 'failed' },
    { id: 'deactivation', state: 'waiting' },
  ]);
});
