import { describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.js';
import { TestGateway } from '../support/gateway.js';

const gateway = TestGateway.use();

/** An owner who is signed in with a link. */
const signInOwner = async (name: string) => {
  const { url } = await gateway.open();
  const api = `${url}/admin/v1`;
  const admin = await gateway.operator();
  const { body: owner } = await admin<{ id: string }>('POST', '/operators', {
    name,
    role: 'owner',
  });
  const { body: link } = await admin<{ url: string }>('POST', `/operators/${owner.id}/link`);
  const browser = new Browser();
  const json = { 'content-type': 'application/json', origin: url };
  const session = await browser.request(`${api}/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ link: link.url.split('#')[1] }),
  });
  const { csrf_token: csrf } = (await session.json()) as { readonly csrf_token: string };
  const send = async (method: string, id: string, body?: object) => {
    const response = await browser.request(`${api}/operators/${id}`, {
      method,
      headers: { ...json, 'x-csrf-token': csrf },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const { error = null } = (text === '' ? {} : JSON.parse(text)) as { readonly error?: string };
    return [response.status, error];
  };
  return { id: owner.id, send };
};

describe('the last owner', () => {
  it('remains if two disable each other, and cannot leave without the admin token', async () => {
    const [ada, grace] = [await signInOwner('Ada'), await signInOwner('Grace')];
    await Promise.all([
      ada.send('PATCH', grace.id, { disabled: true }),
      grace.send('PATCH', ada.id, { disabled: true }),
    ]);
    const admin = await gateway.operator();
    const stateOf = async ({ id }: { readonly id: string }) =>
      (await admin<{ disabled_at: string | null }>('GET', `/operators/${id}`)).body.disabled_at;
    const enabled = (await stateOf(ada)) === null ? ada : grace;
    expect(await stateOf(enabled)).toBeNull();

    const { id, send } = enabled;
    expect(await send('PATCH', id, { disabled: true })).toEqual([409, 'LAST_OWNER']);
    expect(await send('PATCH', id, { role: 'auditor' })).toEqual([409, 'LAST_OWNER']);
    expect(await send('DELETE', id)).toEqual([409, 'LAST_OWNER']);
    expect(await send('PATCH', id, { name: 'Countess Lovelace' })).toEqual([200, null]);
    const { status } = await admin('PATCH', `/operators/${id}`, { disabled: true });
    expect([status, await stateOf(enabled)]).toEqual([200, expect.any(String)]);
  });
});
