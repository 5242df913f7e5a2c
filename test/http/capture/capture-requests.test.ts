import { describe, expect, it } from 'vitest';
import { ScimClient } from '../../scim/scim-client.js';
import { requestTo } from '../../support/ask.js';
import { CANONICAL, openEdge, ADMIN_TOKEN } from '../../support/edge.js';

const HOUR = 3_600_000;

const open = async () => {
  const clock = { now: new Date() };
  const fake = await openEdge({ now: () => clock.now });
  const operator = requestTo(fake.app);
  const call = (method: 'get' | 'put', path: string) =>
    operator[method](`/admin/v1/tenants/acme${path}`).set('Authorization', `Bearer ${ADMIN_TOKEN}`);
  return {
    clock,
    call,
    scim: new ScimClient(fake, CANONICAL),
    /** Stops the gateway, which stores what is waiting. */
    captured: async () => {
      await fake.stop();
      const { capturedRequests } = fake.store;
      const { requests } = await capturedRequests.page(fake.tenant.id, { limit: 100 });
      return Promise.all(requests.map(({ id }) => capturedRequests.find(fake.tenant.id, id)));
    },
  };
};

describe('the capture of requests', () => {
  it('ends by itself after 24 hours', async () => {
    const { clock, call, scim, captured } = await open();
    await call('put', '/request-capture').send({ enabled: true }).expect(200);
    clock.now = new Date(clock.now.getTime() + 24 * HOUR - 1);
    await scim.get('/Users').expect(200);
    clock.now = new Date(clock.now.getTime() + 1);
    await scim.get('/Groups').expect(200);
    expect((await call('get', '/request-capture').expect(200)).body).toEqual({
      enabled: false,
      until: null,
    });
    expect(await captured()).toMatchObject([{ method: 'GET', path: `${CANONICAL}/Users` }]);
  });

  it('includes what was refused, with its body', async () => {
    const { clock, call, scim, captured } = await open();
    await call('put', '/request-capture').send({ enabled: true }).expect(200);
    await scim.send('post', '/Users', { userName: true }).expect(400);
    clock.now = new Date(clock.now.getTime() + 1);
    await scim.get('/Nothing').expect(404);
    expect(await captured()).toMatchObject([
      { path: `${CANONICAL}/Nothing`, status: 404, bytes: 0 },
      {
        path: `${CANONICAL}/Users`,
        status: 400,
        request: { body: '{"userName":true}' },
        response: { body: expect.stringContaining('userName') as string },
      },
    ]);
  });
});
