import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TestGateway } from '../support/gateway.js';

const gateway = TestGateway.use();

const DAY_MS = 86_400_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

const createTenant = async () => {
  const { slug } = await gateway.tenant();
  const operator = await gateway.operator();
  const at = `/tenants/${slug}`;
  const create = (expiresAt?: string | null) =>
    operator<{ key: string; key_id: string; expires_at: string | null }>('POST', `${at}/api-keys`, {
      description: 'Okta',
      scopes: ['usage'],
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
    });
  const attention = async () => {
    const { body } = await operator<{ attention: readonly { code: string; message: string }[] }>(
      'GET',
      `${at}/overview`,
    );
    return body.attention.filter(({ code }) => code.startsWith('API_KEY_'));
  };
  return { slug, at, operator, create, attention };
};

/** A key of a new tenant, used before it expires: on a busy machine, a key with a longer life. */
const useKey = async () => {
  for (let livesMs = 3_000; ; livesMs *= 2) {
    const tenant = await createTenant();
    const { status, body } = await tenant.create(inMs(livesMs));
    if (status !== 201) continue;
    const client = await gateway.tenantWithKey(tenant.slug, body.key);
    if ((await client.native('GET', '/usage')).status === 200) return { ...tenant, body, client };
  }
};

describe('an API key', () => {
  it('does not expire unless that is asked for', async () => {
    const { at, operator, create, attention } = await createTenant();
    expect((await create()).body).toMatchObject({ expires_at: null });
    expect((await create(null)).body).toMatchObject({ expires_at: null });
    const { body } = await operator('GET', `${at}/api-keys`);
    expect(body).toMatchObject({ api_keys: [{ is_unused: false }, {}, { expires_at: null }] });
    expect(await attention()).toEqual([]);
  });

  it('that expires is refused from then on, like any invalid key', async () => {
    const { slug, operator, at, attention, body, client } = await useKey();

    const refused = await eventually(async () => {
      const response = await client.native('GET', '/usage');
      expect(response.status).toBe(401);
      return response;
    });

    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(body.expires_at ?? ''));
    const unknown = await gateway.tenantWithKey(slug, 'rg_unknown');
    const { body: other } = await unknown.native('GET', '/usage');
    const { message } = other as { message: string };
    expect(refused.body).toMatchObject({ error: 'UNAUTHENTICATED', message });
    expect(await attention()).toMatchObject([{ code: 'API_KEY_EXPIRED' }]);
    expect((await operator('GET', `${at}/connections/${body.key_id}`)).body).toMatchObject({
      state: 'refused',
      state_text: expect.stringContaining('expired') as unknown,
    });
    expect((await operator('GET', `${at}/failed-authentications`)).body).toMatchObject({
      failed_authentications: expect.arrayContaining([
        expect.objectContaining({
          reason: 'expired_key',
          message: 'The key has expired. Create a key and enter it.',
        }),
      ]) as unknown,
    });
  });

  it('is announced on the home page 14 days before it expires', async () => {
    const { create, attention } = await createTenant();
    await create(inMs(15 * DAY_MS));
    expect(await attention()).toEqual([]);
    await create(inMs(13.5 * DAY_MS));
    expect(await attention()).toMatchObject([
      {
        code: 'API_KEY_EXPIRES',
        severity: 'warning',
        message: 'The API key "Okta" expires in 13 days.',
        link: 'settings/api-keys',
      },
    ]);
  });

  it('cannot expire in the past', async () => {
    const { at, operator } = await createTenant();
    const body = { description: 'Okta', scopes: ['usage'], expires_at: '2020-01-01T00:00:00Z' };
    expect(await operator('POST', `${at}/api-keys`, body)).toMatchObject({
      status: 400,
      body: { error: 'INVALID_REQUEST', details: [{ path: 'expires_at' }] },
    });
  });
});
