import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SignInStores } from '../../src/ports/operators.js';
import type { Operator } from '../../src/domain/operator/operator.js';
import { hashSecret, newSecret } from '../../src/http/access/credentials.js';
import { newId } from '../../src/pipeline/submit.js';
import { openSessionPool } from '../../src/store/commit/session-pool.js';
import { mongoSignInStores } from '../../src/store/operators.js';
import { type Collections, collectionsOf } from '../../src/store/tables/collections.js';
import { requestTo } from '../support/ask.js';
import { useDatabase } from '../support/core.js';
import { ADMIN_TOKEN, openEdge } from '../support/edge.js';

const ORIGIN = 'http://127.0.0.1:8080';
const database = useDatabase();
let collections: Collections;
/** Of two gateways. */
let stores: readonly [SignInStores, SignInStores];

const edge = await openEdge({ publicUrl: () => ORIGIN });
const appOf = (signIn: SignInStores) => edge.with({ signIn });

const openStores = async (): Promise<SignInStores> => {
  const opened = collectionsOf(await database.open());
  return mongoSignInStores(opened, openSessionPool(opened.client, 4));
};

beforeAll(async () => {
  collections = collectionsOf(await database.open());
  stores = [await openStores(), await openStores()];
});

beforeEach(async () => {
  const { operators, operatorSessions, signInLinks, settings } = collections;
  for (const one of [operators, operatorSessions, signInLinks]) await one.deleteMany({});
  await settings.deleteMany({});
});

const createLink = async (): Promise<string> => {
  const secret = newSecret();
  const expiresAt = new Date(Date.now() + 3_600_000);
  await stores[0].links.create({ kind: 'first-owner', hash: hashSecret(secret), expiresAt });
  return secret;
};

const openLink = async (link: string, signIn: SignInStores = stores[0]): Promise<number> =>
  (
    await requestTo(appOf(signIn).app)
      .post('/admin/v1/session')
      .send({ link, name: `Owner by ${link}` })
  ).status;

const createOperator = async (signIn: SignInStores = stores[0]): Promise<string> => {
  const { body } = await requestTo(appOf(signIn).app)
    .post('/admin/v1/operators')
    .set('Authorization', `Bearer ${ADMIN_TOKEN}`)
    .send({ name: 'Grace', role: 'auditor' })
    .expect(201);
  return (body as { readonly id: string }).id;
};

const bySubject = (subject: string): Operator => ({
  id: newId<Operator['id']>(),
  name: 'Ada',
  email: null,
  role: 'auditor',
  tenants: null,
  source: 'oidc',
  subject,
  createdAt: new Date(),
  disabledAt: null,
  lastSignInAt: null,
});

const names = async (): Promise<readonly string[]> =>
  (await stores[0].operators.page({ offset: 0, limit: 500 })).items.map(({ name }) => name);

describe('the link of the first owner', () => {
  it('is not used up by a sign-in that is refused without TLS', async () => {
    const link = await createLink();
    const plain = edge.with({ publicUrl: () => 'http://gateway.test', signIn: stores[0] });
    await requestTo(plain.app).post('/admin/v1/session').send({ link, name: 'Ada' }).expect(400);
    expect(await openLink(link)).toBe(201);
  });

  it('is refused once an operator was created with the admin token', async () => {
    const link = await createLink();
    await createOperator();
    expect(await openLink(link)).toBe(401);
    expect(await names()).toEqual(['Grace']);
  });

  it('is refused once an operator has signed in with OpenID', async () => {
    const link = await createLink();
    await stores[1].operators.create(bySubject('https://login.test ada'));
    expect(await openLink(link)).toBe(401);
    expect(await names()).toEqual(['Ada']);
  });

  it('is refused after all operators were deleted', async () => {
    const link = await createLink();
    const id = (await createOperator()) as Operator['id'];
    await collections.settings.deleteMany({});
    await stores[0].operators.delete(id);
    expect(await openLink(link)).toBe(401);
    expect(await stores[0].operators.exist()).toBe(true);
  });

  it('is refused if an operator is created between its look-up and its use', async () => {
    const link = await createLink();
    const [first, second] = stores;
    const find: SignInStores['links']['find'] = async (hash) => {
      const found = await first.links.find(hash);
      await createOperator(second);
      return found;
    };
    expect(await openLink(link, { ...first, links: { ...first.links, find } })).toBe(401);
    expect(await names()).toEqual(['Grace']);
  });

  it('makes one owner if eight are used at once on two gateways', async () => {
    const links = await Promise.all(Array.from({ length: 8 }, createLink));
    const used = await Promise.all(links.map((link, at) => openLink(link, stores[at % 2 ? 1 : 0])));
    expect(used.filter((status) => status === 201)).toHaveLength(1);
    expect(used.filter((status) => status === 401)).toHaveLength(7);
    expect(await names()).toHaveLength(1);
  });

  it('makes one owner if operators are created at the same time, and none later', async () => {
    const links = await Promise.all(Array.from({ length: 6 }, createLink));
    const [used] = await Promise.all([
      Promise.all(links.slice(0, 3).map((link) => openLink(link))),
      createOperator(stores[1]),
      stores[1].operators.create(bySubject('https://login.test ada')),
    ]);
    const owners = used.filter((status) => status === 201).length;
    expect(owners).toBeLessThanOrEqual(1);
    expect(await names()).toHaveLength(2 + owners);
    for (const link of links.slice(3)) expect(await openLink(link)).toBe(401);
  });
});

it('one of two first sign-ins of the same person creates the operator', async () => {
  const created = await Promise.all(
    stores.map(({ operators }) => operators.create(bySubject('https://login.test ada'))),
  );
  expect(created.toSorted()).toEqual([false, true]);
  expect(await names()).toEqual(['Ada']);
});
