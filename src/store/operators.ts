import type * as mongo from 'mongodb';
import type {
  LinkStore,
  OperatorStore,
  OwnerRule,
  PasskeyStore,
  SessionStore,
  SignInStores,
} from '../ports/operators.js';
import type { ApiKeyId } from '../domain/kernel/ids.js';
import { raise } from '../domain/kernel/refusals.js';
import { expiryOf, MAX_OPENINGS, type Operator } from '../domain/operator/operator.js';
import { PASSKEY_LIMITS } from '../domain/operator/passkey.js';
import { type SessionPool, inTransaction } from './commit/session-pool.js';
import { MAJORITY_WRITE } from './concerns.js';
import { guarded, isDuplicateKey } from './database-errors.js';
import { readSorted } from './read/entity-reader.js';
import type { Collections } from './tables/collections.js';
import {
  fromLinkDocument,
  toLinkDocument,
  operatorCodec,
  passkeyCodec,
  sessionCodec,
} from './tables/operators.js';

type Parts = Pick<
  Collections,
  'operators' | 'operatorSessions' | 'passkeys' | 'signInLinks' | 'settings'
>;

interface InTransaction {
  readonly session: mongo.ClientSession;
}

/** The server deletes what has expired within a minute; until then it is not found. */
const UNEXPIRED = { $expr: { $gt: ['$expireAt', '$$NOW'] } } as const;

const MARK = { _id: 'first-operator' } as const;

const falseIfDuplicate = (error: unknown): false => {
  if (isDuplicateKey(error)) return false;
  throw error;
};

type OperatorDocument = Parameters<typeof operatorCodec.fromDocument>[0];

const operatorOf = (found: OperatorDocument | null): Operator | undefined =>
  found ? operatorCodec.fromDocument(found) : undefined;

const mongoOperatorStore = (collections: Parts, sessions: SessionPool): OperatorStore => {
  const { operators, operatorSessions, passkeys, signInLinks, settings } = collections;

  /** From now on, no setup link makes an owner: a transaction that does inserts the same document. */
  const mark = async (session?: mongo.ClientSession): Promise<void> => {
    await settings.updateOne(
      MARK,
      { $currentDate: { setAt: true } },
      { upsert: true, ...(session ? { session } : MAJORITY_WRITE) },
    );
  };

  /** Runs what creates an operator in a transaction; false if one of its documents exists. */
  const createIn = (work: (session: mongo.ClientSession) => Promise<void>): Promise<boolean> =>
    inTransaction(sessions, work).then(() => true, falseIfDuplicate);

  /** Runs a change; with the rule, in a transaction that ends unless an owner remains. */
  const changeIn = <Result>(
    rule: OwnerRule | undefined,
    work: (options: typeof MAJORITY_WRITE | InTransaction) => Promise<Result>,
  ): Promise<Result> =>
    rule?.keepsOwner
      ? inTransaction(sessions, async (session) => {
          await mark(session);
          const result = await work({ session });
          if (!(await operators.findOne({ role: 'owner', disabledAt: null }, { session })))
            raise('LAST_OWNER');
          return result;
        })
      : work(MAJORITY_WRITE);

  return {
    find: async (id) => operatorOf(await operators.findOne({ _id: id })),
    findBySubject: async (subject) => operatorOf(await operators.findOne({ subject })),
    page: async (page) => {
      const { items, total } = await readSorted(operators, {}, page);
      return { items: items.map(operatorCodec.fromDocument), total };
    },
    exist: async () => (await settings.findOne(MARK)) !== null,
    create: (operator) =>
      createIn(async (session) => {
        await mark(session);
        await operators.insertOne(operatorCodec.toDocument(operator), { session });
      }),
    createFirst: (owner) =>
      createIn(async (session) => {
        await settings.insertOne({ ...MARK, setAt: owner.createdAt }, { session });
        await operators.insertOne(operatorCodec.toDocument(owner), { session });
        await signInLinks.deleteMany({ kind: 'first-owner' }, { session });
      }),
    update: (id, changes, rule) =>
      changeIn(rule, async (options) =>
        operatorOf(
          await operators.findOneAndUpdate(
            { _id: id },
            { $set: changes },
            { returnDocument: 'after', ...options },
          ),
        ),
      ),
    delete: async (id, rule) => {
      const isDeleted = await changeIn(rule, async (options) => {
        await mark('session' in options ? options.session : undefined);
        const { deletedCount } = await operators.deleteOne({ _id: id }, options);
        return deletedCount === 1;
      });
      await operatorSessions.deleteMany({ operator: id });
      await signInLinks.deleteMany({ operator: id });
      await passkeys.deleteMany({ operator: id }, MAJORITY_WRITE);
      return isDeleted;
    },
    unbind: async (slug) => {
      await operators.updateMany({ tenants: slug }, { $pull: { tenants: slug } }, MAJORITY_WRITE);
    },
  };
};

