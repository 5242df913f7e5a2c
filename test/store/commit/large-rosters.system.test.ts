import { beforeAll, describe, expect, it } from 'vitest';
import type { BulkOutcome, CommandOf, CommandType } from '../../../src/domain/commands.js';
import type {
  CommandId,
  GroupId,
  RoleMappingId,
  RoomId,
  UserId,
} from '../../../src/domain/kernel/ids.js';
import type { Tenant } from '../../../src/domain/tenant/tenant.js';
import { type CommitStore, StoreUnavailable } from '../../../src/pipeline/commit-store.js';
import { newId, type Outcome, resultOf } from '../../../src/pipeline/submit.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';
import {
  expectConsistentLog,
  isRoleEvent,
  type ModelEvent,
  subjectOf,
} from '../../support/histories/agreement.js';
import { eventually } from '../../support/eventually.js';

const database = useDatabase();
let core: PipelineInstance;

beforeAll(async () => {
  core = new PipelineInstance(await database.open());
});

const done = async <Type extends CommandType>(
  tenant: Tenant,
  command: CommandOf<Type>,
  by: PipelineInstance = core,
) => resultOf(await by.submit<Type>(tenant.id, command));

const creating = (ids: readonly UserId[]): CommandOf<'bulk'> => ({
  type: 'bulk',
  operations: ids.map((userId) => ({
    id: newId<CommandId>(),
    command: { type: 'user.create', userId, profile: { userName: userId, active: true } },
  })),
  failOnErrors: null,
});

const chunksOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

interface Scene {
  readonly tenant: Tenant;
  readonly userIds: readonly UserId[];
  readonly roomId: RoomId;
  readonly groupId: GroupId;
}

/**
 * A tenant with a room-backed group "Dispatch" of this many members, created like an identity
 * provider does.
 */
const sceneOf = async (members: number): Promise<Scene> => {
  const tenant = await core.createTenant();
  const userIds = Array.from({ length: members }, () => newId<UserId>());
  const [roomId, groupId] = [newId<RoomId>(), newId<GroupId>()];
  for (const ids of chunksOf(userIds, 1_000)) await done<'bulk'>(tenant, creating(ids));
  await done<'room.create'>(tenant, { type: 'room.create', roomId, name: 'Dispatch' });
  await done<'group.create'>(tenant, {
    type: 'group.create',
    groupId,
    roomId: newId<RoomId>(),
    displayName: 'Dispatch',
    externalId: null,
    members: [],
  });
  for (const ids of chunksOf(userIds, 500))
    await done<'group.change'>(tenant, {
      type: 'group.change',
      groupId,
      steps: [{ op: 'add', userIds: ids }],
    });
  return { tenant, userIds, roomId, groupId };
};

const putting = ({ groupId }: Scene, userIds: readonly UserId[]): CommandOf<'group.change'> => ({
  type: 'group.change',
  groupId,
  steps: [{ op: 'replace', userIds }],
});

const eventsOf = async ({ id }: Tenant): Promise<readonly ModelEvent[]> => {
  const found = await core.collections.database
    .collection<{ seq: number; name: string; data: object }>('events')
    .find({ tenant: id })
    .sort({ seq: 1 })
    .toArray();
  expect(found.map(({ seq }) => seq)).toEqual(found.map((_, at) => at + 1));
  return found.map(({ name, data }) => ({ name, data }));
};

const countBy = (events: readonly ModelEvent[], name: string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const event of events.filter((one) => one.name === name))
    counts.set(subjectOf(event), (counts.get(subjectOf(event)) ?? 0) + 1);
  return counts;
};

const unfinished = ({ tenant }: Scene) =>
  core.collections.jobs.countDocuments({ tenant: tenant.id, finishedAt: null });

const jobsToEnd = (scene: Scene) => eventually(async () => expect(await unfinished(scene)).toBe(0));

/** Expects exactly these members in the room, and all counts to agree. */
const expectMembers = async ({ tenant, roomId }: Scene, userIds: readonly UserId[]) => {
  const { memberships, rooms, groups, jobParts } = core.collections;
  const of = { tenant: tenant.id };
  const [held, room, group] = await Promise.all([
    memberships.find({ ...of, roster: roomId }).toArray(),
    rooms.findOne({ ...of, _id: roomId }),
    groups.findOne({ ...of, room: roomId }),
  ]);
  expect(held.map(({ user }) => user).sort()).toEqual([...userIds].sort());
  expect(room).toMatchObject({ memberCount: userIds.length, pendingJob: null });
  if (group) expect(group).toMatchObject({ memberCount: userIds.length, pendingJob: null });
  expect(await jobParts.countDocuments(of)).toBe(0);
};

