import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { requestTo } from '../../support/ask.js';
import { type TestApp, openEdge, ADMIN_TOKEN } from '../../support/edge.js';

interface Arriving {
  readonly path: string;
  readonly body: object;
}

const NATIVE: Arriving = { path: '/users', body: { email: 'ada@x.org' } };
const SCIM: Arriving = {
  path: '/scim/v2/Users',
  body: {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: 'ada@x.org',
  },
};

/** Sends a body whose end is delayed until the request was authenticated and `action` has run. */
const sendInTwo = async ({ path, body }: Arriving, action: (fake: TestApp) => Promise<unknown>) => {
  let letIn: () => void = () => undefined;
  const isLetIn = new Promise<void>((resolve) => (letIn = resolve));
  const fake = await openEdge({
    rateLimiter: {
      take: () => {
        letIn();
        return { allowed: true, limit: 9, remaining: 8, resetSeconds: 1 };
      },
    },
  });
  const server = createServer(fake.app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const text = JSON.stringify(body);
  const sent = request({
    method: 'POST',
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    path: `/v1/acme${path}`,
    headers: {
      authorization: `Bearer ${fake.key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
  });
  sent.write(text.slice(0, 5));
  await isLetIn;
  await action(fake);
  sent.end(text.slice(5));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const refusal = await json(answer);
  server.close();
  return {
    status: answer.statusCode,
    refusal,
    written: await fake.collections.users.countDocuments({ tenant: fake.tenant.id }),
  };
};

const asOperator = (fake: TestApp, path: string) =>
  requestTo(fake.app)
    .delete(`/admin/v1/tenants/acme${path}`)
    .set('Authorization', `Bearer ${ADMIN_TOKEN}`)
    .expect(204);

const deleteKey = (fake: TestApp) => asOperator(fake, `/api-keys/${fake.keyId}`);
const deleteTenant = (fake: TestApp) => asOperator(fake, '');

it.each([
  ['a key that is deleted', 'native', NATIVE, deleteKey],
  ['a key that is deleted', 'SCIM', SCIM, deleteKey],
  ['a tenant that is deleted', 'native', NATIVE, deleteTenant],
  ['a tenant that is deleted', 'SCIM', SCIM, deleteTenant],
] as const)(
  'refuses %s while the body was being received (%s)',
  async (_what, _api, arriving, end) => {
    const { status, refusal, written } = await sendInTwo(arriving, end);
    expect([status, refusal]).toMatchObject([401, { error: 'UNAUTHENTICATED' }]);
    expect(written).toBe(0);
  },
);

it.each([
  ['native', NATIVE],
  ['SCIM', SCIM],
] as const)('accepts a body that took long to be received (%s)', async (_api, arriving) => {
  const { status, written } = await sendInTwo(arriving, () => Promise.resolve());
  expect([status, written]).toEqual([201, 1]);
});
