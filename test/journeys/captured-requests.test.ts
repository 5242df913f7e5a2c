import { expect, it } from 'vitest';
import { createResource, TestGateway } from '../support/gateway.js';
import { eventually } from '../support/eventually.js';
import { USER_URN } from '../support/scim-urns.js';

const gateway = TestGateway.use();

interface Captured {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

interface List {
  readonly requests: readonly Captured[];
  readonly next: string | null;
}

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const DAY_MS = 24 * 3_600_000;

/** As Okta creates a user. */
const OKTA_USER = {
  schemas: [USER_URN],
  userName: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ primary: true, value: 'ada@example.com', type: 'work' }],
  phoneNumbers: [{ primary: true, value: '+49 171 1234567', type: 'mobile' }],
  displayName: 'Ada Lovelace',
  locale: 'en-US',
  externalId: '00u1abcd2EFGH3ijk4l5',
  groups: [],
  password: 'correct-horse',
  active: true,
};
const OKTA = { 'user-agent': 'Okta SCIM Client 1.0.0', 'content-type': 'application/scim+json' };

const open = async () => {
  const operator = await gateway.operator();
  const tenant = await gateway.tenant();
  const at = `/tenants/${tenant.slug}`;
  return {
    operator,
    tenant,
    at,
    list: async (query = '') => (await operator<List>('GET', `${at}/requests${query}`)).body,
    enable: (enabled: boolean) => operator('PUT', `${at}/request-capture`, { enabled }),
  };
};

it('shows what an identity provider sent, without secrets, and replays it as a dry run', async () => {
  // Given a tenant that captures requests
  const { operator, tenant, at, list, enable } = await open();
  const before = Date.now();
  const enabled = await enable(true);
  expect(enabled).toMatchObject({ status: 200, body: { enabled: true } });
  const until = Date.parse(String(enabled.body['until']));
  expect(Math.abs(until - before - DAY_MS)).toBeLessThan(3_600_000);
  expect((await operator('GET', `${at}/request-capture`)).body).toEqual(enabled.body);
  // When Okta searches for a user and creates it
  await tenant.scim(
    'GET',
    '/Users?filter=userName%20eq%20%22ada%40example.com%22',
    undefined,
    OKTA,
  );
  const created = await tenant.scim('POST', '/Users', OKTA_USER, OKTA);
  expect(created.status).toBe(201);
  // Then both are listed, newest first
  const { requests } = await eventually(async () => {
    const found = await list();
    expect(found.requests).toHaveLength(2);
    return found;
  });
  expect(requests).toMatchObject([
    {
      method: 'POST',
      path: `/v1/${tenant.slug}/scim/v2/Users`,
      status: 201,
      key_id: tenant.keyId,
      user_agent: 'Okta SCIM Client 1.0.0',
      request_id: created.headers.get('x-request-id'),
      bytes: Buffer.byteLength(JSON.stringify(OKTA_USER)),
    },
    {
      method: 'GET',
      path: `/v1/${tenant.slug}/scim/v2/Users?filter=userName%20eq%20%22ada%40example.com%22`,
      status: 200,
    },
  ]);
  const first = await list('?limit=1');
  expect(first).toEqual({ requests: [requests[0]], next: expect.any(String) as string });
  const second = await list(`?limit=1&cursor=${first.next ?? ''}`);
  expect(second).toEqual({ requests: [requests[1]], next: null });
  // And neither the key, the password nor the number was stored
  const one = `${at}/requests/${requests[0]?.id ?? ''}`;
  const { body } = await operator<{ readonly request: Message; readonly response: Message }>(
    'GET',
    one,
  );
  expect(body.request.headers).toMatchObject({
    authorization: 'Bearer •••••••',
    'content-type': 'application/scim+json',
  });
  // And every header of the response is shown: none of them has a secret
  expect(Object.keys(body.response.headers)).toContain('content-security-policy');
  expect(Object.entries(body.response.headers).filter(([, value]) => /•/.test(value))).toEqual([]);
  expect(JSON.parse(body.request.body ?? '')).toEqual({
    ...OKTA_USER,
    password: '•••••••',
    phoneNumbers: [{ primary: true, value: '+49•••••••67', type: 'mobile' }],
  });
  expect(JSON.parse(body.response.body ?? '')).toMatchObject({
    id: created.body['id'],
    phoneNumbers: [{ value: '+49•••••••67' }],
  });
  expect(JSON.stringify(body)).not.toMatch(/correct-horse|1234567/);
  expect(JSON.stringify(body)).not.toContain(tenant.key);
  // When it is replayed, it would be refused: the user exists
  const refused = await operator('POST', `${one}/replay`);
  expect(refused).toMatchObject({
    status: 200,
    body: { dry_run: true, status: 409, body: { scimType: 'uniqueness' }, events: [] },
  });
  // And after the user was deleted, it would create the user again; it does not
  await tenant.scim('DELETE', `/Users/${String(created.body['id'])}`);
  const replayed = await operator('POST', `${one}/replay`);
  expect(replayed).toMatchObject({
    status: 200,
    body: {
      status: 201,
      body: { userName: 'ada@example.com' },
      events: [{ event: 'user.created' }],
      seats: { before: 0, after: 1 },
    },
  });
  const users = await tenant.scim('GET', '/Users');
  expect(users.body).toMatchObject({ totalResults: 0 });
  // And the log names who captured, but has no line of the replay
  const log = await operator<{ commands: readonly { readonly source: string }[] }>(
    'GET',
    `${at}/commands?type=tenant.update`,
  );
  expect(log.body.commands).toMatchObject([
    { changes: [{ path: 'request_capture_until', before: null }], outcome: 'applied' },
  ]);
  const creates = await operator('GET', `${at}/commands?type=user.create`);
  expect(creates.body['commands']).toHaveLength(1);
});

