import { beforeEach, describe, expect, it } from 'vitest';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, openEdge, type TestApp } from '../support/edge.js';

const TOKEN = { authorization: `Bearer ${ADMIN_TOKEN}` };

let fake: TestApp;
beforeEach(async () => {
  fake = await openEdge({ publicUrl: () => 'http://127.0.0.1:8080' });
});

const send = async <Body>(method: 'post' | 'patch' | 'delete' | 'put', path: string, body = {}) =>
  (await requestTo(fake.app)[method](`/admin/v1${path}`).set(TOKEN).send(body)).body as Body;

interface Line {
  readonly actor: { readonly name: string };
  readonly text: string;
  readonly action: string;
  readonly error: string | null;
}

const linesOf = async (query = ''): Promise<readonly Line[]> => {
  const { body } = await requestTo(fake.app).get(`/admin/v1/operator-log${query}`).set(TOKEN);
  return (body as { readonly entries: readonly Line[] }).entries;
};

const textsOf = async (query?: string): Promise<readonly string[]> =>
  (await linesOf(query)).map(({ actor, text }) => `${actor.name} ${text}`).reverse();

const signIn = (body: object) => requestTo(fake.app).post('/admin/v1/session').send(body);

describe("the operators' log", () => {
  it('names what operators did to accounts, links and keys, and finds it by operator', async () => {
    const ada = await send<{ id: string }>('post', '/operators', { name: 'Ada', role: 'auditor' });
    const path = `/operators/${ada.id}`;
    await send('patch', path, { role: 'admin' });
    const { url } = await send<{ url: string }>('post', `${path}/link`);
    await signIn({ link: url.split('#')[1] });
    const setup = await send<{ id: string }>('post', '/tenants/acme/setup-links', {});
    await send('delete', `/tenants/acme/setup-links/${setup.id}`);
    await send('patch', path, { disabled: true });
    await send('delete', path);
    const ofAda = [
      'admin-token created a sign-in link for "Ada"',
      'Ada signed in with a sign-in link',
      'admin-token changed the operator "Ada (disabled)"',
      'admin-token deleted the operator "Ada"',
    ];
    expect(await textsOf()).toEqual([
      'admin-token created the operator "Ada"',
      'admin-token changed the operator "Ada (role auditor → admin)"',
      ...ofAda.slice(0, 2),
      'admin-token created a setup link of acme',
      'admin-token revoked a setup link of acme',
      ...ofAda.slice(2),
    ]);
    expect(await textsOf(`?operator=${ada.id}`)).toEqual([
      'admin-token changed the operator "Ada (role auditor → admin)"',
      ...ofAda,
    ]);
  });

  it('names the API key that was created, of its tenant', async () => {
    await send('post', '/tenants/acme/api-keys', { description: 'Okta', scopes: ['scim:read'] });
    expect(await textsOf()).toEqual(['admin-token created the API key "Okta" of acme']);
  });

  it('has refused sign-ins with their reason, of people who are not known up to 30 a minute', async () => {
    for (let attempt = 0; attempt < 35; attempt += 1) await signIn({ link: 'guess' });
    const lines = await linesOf();
    expect(lines).toHaveLength(30);
    expect(lines[0]).toMatchObject({
      actor: { name: 'Unknown' },
      action: 'signIn',
      text: 'could not sign in with a sign-in link',
      error: 'UNAUTHENTICATED',
    });
  });

  it('has no entry of what was refused, only read, or run dry', async () => {
    await send('post', '/operators', { name: 'Ada', role: 'emperor' });
    await requestTo(fake.app).delete('/admin/v1/tenants/acme?dry_run=true').set(TOKEN);
    await requestTo(fake.app).get('/admin/v1/operators').set(TOKEN);
    expect(await linesOf()).toEqual([]);
  });

  it('that cannot be written changes nothing for the caller, and is in the log of the gateway', async () => {
    const operatorLog = {
      append: () => Promise.reject(new Error('no space')),
      page: () => Promise.resolve([]),
    };
    fake = fake.with({ operatorLog });
    await signIn({ admin_token: ADMIN_TOKEN }).expect(201);
    expect(fake.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: "cannot write to the operators' log" }),
    );
  });
});
