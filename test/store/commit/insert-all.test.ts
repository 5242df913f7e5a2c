import type { mongo } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandOf } from '../../../src/domain/commands.js';
import type {
  CommandId,
  GroupId,
  RoomId,
  TenantId,
  UserId,
} from '../../../src/domain/kernel/ids.js';
import { newId, resultOf } from '../../../src/pipeline/submit.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';
import { countYields } from '../../support/turns.js';

const MANY = 1_000;
/** Documents that are encoded in a few milliseconds. */
const MAX_WRITTEN = 125;
const MAX_QUERIED = 2_000;

const database = useDatabase();
const statements: mongo.CommandStartedEvent[] = [];
const userIds = Array.from({ length: MANY }, () => newId<UserId>());
let core: PipelineInstance;
let tenant: TenantId;

beforeAll(async () => {
  core = new PipelineInstance(await database.open({ monitorCommands: true }));
  tenant = (await core.createTenant({ roomProvisioning: 'automatic' })).id;
  core.collections.client.on('commandStarted', (statement) => statements.push(statement));
});

/** What was sent to a collection, statement by statement. */
const sentTo = (collection: string): readonly (readonly unknown[])[] =>
  statements.flatMap(({ command }) => {
    const { insert, update, documents, updates } = command as Readonly<
      Record<string, readonly unknown[]>
    >;
    if (insert === (collection as unknown)) return [documents ?? []];
    return update === (collection as unknown) ? [updates ?? []] : [];
  });

const creating: CommandOf<'bulk'> = {
  type: 'bulk',
  operations: userIds.map((userId) => ({
    id: newId<CommandId>(),
    command: { type: 'user.create', userId, profile: { userName: userId, active: true } },
  })),
  failOnErrors: null,
};

const grouping = (): CommandOf<'group.create'> => ({
  type: 'group.create',
  groupId: newId<GroupId>(),
  roomId: newId<RoomId>(),
  displayName: 'All users',
  externalId: null,
  members: userIds,
});

describe('the statements of a large commit', () => {
  it('send all documents in slices', async () => {
    resultOf(await core.submit<'bulk'>(tenant, creating));
    resultOf(await core.submit<'group.create'>(tenant, grouping()));
    for (const [collection, count] of [
      ['users', MANY],
      ['memberships', MANY],
      ['command_log', MANY + 1],
      ['events', 2 * MANY + 1],
    ] as const) {
      const lengths = sentTo(collection).map(({ length }) => length);
      expect([collection, Math.max(...lengths)]).toEqual([collection, MAX_WRITTEN]);
      expect(lengths.reduce((sum, length) => sum + length)).toBe(count);
    }
  });
});

interface Keys {
  readonly _id?: { readonly $in?: readonly unknown[] };
}

describe('a large load', () => {
  const needs = userIds.map((key) => ({ table: 'users', index: 'id', key }) as const);

  it('yields the event loop while it reads results', async () => {
    const few = await countYields(() => core.store.load(tenant, needs.slice(0, 3)));
    const many = await countYields(() => core.store.load(tenant, needs));
    expect(many).toBeGreaterThan(few);
  });

  it('queries keys in slices and finds each', async () => {
    statements.length = 0;
    const unknown = Array.from({ length: 2 * MAX_QUERIED }, () => newId<UserId>());
    const keys = [...unknown.slice(0, MAX_QUERIED), ...userIds, ...unknown.slice(MAX_QUERIED)];
    const { entities } = await core.store.load(
      tenant,
      keys.map((key) => ({ table: 'userIds', index: 'id', key })),
    );
    expect(new Set(entities.userIds?.map(({ id }) => id))).toEqual(new Set(userIds));
    const queried = statements.flatMap(({ command }) => {
      const { filter } = command as { readonly filter?: Keys };
      const keys = filter?._id?.$in;
      return keys ? [keys.length] : [];
    });
    expect(queried).toEqual([MAX_QUERIED, MAX_QUERIED, MANY]);
  });
});
