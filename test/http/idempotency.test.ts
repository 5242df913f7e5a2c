import { describe, expect, it } from 'vitest';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, openEdge } from '../support/edge.js';

const fake = await openEdge();
const second = await fake.addKey(fake.tenant);

let people = 0;

/** Creates a user, by default a new one. */
const provision = (
  idempotencyKey: string,
  { key = fake.key, email }: { readonly key?: string; readonly email?: string } = {},
) =>
  requestTo(fake.app)
    .post('/v1/acme/users')
    .set('Authorization', `Bearer ${key}`)
    .set('Idempotency-Key', idempotencyKey)
    .send({ email: email ?? `person${(people += 1)}@example.com` });

/** The idempotency data of the last command. */
const idempotencyOf = () => fake.submissions.at(-1)!.idempotency;

describe('Idempotency-Key', () => {
  it('is submitted as a digest, like the body', async () => {
    await provision('key-1', { email: 'same@example.com' }).expect(201);
    const first = idempotencyOf();
    expect(first).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
    await provision('key-1', { email: 'same@example.com' });
    expect(idempotencyOf()).toEqual(first);
    await provision('key-1');
    expect(idempotencyOf()).toMatchObject({ id: first!.id });
    expect(idempotencyOf()!.fingerprint).not.toBe(first!.fingerprint);
  });

  it('is separate for each API key and each path', async () => {
    await provision('key-2');
    const one = idempotencyOf()!.id;
    await provision('key-2', { key: second.key });
    expect(idempotencyOf()!.id).not.toBe(one);
    await requestTo(fake.app)
      .post('/v1/acme/sms-lists')
      .set('Authorization', `Bearer ${fake.key}`)
      .set('Idempotency-Key', 'key-2')
      .send({ name: 'On call' })
      .expect(201);
    expect(idempotencyOf()!.id).not.toBe(one);
  });

  it.each(['', 'two words', 'x'.repeat(256), 'käse'])('is refused as %j', async (given) => {
    const before = fake.submissions.length;
    const { status, body } = await provision(Buffer.from(given).toString('latin1'));
    expect([status, body]).toMatchObject([400, { details: [{ path: 'Idempotency-Key' }] }]);
    expect(fake.submissions).toHaveLength(before);
  });

  it("is ignored on PATCH, DELETE and operators' routes", async () => {
    const { body } = await provision('key-3');
    const { id } = body as { id: string };
    const change = requestTo(fake.app).patch(`/v1/acme/users/${id}`);
    await change
      .set('Authorization', `Bearer ${fake.key}`)
      .set('Idempotency-Key', 'key-3')
      .send({ active: false })
      .expect(200);
    expect(idempotencyOf()).toBeUndefined();
    await requestTo(fake.app)
      .post('/admin/v1/tenants')
      .set('Authorization', `Bearer ${ADMIN_TOKEN}`)
      .set('Idempotency-Key', 'key-3')
      .send({ slug: 'globex', name: 'Globex' })
      .expect(201);
    expect(idempotencyOf()).toBeUndefined();
  });
});
