import { beforeAll, describe, expect, it } from 'vitest';
import { generateApiKey } from '../../src/http/access/credentials.js';
import {
  ALL_SCOPES,
  type ApiResponse,
  type Client,
  createClient,
  TestGateway,
  type TestTenant,
} from '../support/gateway.js';
import { BULK_URN, GROUP_URN, PATCH_URN, USER_URN } from '../support/scim-urns.js';

const ENTRA = { 'user-agent': 'Microsoft Azure AD SCIM provisioning 1.0.0' };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const clock = { at: Date.now() };
const gateway = TestGateway.use(undefined, { now: () => new Date(clock.at) });

interface Connection {
  readonly state: string;
  readonly state_text: string;
  readonly last_refusal: Record<string, unknown> | null;
}

interface Attention {
  readonly code: string;
  readonly message: string;
  readonly link: string;
}

let operator: Client;
let entra: TestTenant;
beforeAll(async () => {
  operator = await gateway.operator();
  entra = await gateway.tenant();
});

const connectionOf = async ({ slug, keyId }: TestTenant): Promise<Connection> => {
  const { status, body } = await operator<Connection>(
    'GET',
    `/tenants/${slug}/connections/${keyId}`,
  );
  expect(status).toBe(200);
  return body;
};

const cyclesOf = async ({ slug, keyId }: TestTenant) => {
  const { body } = await operator<{ cycles: readonly Record<string, unknown>[] }>(
    'GET',
    `/tenants/${slug}/connections/${keyId}/cycles`,
  );
  return body.cycles;
};

/** What was counted until now is stored, as it is twice a minute. */
const pass = async ({ slug }: TestTenant, milliseconds: number): Promise<void> => {
  await operator('GET', `/tenants/${slug}/connections`);
  clock.at += milliseconds;
};

const attentionOf = async ({ slug }: TestTenant): Promise<readonly Attention[]> => {
  const { body } = await operator<{ attention: readonly Attention[] }>(
    'GET',
    `/tenants/${slug}/overview`,
  );
  return body.attention;
};

const failuresOf = async ({ slug }: TestTenant) => {
  const { body } = await operator<{
    failed_authentications: readonly Record<string, unknown>[];
    total: number;
  }>('GET', `/tenants/${slug}/failed-authentications`);
  return body;
};

const send = (
  { scim }: TestTenant,
  method: string,
  path: string,
  body?: object,
): Promise<ApiResponse> => scim(method, path, body, ENTRA);

const createUser = (tenant: TestTenant, name: string) =>
  send(tenant, 'POST', '/Users', {
    schemas: [USER_URN],
    userName: `${name}@example.com`,
    displayName: name,
  });

const lookUp = (tenant: TestTenant) =>
  send(tenant, 'GET', `/Users?filter=${encodeURIComponent('userName eq "x@example.com"')}`);

