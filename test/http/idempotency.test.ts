import { describe, expect, it } from 'vitest';
import { ask } from '../support/ask.js';
import { ADMIN_TOKEN, makeFakeApp } from '../support/fake-app.js';

const fake = makeFakeApp();
const second = fake.world.addKey(fake.tenant);

let people = 0;

/** Sends a provisioning of somebody new, or of whom is given. */
const provision = (
  idempotencyKey: string,
  { key = fake.key, email }: { readonly key?: string; readonly email?: string } = {},
) =>
  ask(fake.app)
    .post('/v1/acme/users')
    .set('Authorization', `Bearer ${key}`)
    .set('Idempotency-Key', idempotencyKey)
    .send({ email: email ?? `person${(people += 1)}@example.com` });

/** What the command of the last request carries of its Idempotency-Key. */
const carried = () => fake.world.submissions.at(-1)!.idempotency;

describe('Idempotency-Key', () => {
  it('goes with the command as a digest, the body as another', async () => {
    await provision('key-1', { email: 'same@example.com' }).expect(201);
    const first = carried();
    expect(first).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
    await provision('key-1', { email: 'same@example.com' });
    expect(carried()).toEqual(first);
    await provision('key-1');
    expect(carried()).toMatchObject({ id: first!.id });
    expect(carried()!.fingerprint).not.toBe(first!.fingerprint);
  });

  it('is another one for another API key', async () => {
    await provision('key-2');
    const one = carried()!.id;
    await provision('key-2', { key: second.key });
    expect(carried()!.id).not.toBe(one);
  });

  it.each(['', 'two words', 'x'.repeat(256), 'käse'])('is refused as %j', async (given) => {
    const before = fake.world.submissions.length;
    const { status, body } = await provision(Buffer.from(given).toString('latin1'));
    expect([status, body]).toMatchObject([400, { details: [{ path: 'Idempotency-Key' }] }]);
    expect(fake.world.submissions).toHaveLength(before);
  });

  it('is of no account where nothing is made: PATCH, DELETE, operators', async () => {
    const { body } = await provision('key-3');
    const { id } = body as { id: string };
    const change = ask(fake.app).patch(`/v1/acme/users/${id}`);
    await change
      .set('Authorization', `Bearer ${fake.key}`)
      .set('Idempotency-Key', 'key-3')
      .send({ active: false })
      .expect(200);
    expect(carried()).toBeUndefined();
    await ask(fake.app)
      .post('/admin/v1/tenants')
      .set('Authorization', `Bearer ${ADMIN_TOKEN}`)
      .set('Idempotency-Key', 'key-3')
      .send({ slug: 'globex', name: 'Globex' })
      .expect(201);
    expect(carried()).toBeUndefined();
  });
});
