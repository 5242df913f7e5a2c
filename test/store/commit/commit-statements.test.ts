import type { mongo } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/kernel/ids.js';
import {
  CommitConflict,
  DuplicateKey,
  type CommitPlan,
  StoreUnavailable,
} from '../../../src/pipeline/commit-store.js';
import { newId } from '../../../src/pipeline/submit.js';
import { aProfile } from '../../support/builders.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';

const database = useDatabase();
const plans: CommitPlan[] = [];
let core: PipelineInstance;

beforeAll(async () => {
  core = new PipelineInstance(await database.open({ monitorCommands: true }), {
    wrap: (store) => ({
      ...store,
      commit: (plan) => {
        plans.push(plan);
        return store.commit(plan);
      },
    }),
  });
});

const COLLECTIONS = ['users', 'events', 'command_log'] as const;

const countIn = (tenant: string) =>
  Promise.all(
    COLLECTIONS.map((name) =>
      core.collections.database.collection(name).countDocuments({ tenant }),
    ),
  );

const createUser = (name: string) => ({
  type: 'user.create' as const,
  userId: newId<UserId>(),
  profile: aProfile({ userName: `${name}@example.com` }),
});

/** A tenant with one user, and the plan of a second that can be committed at any time. */
const preparePlan = async (): Promise<CommitPlan> => {
  const { id } = await core.createTenant();
  await core.submit(id, createUser('first'));
  await core.submit(id, createUser('second'));
  const second = plans.at(-1);
  if (!second) throw new Error('Nothing was committed.');
  await core.submit(id, { type: 'user.delete', userId: second.changes[0]?.after?.id as UserId });
  const loaded = await core.store.load(id, []);
  const { seq } = loaded.version;
  return {
    ...second,
    version: loaded.version,
    seqAfter: seq + 1,
    now: loaded.now,
    events: second.events.map((event) => ({ ...event, id: newId(), seq: seq + 1 })),
    log: second.log.map((entry) => ({ ...entry, id: newId() })),
  };
};

const failureOf = (plan: CommitPlan): Promise<unknown> =>
  core.store.commit(plan).then(
    () => 'it was committed',
    (error: unknown) => error,
  );

describe('the statements of a commit', () => {
  it('start after the version is taken and end before the commit is sent', async () => {
    const steps: string[] = [];
    const note =
      (step: string) => (event: mongo.CommandStartedEvent | mongo.CommandSucceededEvent) =>
        steps.push(`${event.commandName} ${step}`);
    const { client } = core.collections;
    const [began, ended] = [note('begins'), note('ends')];
    const { id } = await core.createTenant();
    client.on('commandStarted', began).on('commandSucceeded', ended);
    for (let at = 0; at < 50; at += 1) {
      steps.length = 0;
      await core.submit(id, createUser(`user${at}`));
      const written = steps.slice(steps.indexOf('update begins'));
      expect(written.slice(0, 2)).toEqual(['update begins', 'update ends']);
      // One at a time: MongoDB does not support concurrent ones in a transaction.
      expect(written.slice(2, -2)).toEqual(
        Array.from({ length: 3 }, () => ['insert begins', 'insert ends']).flat(),
      );
      expect(written.slice(-2)).toEqual(['commitTransaction begins', 'commitTransaction ends']);
    }
    client.off('commandStarted', began).off('commandSucceeded', ended);
  });

  it.each(['users', 'events', 'log'] as const)(
    'are rolled back if the database refuses one of them, with the duplicate key as the error (%s)',
    async (refused) => {
      for (let round = 0; round < 10; round += 1) {
        const plan = await preparePlan();
        const before = await countIn(plan.tenantId);
        const [event] = await core.collections.database
          .collection<{ _id: string }>('events')
          .find({ tenant: plan.tenantId })
          .toArray();
        const failure = await failureOf({
          ...plan,
          ...(refused === 'users' && { version: { ...plan.version, nextOrdinal: 0 } }),
          ...(refused === 'events' && {
            events: plan.events.map((each) => ({ ...each, id: event?._id as typeof each.id })),
          }),
          ...(refused === 'log' && { log: [...plan.log, ...plan.log] }),
        });
        expect(failure).toBeInstanceOf(DuplicateKey);
        expect(await countIn(plan.tenantId)).toEqual(before);
        expect(await failureOf(plan)).toBe('it was committed');
        expect(await countIn(plan.tenantId)).toEqual(before.map((count) => count + 1));
      }
    },
  );

  it('are rolled back if one of them cannot be sent, with that as the error', async () => {
    const plan = await preparePlan();
    const before = await countIn(plan.tenantId);
    const tooLarge = 'x'.repeat(17 * 1024 * 1024);
    const failure = await failureOf({
      ...plan,
      log: plan.log.map((entry) => ({ ...entry, requestId: tooLarge })),
    });
    expect(failure).toBeInstanceOf(Error);
    expect(failure).not.toBeInstanceOf(CommitConflict);
    expect(failure).not.toBeInstanceOf(StoreUnavailable);
    expect(await countIn(plan.tenantId)).toEqual(before);
    expect(await failureOf(plan)).toBe('it was committed');
  });
});