describe('the connection of a key', () => {
  it('was never used at first', async () => {
    const fresh = await gateway.tenant();
    expect(await connectionOf(fresh)).toMatchObject({
      key_id: fresh.keyId,
      client: null,
      state: 'never_used',
      requests_24h: 0,
      last_cycle: null,
    });
  });

  it('has the client, its requests, the users it changed, and why it was refused', async () => {
    const { body: ada } = await createUser(entra, 'Ada');
    await createUser(entra, 'Bob');
    await send(entra, 'PATCH', `/Users/${String(ada['id'])}`, {
      schemas: [PATCH_URN],
      Operations: [{ op: 'Replace', path: 'active', value: 'False' }],
    });
    expect(await createUser(entra, 'Bob')).toMatchObject({ status: 409 });
    // These have no entry in the provisioning log.
    expect(await send(entra, 'POST', '/Users', { schemas: [] })).toMatchObject({ status: 400 });
    expect(await send(entra, 'GET', '/Users/none')).toMatchObject({ status: 404 });
    await lookUp(entra);
    const at = new Date(clock.at).toISOString();

    expect(await connectionOf(entra)).toMatchObject({
      description: 'test',
      client: 'Microsoft Entra',
      user_agent: ENTRA['user-agent'],
      state: 'active',
      last_request_at: at,
      last_success_at: at,
      last_refusal: { at, error: 'USER_NOT_FOUND' },
      requests_24h: 7,
      refused_24h: 3,
      usual_interval_seconds: null,
      last_cycle: { requests: 7, refused: 3, users_changed: 2 },
    });
    const listed = await operator<{ connections: readonly Connection[] }>(
      'GET',
      `/tenants/${entra.slug}/connections`,
    );
    expect(listed.body).toMatchObject({ connections: [await connectionOf(entra)], total: 1 });
  });

  it('counts a Bulk with a refused operation as refused, and members as changed users', async () => {
    const tenant = await gateway.tenant({ room_provisioning: 'automatic' });
    const { body: user } = await createUser(tenant, 'Cai');
    await pass(tenant, 3 * MINUTE);
    const group = {
      schemas: [GROUP_URN],
      displayName: 'Dispatch',
      members: [{ value: user['id'] }],
    };
    const operations = [
      { method: 'POST', path: '/Groups', bulkId: 'g', data: group },
      { method: 'DELETE', path: '/Users/none' },
    ];
    const bulk = await send(tenant, 'POST', '/Bulk', {
      schemas: [BULK_URN],
      Operations: operations,
    });
    expect(bulk.status).toBe(200);
    expect(await cyclesOf(tenant)).toMatchObject([
      { requests: 1, refused: 1, users_changed: 1 },
      { requests: 1, refused: 0, users_changed: 1 },
    ]);
    expect((await connectionOf(tenant)).last_refusal).toMatchObject({ error: 'USER_NOT_FOUND' });
  });

  it('is silent when the requests that come every 40 minutes stop', async () => {
    const tenant = await gateway.tenant();
    for (let cycle = 0; cycle < 7; cycle += 1) {
      await pass(tenant, 40 * MINUTE);
      await lookUp(tenant);
    }
    expect(await cyclesOf(tenant)).toHaveLength(7);
    expect(await connectionOf(tenant)).toMatchObject({
      state: 'active',
      usual_interval_seconds: 2_400,
    });
    expect(await attentionOf(tenant)).toEqual([]);

    await pass(tenant, 6 * HOUR);
    expect(await connectionOf(tenant)).toMatchObject({
      state: 'silent',
      state_text: 'Silent for 6 h, usually every 40 min.',
    });
    const link = `connections/${tenant.keyId}`;
    expect(await attentionOf(tenant)).toMatchObject([
      {
        code: 'IDENTITY_PROVIDER_SILENT',
        message:
          'The identity provider with the API key "test" (Microsoft Entra) has been silent for 6 h, usually every 40 min.',
        link,
      },
    ]);

    // Its successor is in use: nothing is missing.
    const { key } = await gateway.createKey(tenant.slug);
    await lookUp(await gateway.tenantWithKey(tenant.slug, key));
    await operator('GET', `/tenants/${tenant.slug}/connections`);
    expect(await attentionOf(tenant)).toEqual([]);
  });

  it('needs attention when many requests are refused', async () => {
    const tenant = await gateway.tenant();
    for (let count = 0; count < 10; count += 1) {
      await lookUp(tenant);
      await send(tenant, 'GET', '/Users/none');
    }
    expect(await connectionOf(tenant)).toMatchObject({
      state: 'refused',
      state_text: '10 of 20 requests refused in 24 h.',
    });
    expect(await attentionOf(tenant)).toMatchObject([
      {
        code: 'REQUESTS_REFUSED',
        message:
          '10 of 20 requests with the API key "test" (Microsoft Entra) were refused in the last 24 hours, last: user not found.',
      },
    ]);
  });

  it('is not found by the id of no key, or of another tenant', async () => {
    for (const path of ['', '/cycles'])
      for (const id of ['none', (await gateway.tenant()).keyId])
        expect(
          await operator('GET', `/tenants/${entra.slug}/connections/${id}${path}`),
        ).toMatchObject({ status: 404, body: { error: 'API_KEY_NOT_FOUND' } });
  });
});

