import mongoose, { type mongo } from 'mongoose';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { CommandOf } from '../../src/domain/commands.js';
import type { UserId } from '../../src/domain/kernel/ids.js';
import type { Tenant } from '../../src/domain/tenant/tenant.js';
import { type CommitPlan, StoreUnavailable } from '../../src/pipeline/commit-store.js';
import { newId, type Outcome } from '../../src/pipeline/submit.js';
import { guarded, guardRead, toCommitError, toReadError } from '../../src/store/database-errors.js';
import { collectionsOf } from '../../src/store/tables/collections.js';
import { connect } from '../../src/store/connect.js';
import type { UserDocument } from '../../src/store/tables/users.js';
import { aProfile } from '../support/builders.js';
import { PipelineInstance, useDatabase } from '../support/core.js';
import { type CutProxy, openCutProxy } from '../support/cut-proxy.js';

const database = useDatabase();

const create = (name: string): CommandOf<'user.create'> => ({
  type: 'user.create',
  userId: newId<UserId>(),
  profile: aProfile({ userName: `${name}@example.com` }),
});

const codeOf = (outcome: Outcome): string => (outcome.ok ? 'ok' : outcome.refusal.code);

const countUsers = async ({ id }: Tenant): Promise<number> => {
  const { collections } = new PipelineInstance(await database.open());
  return collections.users.countDocuments({ tenant: id });
};

const openProxy = (): Promise<CutProxy> => {
  const { hostname, port } = new URL(inject('mongodbUri'));
  return openCutProxy({ host: hostname, port: Number(port) });
};

const uriThrough = async ({ port }: CutProxy): Promise<string> => {
  const uri = new URL(inject('mongodbUri'));
  uri.host = `127.0.0.1:${port}`;
  uri.pathname = `/${(await database.open()).db().databaseName}`;
  uri.searchParams.set('directConnection', 'true');
  uri.searchParams.delete('replicaSet');
  return uri.href;
};

describe('a connection that breaks while a commit writes', () => {
  let proxy: CutProxy;
  let core: PipelineInstance;
  let plans: CommitPlan[];
  let close: () => Promise<void>;

  beforeEach(async () => {
    proxy = await openProxy();
    const connection = await connect(await uriThrough(proxy), { monitorCommands: true });
    plans = [];
    core = new PipelineInstance(connection, {
      wrap: (store) => ({
        ...store,
        commit: (plan) => {
          plans.push(plan);
          return store.commit(plan);
        },
      }),
    });
    close = () => connection.close();
  });

  afterEach(async () => {
    await close();
    await proxy.close();
  });

  /** Cuts the connection as soon as the driver has started this command on this collection. */
  const cutAt = (command: string, collection?: string): void => {
    const onCommand = (event: mongo.CommandStartedEvent): void => {
      const isIt =
        event.commandName === command &&
        (collection === undefined || event.command[command] === collection);
      if (!isIt) return;
      core.collections.client.off('commandStarted', onCommand);
      proxy.cut();
    };
    core.collections.client.on('commandStarted', onCommand);
  };

  it.each(['users', 'events', 'command_log'])(
    'during an insert into %s fails the whole batch with 503 and writes nothing',
    async (collection) => {
      const tenant = await core.createTenant();
      await core.submit(tenant.id, create('before'));
      cutAt('insert', collection);
      const commits = plans.length;
      // The first runs alone; the others wait for it and form the batch.
      const outcomes = await Promise.all(
        ['a', 'b', 'c'].map((name) => core.submit(tenant.id, create(name))),
      );
      expect(outcomes.map(codeOf)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
      expect(plans.length - commits).toBeLessThanOrEqual(2);
      expect(await countUsers(tenant)).toBe(1);
    },
  );

  it('and recovers fails one batch only', async () => {
    const tenant = await core.createTenant();
    cutAt('insert', 'users');
    expect(codeOf(await core.submit(tenant.id, create('lost')))).toBe('UNAVAILABLE');
    proxy.restore();
    expect(codeOf(await core.submit(tenant.id, create('lost')))).toBe('ok');
    expect(await countUsers(tenant)).toBe(1);
  });
});

describe('an insert into an unavailable database', () => {
  it.each([false, true])(
    'is recognised however the driver wraps the error (transaction: %s)',
    async (inTransaction) => {
      const proxy = await openProxy();
      const connection = await connect(await uriThrough(proxy));
      const { client, users } = collectionsOf(connection);
      const session = client.startSession();
      try {
        if (inTransaction) {
          session.startTransaction();
          await users.findOne({ _id: 'none' }, { session });
        }
        proxy.cut();
        const options = inTransaction ? { session } : {};
        const error: unknown = await users
          .insertMany([{ _id: 'a' } as UserDocument], options)
          .catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(mongoose.mongo.MongoBulkWriteError);
        expect(toCommitError(error, false)).toMatchObject({ written: 'nothing' });
        expect(toCommitError(error, true)).toMatchObject({ written: 'unknown' });
        expect(toReadError(error)).toBeInstanceOf(StoreUnavailable);
        await expect(guardRead(() => Promise.reject(error as Error))).rejects.toMatchObject({
          refusal: { code: 'UNAVAILABLE' },
        });
      } finally {
        await session.endSession();
        await connection.close();
        await proxy.close();
      }
    },
  );
});

describe('a duplicate key that no decider could see', () => {
  it('refuses its own command, and the others of the batch succeed', async () => {
    const core = new PipelineInstance(await database.open());
    const tenant = await core.createTenant();
    const doomed = create('doomed');
    await core.submit(tenant.id, doomed);
    const [stored] = await core.collections.users.find({ _id: doomed.userId }).toArray();
    if (!stored) throw new Error('The user was not stored.');
    const { folded: _folded, ...document } = stored;
    await core.collections.deletedUsers.insertOne({ ...document, departedAt: new Date() });

    const outcomes = await Promise.all([
      core.submit(tenant.id, create('first of the lane')),
      core.submit(tenant.id, create('a')),
      core.submit(tenant.id, { type: 'user.delete', userId: doomed.userId }),
      core.submit(tenant.id, create('b')),
    ]);
    expect(outcomes.map(codeOf)).toEqual(['ok', 'ok', 'INTERNAL', 'ok']);
  });
});

describe('a guarded store', () => {
  const unavailable = new mongoose.mongo.MongoNetworkError('gone');

  it('answers 503 where a promise of it is rejected because the database is unavailable', async () => {
    const store = guarded({ find: (_id: string) => Promise.reject(unavailable) });
    await expect(store.find('ada')).rejects.toMatchObject({ refusal: { code: 'UNAVAILABLE' } });
  });

  it('returns the results of the store, and its streams as they are', async () => {
    const stream = (async function* () {
      yield await Promise.resolve('ada');
    })();
    const store = guarded({ find: (id: string) => Promise.resolve(id), all: () => stream });
    await expect(store.find('ada')).resolves.toBe('ada');
    expect(store.all()).toBe(stream);
  });
});
