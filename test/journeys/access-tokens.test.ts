import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TestGateway } from '../support/gateway.js';

const gateway = TestGateway.use();

const SCOPES = ['scim:read', 'scim:write', 'usage'];
const TOKENS = { scim: { access_tokens: true } };

type Form = Readonly<Record<string, string>>;

interface TokenBody {
  readonly access_token: string;
  readonly error?: string;
}

const createTenant = async (settings: object = TOKENS) => {
  const { slug, key, keyId } = await gateway.tenant({ ...settings }, SCOPES);
  const { url } = await gateway.open();
  const send = async (body: string, headers: Readonly<Record<string, string>> = {}, at = slug) => {
    const response = await fetch(`${url}/v1/${at}/oauth2/token`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
    return { response, status: response.status, body: (await response.json()) as TokenBody };
  };
  const ask = (form: Form = {}, at = slug) =>
    send(
      new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: keyId,
        client_secret: key,
        ...form,
      }).toString(),
      {},
      at,
    );
  const withToken = async (form?: Form) => {
    const { body } = await ask(form);
    return gateway.tenantWithKey(slug, body.access_token);
  };
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
  });
  return { slug, key, keyId, send, ask, withToken, basic };
};

describe('POST oauth2/token', () => {
  it('exchanges an API key for a token, with the credentials in the body', async () => {
    const { ask, withToken, keyId, slug } = await createTenant();

    const { response, status, body } = await ask();

    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^rgt_[A-Za-z0-9_-]{96}$/) as string,
        token_type: 'Bearer',
        expires_in: 3_600,
        scope: SCOPES.join(' '),
      },
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    const client = await withToken();
    const created = await client.scim('POST', '/Users', { userName: 'ada@example.com' });
    expect(created.status).toBe(201);
    const operator = await gateway.operator();
    const log = await operator('GET', `/tenants/${slug}/commands?type=user.create`);
    expect(log.body).toMatchObject({ commands: [{ actor: { kind: 'api-key', id: keyId } }] });
  });

  it('takes HTTP Basic, with form-encoded parts', async () => {
    const { send, basic, keyId, key } = await createTenant();
    const grant = 'grant_type=client_credentials';
    expect((await send(grant, basic(keyId, key))).status).toBe(200);
    expect((await send(`${grant}&client_id=${keyId}`, basic(keyId, key))).status).toBe(200);
    const twice = await send(`${grant}&client_secret=${key}`, basic(keyId, key));
    expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
  });

  it('grants some of the scopes of the key, or all', async () => {
    const { ask, withToken } = await createTenant();
    expect((await ask({ scope: 'usage' })).body).toMatchObject({ scope: 'usage' });
    for (const scope of ['', '.default', 'api://rollgate/.default'])
      expect((await ask({ scope })).body).toMatchObject({ scope: SCOPES.join(' ') });
    const { status, body } = await ask({ scope: 'usage webhooks' });
    expect([status, body.error]).toEqual([400, 'invalid_scope']);

    const client = await withToken({ scope: 'usage scim:read' });

    expect((await client.native('GET', '/usage')).status).toBe(200);
    expect((await client.scim('GET', '/Users')).status).toBe(200);
    const refused = await client.scim('POST', '/Users', { userName: 'ada@example.com' });
    expect(refused).toMatchObject({ status: 403, body: { error: 'INSUFFICIENT_SCOPE' } });
    expect((await client.native('GET', '/me')).body).toMatchObject({
      scopes: ['scim:read', 'usage'],
    });
  });

  it.each([
    ['grant_type=password', 'unsupported_grant_type'],
    ['', 'invalid_request'],
    ['grant_type=client_credentials&grant_type=client_credentials', 'invalid_request'],
  ])('refuses %j', async (grant, code) => {
    const { send, keyId, key } = await createTenant();
    const { status, body } = await send(`${grant}&client_id=${keyId}&client_secret=${key}`);
    expect([status, body.error]).toEqual([400, code]);
  });

  it('refuses other bodies than a form', async () => {
    const { send } = await createTenant();
    const json = await send('{}', { 'content-type': 'application/json' });
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request']);
    expect((await send(`grant_type=${'x'.repeat(10_000)}`)).status).toBe(413);
  });

  it('refuses every other client in the same way', async () => {
    const { ask, keyId } = await createTenant();
    const other = await createTenant();
    const off = await createTenant({});
    const refused = [
      await ask({ client_secret: 'wrong' }),
      await ask({ client_id: other.keyId }),
      await ask({ client_id: other.keyId, client_secret: other.key }),
      await ask({}, other.slug),
      await ask({}, 'nowhere'),
      await off.ask(),
      await ask({ client_id: keyId, client_secret: '' }),
    ];
    for (const { response, status, body } of refused) {
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
      expect(body).toEqual(refused[0]?.body);
    }
  });
});

