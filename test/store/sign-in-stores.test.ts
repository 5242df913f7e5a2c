import { beforeAll, describe, expect, it } from 'vitest';
import type { OperatorId, PasskeyId, SessionId } from '../../src/domain/kernel/ids.js';
import type { Passkey } from '../../src/domain/operator/passkey.js';
import { newId } from '../../src/pipeline/submit.js';
import type { OperatorLogEntry } from '../../src/ports/operator-log.js';
import type { SignInStores } from '../../src/ports/operators.js';
import { openSessionPool } from '../../src/store/commit/session-pool.js';
import { mongoOperatorLog } from '../../src/store/operator-log.js';
import { mongoSignInStores } from '../../src/store/operators.js';
import { type Collections, collectionsOf } from '../../src/store/tables/collections.js';
import { useDatabase } from '../support/core.js';

const DAY = 24 * 3_600_000;
const database = useDatabase();
let collections: Collections;
let stores: SignInStores;

beforeAll(async () => {
  collections = collectionsOf(await database.open());
  stores = mongoSignInStores(collections, openSessionPool(collections.client, 4));
});

const at = new Date();

const addOperator = async (): Promise<OperatorId> => {
  const id = newId<OperatorId>();
  await stores.operators.create({
    id,
    name: 'Ada',
    email: null,
    role: 'owner',
    tenants: null,
    source: 'link',
    subject: null,
    createdAt: at,
    disabledAt: null,
    lastSignInAt: null,
  });
  return id;
};

const passkeyOf = (operatorId: OperatorId, credentialId: string): Passkey => ({
  id: newId<PasskeyId>(),
  credentialId,
  operatorId,
  name: 'Laptop',
  publicKey: 'key',
  counter: 0,
  createdAt: at,
  lastUsedAt: null,
});

const addPasskey = async (operatorId: OperatorId): Promise<Passkey> => {
  const passkey = passkeyOf(operatorId, `credential ${newId<PasskeyId>()}`);
  expect(await stores.passkeys.create(passkey)).toBe('created');
  return passkey;
};

const addSession = async ({ id, operatorId }: Passkey): Promise<string> => {
  const hash = newId<SessionId>();
  await stores.sessions.create({
    id: hash,
    hash,
    subject: { kind: 'operator', operatorId, by: 'passkey', passkeyId: id },
    createdAt: at,
    authenticatedAt: at,
    lastSeenAt: at,
    idleMs: 1_800_000,
    endsAt: new Date(at.getTime() + DAY),
    userAgent: null,
  });
  return hash;
};

describe('passkeys', () => {
  it('are found by their credential, once, until they are deleted with their sessions', async () => {
    const operator = await addOperator();
    const passkey = await addPasskey(operator);
    const other = await addPasskey(operator);
    const sessions = [await addSession(passkey), await addSession(other)] as const;
    expect(await stores.passkeys.find(passkey.credentialId)).toEqual(passkey);
    expect(await stores.passkeys.create(passkey)).toBe('exists');
    expect(await stores.passkeys.listOf(operator)).toEqual([passkey, other]);
    expect(await stores.passkeys.delete(await addOperator(), passkey.id)).toBe(false);
    expect(await stores.passkeys.delete(operator, passkey.id)).toBe(true);
    expect(await stores.passkeys.find(passkey.credentialId)).toBeUndefined();
    expect(await stores.sessions.find(sessions[0])).toBeUndefined();
    expect(await stores.sessions.find(sessions[1])).toMatchObject({
      session: { hash: sessions[1] },
    });
  });

  it('are ten of one operator, however many are added at once', async () => {
    const operatorId = await addOperator();
    const added = await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        stores.passkeys.create(passkeyOf(operatorId, `at once ${number}`)),
      ),
    );
    expect(added.filter((one) => one === 'created')).toHaveLength(10);
    expect(added.filter((one) => one === 'full')).toHaveLength(20);
    const [first] = await stores.passkeys.listOf(operatorId);
    expect(await stores.passkeys.delete(operatorId, first!.id)).toBe(true);
    expect(await stores.passkeys.create(passkeyOf(operatorId, 'later'))).toBe('created');
  });

  it('of concurrent sign-ins with the same count, one is recorded', async () => {
    const passkey = await addPasskey(await addOperator());
    const uses = await Promise.all(
      [1, 1, 1].map((count) => stores.passkeys.use(passkey, count, at)),
    );
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await stores.passkeys.find(passkey.credentialId)).toMatchObject({
      counter: 1,
      lastUsedAt: at,
    });
  });

  it('begin no session once they are deleted, also if the session is stored later', async () => {
    const passkey = await addPasskey(await addOperator());
    await stores.passkeys.delete(passkey.operatorId, passkey.id);
    expect(await stores.sessions.find(await addSession(passkey))).toBeUndefined();
  });

  it('are deleted with their operator', async () => {
    const operator = await addOperator();
    const { credentialId } = await addPasskey(operator);
    await stores.operators.delete(operator);
    expect(await stores.passkeys.find(credentialId)).toBeUndefined();
  });
});

describe('challenges', () => {
  it('are answered once, and are no links', async () => {
    const until = new Date(Date.now() + DAY);
    const spent = await Promise.all([1, 2, 3].map(() => stores.links.spend('hash', until)));
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await stores.links.find('hash')).toBeUndefined();
    expect(await stores.links.find('challenge hash')).toBeUndefined();
  });
});

describe("the operators' log", () => {
  it('is read by pages, newest first, by actor and subject', async () => {
    const log = mongoOperatorLog(collections, DAY);
    const [ada, grace] = [newId<OperatorId>(), newId<OperatorId>()];
    const entry = (actor: OperatorId | null, subject: OperatorId | null): OperatorLogEntry => ({
      id: newId<OperatorId>(),
      at,
      actor: { id: actor, name: 'Somebody' },
      action: 'updateOperator',
      text: 'changed the operator',
      about: null,
      subject,
      tenant: null,
      refusal: null,
    });
    const entries = [entry(ada, grace), entry(grace, grace), entry(null, ada), entry(null, null)];
    for (const one of entries) await log.append(one);
    const all = await log.page({ limit: 10 });
    expect(all).toEqual([...entries].sort((one, other) => (one.id < other.id ? 1 : -1)));
    const [first, ...rest] = all;
    const before = first as never;
    expect(await log.page({ limit: 10, before })).toEqual(rest);
    expect(await log.page({ limit: 10, operator: ada })).toHaveLength(2);
    expect(await log.page({ limit: 10, operator: grace })).toHaveLength(2);
    expect(await collections.operatorLog.findOne({ _id: first?.id ?? '' })).toMatchObject({
      expireAt: new Date(at.getTime() + DAY),
    });
  });
});

it('a setup link is opened a hundred times, however many requests open it at once', async () => {
  const hash = 'the hash of a setup link';
  await stores.links.create({
    kind: 'setup',
    tenant: 'acme',
    provider: 'okta',
    keyId: null,
    hasIntegrations: false,
    hash,
    expiresAt: new Date(at.getTime() + DAY),
  });
  const opened = await Promise.all(
    Array.from({ length: 156 }, () => stores.links.countOpening(hash)),
  );
  expect(opened.filter(Boolean)).toHaveLength(100);
});