const mongoSessionStore = ({
  operators,
  operatorSessions,
  passkeys,
  signInLinks,
}: Parts): SessionStore => ({
  find: async (hash) => {
    const found = await operatorSessions.findOne({ _id: hash, ...UNEXPIRED });
    if (!found) return undefined;
    const session = sessionCodec.fromDocument(found);
    const { subject } = session;
    if (subject.kind === 'admin-token') return { session, operator: null, setupLink: null };
    if (subject.kind === 'setup') {
      const link = await signInLinks.findOne({ _id: subject.linkHash, ...UNEXPIRED });
      const setupLink = link && fromLinkDocument(link);
      return setupLink?.kind === 'setup' ? { session, operator: null, setupLink } : undefined;
    }
    const operator = await operators.findOne({ _id: subject.operatorId });
    if (!operator || operator.disabledAt !== null) return undefined;
    if (
      subject.by === 'passkey' &&
      !(await passkeys.findOne({ operator: subject.operatorId, id: subject.passkeyId }))
    )
      return undefined;
    return { session, operator: operatorCodec.fromDocument(operator), setupLink: null };
  },
  create: async (session) => {
    await operatorSessions.insertOne(sessionCodec.toDocument(session), MAJORITY_WRITE);
  },
  touch: async (session, lastSeenAt) => {
    await operatorSessions.updateOne(
      { _id: session.hash },
      { $set: { lastSeenAt, expireAt: expiryOf({ ...session, lastSeenAt }) } },
    );
  },
  delete: async (hash) => {
    await operatorSessions.deleteOne({ _id: hash }, MAJORITY_WRITE);
  },
  listOf: (operator) =>
    operatorSessions
      .find({ operator, ...UNEXPIRED })
      .sort({ createdAt: -1 })
      .map(sessionCodec.fromDocument)
      .toArray(),
  deleteOf: async (operator, id) => {
    const { deletedCount } = await operatorSessions.deleteMany(
      { operator, ...(id !== undefined && { id }) },
      MAJORITY_WRITE,
    );
    return deletedCount > 0;
  },
});

const mongoLinkStore = ({ signInLinks }: Parts): LinkStore => ({
  find: async (hash) => {
    const found = await signInLinks.findOne({ _id: hash, ...UNEXPIRED });
    return found ? fromLinkDocument(found) : undefined;
  },
  create: async (link) => {
    await signInLinks.insertOne(toLinkDocument(link), MAJORITY_WRITE);
  },
  use: async ({ hash }) => {
    const { deletedCount } = await signInLinks.deleteOne({ _id: hash }, MAJORITY_WRITE);
    return deletedCount === 1;
  },
  countOpening: async (hash) => {
    const { matchedCount } = await signInLinks.updateOne(
      { _id: hash, openings: { $not: { $gte: MAX_OPENINGS } } },
      { $inc: { openings: 1 } },
      MAJORITY_WRITE,
    );
    return matchedCount === 1;
  },
  replaceKey: async (hash, keyId) => {
    const before = await signInLinks.findOneAndUpdate(
      { _id: hash },
      { $set: { keyId } },
      { returnDocument: 'before', ...MAJORITY_WRITE },
    );
    return (before?.keyId as ApiKeyId | undefined) ?? null;
  },
  setupLinksOf: async (tenant) => {
    const found = await signInLinks
      .find({ tenantSlug: tenant, ...UNEXPIRED })
      .sort({ expireAt: 1 })
      .toArray();
    return found.map(fromLinkDocument).filter((link) => link?.kind === 'setup');
  },
  endOfTenant: async (tenant) => {
    await signInLinks.deleteMany({ tenantSlug: tenant }, MAJORITY_WRITE);
  },
  endOf: async (operator) => {
    await signInLinks.deleteMany({ operator }, MAJORITY_WRITE);
  },
  // Under a name that no secret of a link has.
  spend: (hash, expireAt) =>
    signInLinks
      .insertOne({ _id: `challenge ${hash}`, kind: 'challenge', expireAt }, MAJORITY_WRITE)
      .then(() => true, falseIfDuplicate),
});

const mongoPasskeyStore = (
  { operators, operatorSessions, passkeys }: Parts,
  sessions: SessionPool,
): PasskeyStore => ({
  find: async (credentialId) => {
    const found = await passkeys.findOne({ _id: credentialId });
    return found ? passkeyCodec.fromDocument(found) : undefined;
  },
  listOf: (operator) =>
    passkeys.find({ operator }).sort({ createdAt: 1 }).map(passkeyCodec.fromDocument).toArray(),
  create: async (passkey) => {
    const { operatorId } = passkey;
    const created = await inTransaction(sessions, async (session) => {
      const { matchedCount } = await operators.updateOne(
        { _id: operatorId },
        { $inc: { passkeysAdded: 1 } },
        { session },
      );
      // Deleted meanwhile, with all passkeys.
      if (matchedCount === 0) return 'full';
      const count = await passkeys.countDocuments({ operator: operatorId }, { session });
      if (count >= PASSKEY_LIMITS.count) return 'full';
      await passkeys.insertOne(passkeyCodec.toDocument(passkey), { session });
      return 'created';
    }).catch(falseIfDuplicate);
    return created || 'exists';
  },
  use: async ({ credentialId, counter: before }, counter, lastUsedAt) => {
    const { matchedCount } = await passkeys.updateOne(
      { _id: credentialId, counter: before },
      { $set: { counter, lastUsedAt } },
      MAJORITY_WRITE,
    );
    return matchedCount === 1;
  },
  delete: async (operator, id) => {
    const { deletedCount } = await passkeys.deleteOne({ operator, id }, MAJORITY_WRITE);
    await operatorSessions.deleteMany({ operator, 'subject.passkeyId': id }, MAJORITY_WRITE);
    return deletedCount === 1;
  },
});

/** Operators, their sessions and links, shared by all gateways of the database. */
export const mongoSignInStores = (collections: Parts, sessions: SessionPool): SignInStores => ({
  operators: guarded(mongoOperatorStore(collections, sessions)),
  sessions: guarded(mongoSessionStore(collections)),
  links: guarded(mongoLinkStore(collections)),
  passkeys: guarded(mongoPasskeyStore(collections, sessions)),
});