describe('an access token', () => {
  it('ends with its key, and when the tenant no longer issues tokens', async () => {
    const { slug, keyId, withToken } = await createTenant();
    const operator = await gateway.operator();
    const client = await withToken();
    expect((await client.native('GET', '/usage')).status).toBe(200);
    await operator('PATCH', `/tenants/${slug}`, { scim: { access_tokens: false } });
    expect((await client.native('GET', '/usage')).status).toBe(401);
    await operator('PATCH', `/tenants/${slug}`, TOKENS);
    expect((await client.native('GET', '/usage')).status).toBe(200);

    await operator('DELETE', `/tenants/${slug}/api-keys/${keyId}`);

    expect((await client.native('GET', '/usage')).status).toBe(401);
  });

  it('lives no longer than its key', async () => {
    const { slug, ask } = await createTenant();
    const operator = await gateway.operator();
    // On a busy machine, a key that expires too soon is followed by one with a longer life.
    const askBeforeEnd = async (livesMs: number): Promise<readonly [TokenBody, number]> => {
      const { body } = await operator<{ key: string; key_id: string }>(
        'POST',
        `/tenants/${slug}/api-keys`,
        {
          description: 'short',
          scopes: ['usage'],
          expires_at: new Date(Date.now() + livesMs).toISOString(),
        },
      );
      const granted = await ask({ client_id: body.key_id, client_secret: body.key });
      return granted.status === 200 ? [granted.body, livesMs] : askBeforeEnd(livesMs * 2);
    };

    const [token, livesMs] = await askBeforeEnd(4_000);

    const { expires_in } = token as unknown as { expires_in: number };
    expect(expires_in).toBeLessThanOrEqual(livesMs / 1_000);
    const client = await gateway.tenantWithKey(slug, token.access_token);
    await eventually(async () => {
      expect((await client.native('GET', '/usage')).status).toBe(401);
    });
  });

  it('shares the rate limit of its key, and works for its tenant only', async () => {
    const { slug, key, withToken } = await createTenant();
    const client = await withToken();
    const remaining = ({ headers }: { readonly headers: Headers }): number =>
      Number(headers.get('ratelimit-remaining'));
    const before = remaining(await client.native('GET', '/usage'));
    const own = await gateway.tenantWithKey(slug, key);
    expect(remaining(await own.native('GET', '/usage'))).toBeLessThan(before);
    const other = await createTenant();
    const elsewhere = await gateway.tenantWithKey(other.slug, client.key);
    expect((await elsewhere.native('GET', '/usage')).status).toBe(401);
    const at = client.key.length - 60;
    const changed =
      client.key.slice(0, at) + (client.key[at] === 'A' ? 'B' : 'A') + client.key.slice(at + 1);
    const forged = await gateway.tenantWithKey(slug, changed);
    expect((await forged.native('GET', '/usage')).status).toBe(401);
  });

  it('is announced to SCIM clients of tenants that issue them', async () => {
    const schemes = async ({ withToken }: Awaited<ReturnType<typeof createTenant>>) => {
      const client = await withToken();
      const { body } = await client.scim<{ authenticationSchemes: { type: string }[] }>(
        'GET',
        '/ServiceProviderConfig',
      );
      return body.authenticationSchemes.map(({ type }) => type);
    };
    expect(await schemes(await createTenant())).toEqual(['oauthbearertoken', 'oauth2']);
    const plain = await gateway.tenant();
    const { body } = await plain.scim('GET', '/ServiceProviderConfig');
    expect(body).toMatchObject({ authenticationSchemes: [{ type: 'oauthbearertoken' }] });
    expect(JSON.stringify(body)).not.toContain('oauth2');
  });
});