describe('failed authentications', () => {
  const lookUpWith = async ({ slug }: TestTenant, key: string, path = '/scim/v2/Users') => {
    const { url } = await gateway.open();
    return createClient(`${url}/v1/${slug}`, key)('GET', path);
  };

  it('are listed with the reason, and get one response', async () => {
    const tenant = await gateway.tenant();
    const deleted = await gateway.createKey(tenant.slug);
    await operator('DELETE', `/tenants/${tenant.slug}/api-keys/${deleted.keyId}`);
    const narrow = await gateway.createKey(tenant.slug, ['scim:read']);
    const wrong = generateApiKey();
    const foreign = (await gateway.tenant()).key;

    const responses = await Promise.all(
      [deleted.key, wrong.key, foreign, tenant.key.slice(0, -1), 'a-token'].map((key) =>
        lookUpWith(tenant, key),
      ),
    );
    const elsewhere = await lookUpWith({ ...tenant, slug: 'no-such-tenant' }, wrong.key);
    // Nothing tells whether the key or the tenant exists.
    const sent = [...responses, elsewhere].map(({ status, body }) => [status, body['detail']]);
    expect(new Set(sent.map(String)).size).toBe(1);
    expect(elsewhere.status).toBe(401);
    const { url } = await gateway.open();
    await fetch(`${url}/v1/${tenant.slug}/users`);
    expect((await lookUpWith(tenant, narrow.key, '/users')).status).toBe(403);

    const { failed_authentications: failures, total } = await failuresOf(tenant);
    const prefix = (key: string) => key.slice(0, 11);
    expect(total).toBe(7);
    expect(
      failures.map(({ reason, key_prefix: shown, scope }) => [reason, shown, scope]).sort(),
    ).toEqual(
      [
        ['deleted_key', prefix(deleted.key), null],
        ['unknown_key', wrong.prefix, null],
        ['other_tenant', prefix(foreign), null],
        ['malformed_key', prefix(tenant.key), null],
        ['malformed_key', null, null],
        ['no_key', null, null],
        ['missing_scope', prefix(narrow.key), 'api:users:read'],
      ].sort(),
    );
    for (const failure of failures)
      expect(failure).toMatchObject({
        count: 1,
        address: expect.stringContaining('127.0.0.1') as string,
      });
    expect(JSON.stringify(failures)).not.toContain(wrong.key.slice(12));
    expect(failures.find(({ reason }) => reason === 'missing_scope')).toMatchObject({
      message: 'The key lacks the scope "api:users:read". Create a key that has it.',
    });
  });

  it('are told apart at the token endpoint, and for what it issued', async () => {
    const tenant = await gateway.tenant({ scim: { access_tokens: true } });
    const off = await gateway.tenant();
    const { url } = await gateway.open();
    const exchange = async (slug: string, form: Readonly<Record<string, string>>) => {
      const response = await fetch(`${url}/v1/${slug}/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
      });
      return { status: response.status, text: await response.text() };
    };
    const wrong = generateApiKey();
    const responses = [
      await exchange(tenant.slug, {}),
      await exchange(tenant.slug, { client_id: tenant.keyId, client_secret: 'secret' }),
      await exchange(tenant.slug, { client_id: tenant.keyId, client_secret: wrong.key }),
      await exchange(tenant.slug, { client_id: off.keyId, client_secret: off.key }),
      await exchange(tenant.slug, { client_id: off.keyId, client_secret: tenant.key }),
      await exchange(off.slug, { client_id: off.keyId, client_secret: off.key }),
      await exchange('no-such-tenant', { client_id: off.keyId, client_secret: off.key }),
    ];
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);

    const { text } = await exchange(tenant.slug, {
      client_id: tenant.keyId,
      client_secret: tenant.key,
    });
    const { access_token: token } = JSON.parse(text) as { access_token: string };
    await operator('PATCH', `/tenants/${tenant.slug}`, { scim: { access_tokens: false } });
    expect((await lookUpWith(tenant, token)).status).toBe(401);
    await operator('DELETE', `/tenants/${tenant.slug}/api-keys/${tenant.keyId}`);
    expect((await lookUpWith(tenant, token)).status).toBe(401);

    const reasonsOf = async (at: TestTenant) => {
      const { failed_authentications: failures } = await failuresOf(at);
      return failures.map(({ reason, count }) => [reason, count]).sort();
    };
    expect(await reasonsOf(tenant)).toEqual([
      ...[
        ['ended_token', 1],
        ['malformed_key', 1],
        ['no_key', 1],
        ['other_client', 1],
      ],
      ...[
        ['other_tenant', 1],
        ['tokens_off', 1],
        ['unknown_key', 1],
      ],
    ]);
    expect(await reasonsOf(off)).toEqual([['tokens_off', 1]]);
  });

  it('need attention when they repeat', async () => {
    const tenant = await gateway.tenant({}, ALL_SCOPES);
    await lookUp(tenant);
    const { key, prefix } = generateApiKey();
    for (let count = 0; count < 10; count += 1) await lookUpWith(tenant, key);
    expect(await failuresOf(tenant)).toMatchObject({
      failed_authentications: [{ count: 10, key_prefix: prefix }],
      total: 1,
    });
    const found = (await attentionOf(tenant)).find(({ code }) => code === 'AUTHENTICATIONS_FAILED');
    expect(found).toMatchObject({ link: 'connections' });
    expect(found?.message).toMatch(
      /^10 failed authentications since .+ UTC, from .*127\.0\.0\.1, with the key rg_\w{8}…: There is no such key\.$/,
    );
  });

  it('need attention at once with a key that was deleted: providers repeat a few times an hour', async () => {
    const tenant = await gateway.tenant({}, ALL_SCOPES);
    await lookUp(tenant);
    const { key, keyId } = await gateway.createKey(tenant.slug);
    await operator('DELETE', `/tenants/${tenant.slug}/api-keys/${keyId}`);
    await lookUpWith(tenant, generateApiKey().key);
    await lookUpWith(tenant, key);
    await failuresOf(tenant);
    expect(await attentionOf(tenant)).toMatchObject([
      {
        code: 'AUTHENTICATIONS_FAILED',
        message: expect.stringMatching(
          /^One failed authentication on .+ UTC, from .*127\.0\.0\.1, with the key rg_\w{8}…: The key was deleted\.$/,
        ) as string,
        action:
          'Enter another key in the identity provider or program that uses it; create one if there is none.',
      },
    ]);
  });
});