/** Expects one event per added and per removed member. */
const expectEvents = async ({ tenant, userIds }: Scene, left: number) => {
  const events = await eventsOf(tenant);
  expectConsistentLog(events);
  const [added, removed] = ['room.member_added', 'room.member_removed'].map((name) =>
    countBy(events, name),
  );
  expect(added?.size).toBe(userIds.length);
  expect(removed?.size).toBe(left);
  expect(new Set([...(added?.values() ?? []), ...(removed?.values() ?? [])])).toEqual(new Set([1]));
  return events;
};

/** An instance that crashes after this many commits: its requests to the database never return. */
const crashing = async (commits: number): Promise<PipelineInstance> => {
  let left = commits;
  const never = new Promise<never>(() => undefined);
  return new PipelineInstance(await database.open(), {
    wrap: (store): CommitStore => ({
      ...store,
      load: (...parameters) => (left > 0 ? store.load(...parameters) : never),
      commit: async (plan) => {
        if (left <= 0) return never;
        left -= 1;
        await store.commit(plan);
      },
    }),
  });
};

/** An instance whose clock is a minute ahead, so that every job counts as abandoned. */
const later = async (): Promise<PipelineInstance> =>
  new PipelineInstance(await database.open(), { clock: () => new Date(Date.now() + 60_000) });

describe('a group of 3,000', { timeout: 90_000 }, () => {
  it('is halved and deleted by jobs, each member once', async () => {
    const scene = await sceneOf(3_000);
    const half = scene.userIds.slice(0, 1_500);
    await expectMembers(scene, scene.userIds);
    expect(await done<'group.change'>(scene.tenant, putting(scene, half))).toMatchObject({
      id: scene.groupId,
    });
    // It waits in the lane for the job of the first one.
    await done<'group.delete'>(scene.tenant, { type: 'group.delete', groupId: scene.groupId });
    await jobsToEnd(scene);
    await expectMembers(scene, []);
    const events = await expectEvents(scene, 3_000);
    expect(events.at(-1)?.name).toBe('group.deleted');
  });
});

describe('a job', { timeout: 90_000 }, () => {
  it('is completed by another instance after a crash, without duplicates', async () => {
    const scene = await sceneOf(1_600);
    const crashed = await crashing(4);
    await done<'group.delete'>(
      scene.tenant,
      { type: 'group.delete', groupId: scene.groupId },
      crashed,
    );
    await eventually(async () =>
      expect(await core.collections.jobs.findOne({ tenant: scene.tenant.id })).toMatchObject({
        done: 750,
      }),
    );
    const next = await later();
    await next.pipeline.resumeJobs();
    await jobsToEnd(scene);
    await expectMembers(scene, []);
    const events = await expectEvents(scene, 1_600);
    expect(events.at(-1)?.name).toBe('group.deleted');
  });

  it('is done once if two instances run its steps', async () => {
    const scene = await sceneOf(1_400);
    const others = await Promise.all([later(), later()]);
    await done<'group.change'>(scene.tenant, putting(scene, scene.userIds.slice(0, 200)));
    await Promise.all(others.map(({ pipeline }) => pipeline.resumeJobs()));
    await jobsToEnd(scene);
    await expectMembers(scene, scene.userIds.slice(0, 200));
    await expectEvents(scene, 1_200);
  });

  it('delays other changes of its members only', async () => {
    const scene = await sceneOf(1_200);
    const { tenant, roomId, userIds } = scene;
    const late = newId<UserId>();
    const clearing = done<'group.change'>(tenant, putting(scene, []));
    await clearing;
    const waiting = done<'member.add'>(tenant, {
      type: 'member.add',
      roomId,
      userId: userIds[0]!,
      txPermission: true,
    });
    await done<'bulk'>(tenant, creating([late]));
    expect(await unfinished(scene)).toBe(1);
    expect(await waiting).toMatchObject({ txPermission: true });
    await jobsToEnd(scene);
    await expectMembers(scene, [userIds[0]!]);
  });

  it('of roles restarts when the mapping changes again and ends with the last role', async () => {
    const scene = await sceneOf(1_500);
    const mappingId = newId<RoleMappingId>();
    await done<'role-mapping.create'>(scene.tenant, {
      type: 'role-mapping.create',
      mappingId,
      groupDisplayName: 'Dispatch',
      role: 'dispatcher',
      applyOnScimProvisioning: true,
      priority: 100,
    });
    await done<'role-mapping.update'>(scene.tenant, {
      type: 'role-mapping.update',
      mappingId,
      role: 'chief',
    });
    await jobsToEnd(scene);
    const { users, jobs } = core.collections;
    const of = { tenant: scene.tenant.id };
    expect(await users.countDocuments({ ...of, role: 'chief' })).toBe(1_500);
    expect(await jobs.countDocuments(of)).toBe(1);
    const roleEvents = (await eventsOf(scene.tenant)).filter(isRoleEvent);
    expect(new Set(roleEvents.map(subjectOf)).size).toBe(1_500);
  });
});

