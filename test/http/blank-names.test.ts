import { expect, it } from 'vitest';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, openEdge } from '../support/edge.js';

const edge = await openEdge();

it.each([
  ['/tenants/acme/rooms', 'name', {}],
  ['/tenants/acme/sms-lists', 'name', {}],
  ['/tenants/acme/api-keys', 'description', { scopes: ['scim:read'] }],
  ['/tenants', 'name', { slug: 'blank' }],
  ['/operators', 'name', { role: 'auditor' }],
])(
  'POST %s refuses a blank %s, and accepts one with spaces around it',
  async (path, field, rest) => {
    const { app } = edge;
    const post = (text: string) =>
      requestTo(app)
        .post(`/admin/v1${path}`)
        .set('Authorization', `Bearer ${ADMIN_TOKEN}`)
        .send({ ...rest, [field]: text });

    for (const blank of ['   ', '\u00a0'])
      expect((await post(blank)).body).toMatchObject({
        error: 'INVALID_REQUEST',
        details: expect.arrayContaining([
          { path: field, message: 'must contain a visible character' },
        ]) as unknown,
      });
    expect((await post(' Night ')).status).toBe(201);
  },
);
