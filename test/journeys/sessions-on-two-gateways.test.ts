import { beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, createClient, TestGateway } from '../support/gateway.js';

let database = '';
const first = TestGateway.use((uri) => {
  database = uri;
  return {};
});
const second = TestGateway.use(() => ({ ROLLGATE_MONGODB_URI: database }));

let urls: readonly string[] = [];
beforeAll(async () => {
  // In order: the second uses the database of the first.
  const one = await first.open();
  urls = [one.url, (await second.open()).url];
});

/** Longer than a gateway may use what it has read; decisions.md 8 promises a second. */
const A_SECOND = 1_000;

const statusOn = async (url: string | undefined, cookie: string): Promise<number> =>
  (await fetch(`${url}/admin/v1/session`, { headers: { cookie } })).status;

const signIn = async (url: string | undefined, body: object): Promise<string> => {
  const response = await fetch(`${url}/admin/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
};

/** When the last request that the other gateway accepted was sent; it sends without a pause. */
const endsWithin = async (cookie: string): Promise<number> => {
  const start = performance.now();
  for (let accepted = 0; ;) {
    const sent = performance.now() - start;
    if ((await statusOn(urls[1], cookie)) === 401) return accepted;
    accepted = sent;
    expect(accepted).toBeLessThan(10 * A_SECOND);
  }
};

describe('sessions', () => {
  it('hold on every gateway of a database, and end on all of them within a second', async () => {
    const admin = createClient(`${urls[0]}/admin/v1`, ADMIN_TOKEN);
    const { body: operator } = await admin<{ id: string }>('POST', '/operators', {
      name: 'Ada',
      role: 'admin',
    });
    const { body: link } = await admin<{ url: string }>('POST', `/operators/${operator.id}/link`);
    // Made by the first gateway, used on the second.
    const cookie = await signIn(urls[1], { link: link.url.split('#')[1] });
    for (const url of urls) expect(await statusOn(url, cookie)).toBe(200);

    const { body } = await admin<{ sessions: { id: string }[] }>(
      'GET',
      `/operators/${operator.id}/sessions`,
    );
    await admin('DELETE', `/operators/${operator.id}/sessions/${body.sessions[0]?.id}`);
    expect(await statusOn(urls[0], cookie)).toBe(401);
    expect(await endsWithin(cookie)).toBeLessThan(A_SECOND);
  });

  it('of the admin token end on all gateways when it is replaced', async () => {
    const cookie = await signIn(urls[1], { admin_token: ADMIN_TOKEN });
    expect(await statusOn(urls[1], cookie)).toBe(200);
    await createClient(`${urls[0]}/admin/v1`, ADMIN_TOKEN)('POST', '/admin-token/rotate');
    expect(await endsWithin(cookie)).toBeLessThan(A_SECOND);
  });
});