describe('a lost response to a commit', () => {
  /** An instance that loses the response to its first commit. */
  const forgetful = async (): Promise<PipelineInstance> => {
    let isLost = false;
    return new PipelineInstance(await database.open(), {
      wrap: (store) => ({
        ...store,
        commit: async (plan) => {
          await store.commit(plan);
          if (isLost) return;
          isLost = true;
          throw new StoreUnavailable('unknown');
        },
      }),
    });
  };

  it('of a sync is recovered with its counts', async () => {
    const { tenant, roomId, userIds } = await sceneOf(3);
    const counts = await done<'member.sync'>(
      tenant,
      { type: 'member.sync', roomId, members: [{ userId: userIds[0]!, txPermission: true }] },
      await forgetful(),
    );
    expect(counts).toEqual({ added: 0, updated: 1, removed: 2 });
  });

  const endingsOf = (outcome: Outcome<'bulk'>): readonly string[] =>
    resultOf(outcome).map((one: BulkOutcome) => {
      if (!one) return 'undone';
      return 'refusal' in one ? one.refusal.code : 'done';
    });

  const refusalsOf = (outcome: Outcome<'bulk'>) =>
    resultOf(outcome).flatMap((one: BulkOutcome) => (one && 'refusal' in one ? [one.refusal] : []));

  it('of a Bulk is recovered for each operation, including refused and skipped ones', async () => {
    const { tenant, userIds } = await sceneOf(1);
    const newOwner = newId<UserId>();
    const named = { userName: userIds[0]!, active: true };
    const operations = [
      { type: 'user.create', userId: newOwner, profile: named },
      { type: 'user.delete', userId: userIds[0]! },
      { type: 'user.create', userId: newId<UserId>(), profile: { userName: 'x', active: true } },
      { type: 'user.delete', userId: newId<UserId>() },
      { type: 'user.create', userId: newId<UserId>(), profile: { userName: 'y', active: true } },
    ] as const;
    const outcome = await (
      await forgetful()
    ).submit<'bulk'>(tenant.id, {
      type: 'bulk',
      operations: operations.map((command) => ({ id: newId<CommandId>(), command })),
      failOnErrors: 2,
    });
    expect(endingsOf(outcome)).toEqual([
      'USERNAME_TAKEN',
      'done',
      'done',
      'USER_NOT_FOUND',
      'undone',
    ]);
    expect(refusalsOf(outcome)[0]?.message).toBe('Another user has this user name.');
    const { users, commandLog } = core.collections;
    expect(await users.countDocuments({ tenant: tenant.id })).toBe(1);
    const lines = await commandLog.find({ tenant: tenant.id, type: /^user/ }).toArray();
    expect(lines.map(({ outcome: ended }) => ended).sort()).toEqual(
      ['applied', 'applied', 'applied', 'refused', 'refused'].sort(),
    );
  });

  it('of a Bulk is recovered with scimType and message of each refusal', async () => {
    const { tenant, groupId, userIds } = await sceneOf(1);
    const unknown = newId<UserId>();
    const steps = [{ op: 'add', userIds: [unknown] }] as const;
    const operations = [
      { type: 'user.delete', userId: userIds[0]! },
      { type: 'group.change', groupId, steps },
    ] as const;
    const outcome = await (
      await forgetful()
    ).submit<'bulk'>(tenant.id, {
      type: 'bulk',
      operations: operations.map((command) => ({ id: newId<CommandId>(), command })),
      failOnErrors: null,
    });
    expect(refusalsOf(outcome)).toEqual([
      {
        code: 'INVALID_REQUEST',
        message: expect.stringContaining(
          `No user has the id "${unknown}". Nothing was changed.`,
        ) as string,
        scimType: 'invalidValue',
      },
    ]);
  });
});

describe('a Bulk', { timeout: 90_000 }, () => {
  it('of 1,000 creates is one commit with a log line and an event per operation', async () => {
    const tenant = await core.createTenant();
    const { tenantState, commandLog } = core.collections;
    const before = await tenantState.findOne({ _id: tenant.id });
    const ids = Array.from({ length: 1_000 }, () => newId<UserId>());
    const outcomes = await done<'bulk'>(tenant, creating(ids));
    expect(outcomes.map((one) => one && 'result' in one && one.result?.id)).toEqual(ids);
    const after = await tenantState.findOne({ _id: tenant.id });
    expect((after?.v ?? 0) - (before?.v ?? 0)).toBe(1);
    const lines = await commandLog.find({ tenant: tenant.id, type: 'user.create' }).toArray();
    expect(lines.map(({ events }) => events?.[0]).sort((a, b) => Number(a) - Number(b))).toEqual(
      ids.map((_, at) => at + 1),
    );
    expect(lines.every(({ events }) => events?.[0] === events?.[1])).toBe(true);
  });
});