it('refuses to replay what was not captured completely, or changes nothing', async () => {
  const { operator, tenant, at, list, enable } = await open();
  await enable(true);
  await tenant.scim('GET', '/Users');
  await tenant.scim('POST', '/Users', { schemas: [USER_URN], userName: '+491711234567' });
  const members = Array.from({ length: 3_000 }, (_, n) => ({
    value: `nobody-${n}-${'x'.repeat(20)}`,
  }));
  await tenant.scim('POST', '/Groups', { displayName: 'Large', members });
  const { requests } = await eventually(async () => {
    const found = await list();
    expect(found.requests).toHaveLength(3);
    return found;
  });
  const answers = await Promise.all(
    requests.map(({ id }) => operator('POST', `${at}/requests/${id}/replay`)),
  );
  expect(answers).toMatchObject([
    { status: 409, body: { message: expect.stringContaining('longer than 64 KiB') as string } },
    { status: 409, body: { message: expect.stringContaining('userName was masked') as string } },
    { status: 409, body: { error: 'REQUEST_NOT_REPLAYABLE' } },
  ]);
  expect(await operator('POST', `${at}/requests/${tenant.keyId}/replay`)).toMatchObject({
    status: 404,
    body: { error: 'REQUEST_NOT_FOUND' },
  });
});

it('stores nothing unless it is on, and nothing of other tenants', async () => {
  const one = await open();
  const other = await open();
  await createResource(one.tenant.scim, '/Users', OKTA_USER);
  await one.enable(true);
  await createResource(other.tenant.scim, '/Users', OKTA_USER);
  await one.enable(false);
  expect((await one.operator('GET', `${one.at}/request-capture`)).body).toEqual({
    enabled: false,
    until: null,
  });
  await one.tenant.scim('GET', '/Users');
  // A request that is captured later is stored after those that were not.
  await one.enable(true);
  await one.tenant.scim('GET', '/Groups');
  await eventually(async () =>
    expect((await one.list()).requests).toMatchObject([
      { path: `/v1/${one.tenant.slug}/scim/v2/Groups` },
    ]),
  );
  expect((await other.list()).requests).toEqual([]);
  // And another tenant's requests are not found
  const { requests } = await one.list();
  const wrong = await other.operator('GET', `${other.at}/requests/${requests[0]?.id ?? ''}`);
  expect(wrong).toMatchObject({ status: 404, body: { error: 'REQUEST_NOT_FOUND' } });
});

it('lasts at most 24 hours', async () => {
  const { operator, at } = await open();
  const until = (ms: number) =>
    operator('PUT', `${at}/request-capture`, {
      enabled: true,
      until: new Date(Date.now() + ms).toISOString(),
    });
  expect(await until(2 * DAY_MS)).toMatchObject({
    status: 400,
    body: { error: 'INVALID_REQUEST' },
  });
  expect(await until(-1_000)).toMatchObject({ status: 400 });
  expect(await until(DAY_MS / 2)).toMatchObject({ status: 200, body: { enabled: true } });
  const sooner = await until(DAY_MS / 4);
  expect(sooner).toMatchObject({ status: 200 });
  expect((await operator('GET', `${at}/request-capture`)).body).toEqual(sooner.body);
});
