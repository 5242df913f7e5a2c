import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/kernel/decider.js';
import type { CommandId, JobId, UserId } from '../../src/domain/kernel/ids.js';
import { type Job, jobPartIdOf } from '../../src/domain/job/job.js';
import {
  aGroup,
  aMapping,
  aMember,
  aRoom,
  aTenant,
  aUser,
  GROUP_ID,
  idOf,
  NOW,
  ROOM_ID,
  TENANT_ID,
} from '../support/builders.js';
import { given } from '../support/given.js';
import { aSmsList, aSmsMember, LIST_ID } from '../support/sms.js';

const JOB = idOf<JobId>(0xc0de);
const roomId = ROOM_ID;
const user = (number: number): UserId => idOf<UserId>(number);
const numbers = (length: number) => Array.from({ length }, (_, at) => at + 1);
const lowLimits = { membersAtOnce: 2, changesAtOnce: 100, stepSize: 2 };

/** A room with this number of members, and its group. */
const roomOf = (length: number, more: Parameters<typeof aRoom>[0] = {}) => ({
  rooms: [aRoom({ memberCount: length, ...more })],
  groups: [aGroup({ memberCount: length })],
  memberships: numbers(length).map((number) => aMember(number)),
  users: numbers(length).map((number) => aUser(number)),
});

const aJob = (more: Partial<Job>): Job => ({
  id: JOB,
  tenantId: TENANT_ID,
  work: { kind: 'roster.apply', rosterId: roomId },
  cursor: '0',
  done: 0,
  total: 3,
  readableBy: [],
  requestId: 'request-1',
  createdAt: NOW,
  updatedAt: NOW,
  finishedAt: null,
  ...more,
});

const step = { type: 'job.step', jobId: JOB } as const;

describe('a large change', () => {
  const removeAll = {
    type: 'group.change',
    groupId: GROUP_ID,
    steps: [{ op: 'removeAll' }],
  } as const;

  it('is one of more than 1,000 members', () => {
    given(roomOf(1_000)).when(removeAll).thenAfter('jobs').thenResult({ memberCount: 0 });
    given(roomOf(1_001))
      .when(removeAll)
      .thenEvents()
      .thenAfter('jobs', { id: JOB, done: 0, total: 1_001, finishedAt: null })
      .thenAfter('memberships')
      .thenAfter('rooms', { memberCount: 1_001, pendingJob: JOB })
      .thenAfter('groups', { memberCount: 1_001, pendingJob: null, version: 2 });
  });

  it('is also one that no longer fits into the commit', () => {
    const { changesAtOnce } = LIMITS;
    given({ ...roomOf(10), changeCount: changesAtOnce - 10 })
      .when(removeAll)
      .thenAfter('jobs');
    given({ ...roomOf(10), changeCount: changesAtOnce - 9 })
      .when(removeAll)
      .thenAfter('jobs', { total: 10 });
  });

  it('is split into one part per step', () => {
    const then = given({ ...roomOf(5), limits: lowLimits }).when(removeAll);
    then.thenAfter('jobParts', { id: `${JOB}:0` }, { id: `${JOB}:1` }, { id: `${JOB}:2` });
    expect(then.after('jobParts').map((part) => part?.entries.map(({ userId }) => userId))).toEqual(
      [[user(1), user(2)], [user(3), user(4)], [user(5)]],
    );
  });

  it('returns the counts of a sync before its steps run', () => {
    given({ ...roomOf(3), limits: lowLimits })
      .when({ type: 'member.sync', roomId, members: [] })
      .thenResult({ added: 0, updated: 0, removed: 3 })
      .thenEvents();
  });

  it('deletes a group immediately and its members in steps, with the former names in events', () => {
    given({ ...roomOf(3), limits: lowLimits })
      .when({ type: 'group.delete', groupId: GROUP_ID })
      .thenEvents()
      .thenAfter('groups', null)
      .thenAfter('jobs', {
        work: {
          kind: 'roster.clear',
          rosterId: roomId,
          holder: {
            room: { id: roomId, name: 'Dispatch', display_name: 'Dispatch', external_id: null },
          },
          lastly: [expect.objectContaining({ name: 'group.deleted' }) as never],
        },
      })
      .thenAfter('rooms', { pendingJob: JOB });
  });

  it('starts two jobs if both members and roles are too many', () => {
    const then = given({
      ...roomOf(4),
      tenant: aTenant({ roleMappingCount: 1 }),
      roleMappings: [aMapping()],
      groups: [aGroup({ memberCount: 4, displayName: 'Other' })],
      limits: lowLimits,
    }).when({ ...removeAll, displayName: 'Dispatch' });
    expect(then.after('jobs').map((job) => [job?.id, job?.work.kind])).toEqual([
      [JOB, 'roster.apply'],
      [`${JOB}-1`, 'roles.recompute'],
    ]);
  });

  it('of the default role restarts a running job and keeps the former roles of processed users', () => {
    const running = aJob({
      id: idOf<JobId>(7),
      work: {
        kind: 'roles.recompute',
        rosterId: null,
        formerRoles: [{ until: null, role: 'guest' }],
      },
      cursor: user(2),
      done: 2,
    });
    given({ tenant: aTenant({ userCount: 3 }), jobs: [running], limits: lowLimits })
      .when({ type: 'tenant.update', defaultRole: 'crew' })
      .thenAfter('jobs', {
        id: running.id,
        cursor: '',
        work: {
          kind: 'roles.recompute',
          rosterId: null,
          formerRoles: [
            { until: user(2), role: 'member' },
            { until: null, role: 'guest' },
          ],
        },
      });
  });

  it('of roles restarts a running job instead of starting a second one', () => {
    const running = aJob({
      id: idOf<JobId>(7),
      work: { kind: 'roles.recompute', rosterId: roomId },
      cursor: user(2),
      done: 2,
    });
    given({
      ...roomOf(3),
      tenant: aTenant({ roleMappingCount: 1 }),
      roleMappings: [aMapping()],
      jobs: [running],
      limits: lowLimits,
    })
      .when({ type: 'role-mapping.update', mappingId: aMapping().id, role: 'chief' })
      // And counts in the entry of this command from now on
      .thenAfter('jobs', {
        id: running.id,
        cursor: '',
        done: 0,
        restartedBy: idOf<CommandId>(0xc0de),
      });
  });
});

describe('a step of a job', () => {
  const applying = (entries: readonly number[], more: Partial<Job> = {}) => ({
    ...roomOf(0, { pendingJob: JOB }),
    users: numbers(3).map((number) => aUser(number)),
    jobs: [aJob({ total: 3, ...more })],
    jobParts: [
      {
        id: jobPartIdOf(JOB, Number(more.cursor ?? 0)),
        tenantId: TENANT_ID,
        entries: entries.map((number) => ({
          userId: user(number),
          action: 'join' as const,
          txPermission: true,
        })),
      },
    ],
    limits: lowLimits,
  });

  it('applies a part, deletes it and advances the cursor', () => {
    given(applying([1, 2]))
      .when(step)
      .thenEvents('room.member_added', 'room.member_added')
      .thenAfter('jobs', { cursor: '1', done: 2, finishedAt: null })
      .thenAfter('jobParts', null)
      .thenAfter('rooms', { memberCount: 2, pendingJob: JOB });
  });

  it('unblocks the members if it is the last', () => {
    given(applying([3], { cursor: '1', done: 2 }))
      .when(step)
      .thenAfter('jobs', { done: 3, finishedAt: NOW })
      .thenAfter('rooms', { memberCount: 1, pendingJob: null });
  });

  it('skips deleted users and existing members', () => {
    const world = applying([1, 9]);
    given({ ...world, memberships: [aMember(1)] })
      .when(step)
      .thenEvents()
      .thenAfter('memberships')
      .thenAfter('jobs', { done: 2 });
  });

  it('clears the first page and emits the final events with the last one', () => {
    const lastly = [
      { name: 'group.deleted', resource: { kind: 'group', id: GROUP_ID }, data: {} } as const,
    ];
    const room = { id: roomId, name: 'Dispatch' };
    const clearing = {
      ...roomOf(3, { pendingJob: JOB }),
      groups: [],
      jobs: [
        aJob({
          work: { kind: 'roster.clear', rosterId: roomId, holder: { room }, lastly },
          cursor: '',
        }),
      ],
      limits: lowLimits,
    };
    given(clearing)
      .when(step)
      .thenEvents('room.member_removed', 'room.member_removed')
      .thenData('room.member_removed', expect.objectContaining({ room }) as object)
      .thenAfter('rooms', { memberCount: 1, pendingJob: JOB });
    given({ ...clearing, ...roomOf(1, { pendingJob: JOB }), groups: [] })
      .when(step)
      .thenEvents('room.member_removed', 'group.deleted')
      .thenAfter('rooms', { memberCount: 0, pendingJob: null });
  });

  it('of roles processes the members in the order of their ids', () => {
    const roles = {
      ...roomOf(3),
      tenant: aTenant({ roleMappingCount: 1 }),
      roleMappings: [aMapping()],
      jobs: [aJob({ work: { kind: 'roles.recompute', rosterId: roomId }, cursor: '' })],
      limits: lowLimits,
    };
    given(roles)
      .when(step)
      .thenEvents('user.updated', 'user.updated')
      .thenAfter('jobs', { cursor: user(2), finishedAt: null });
    given({
      ...roles,
      jobs: [aJob({ work: { kind: 'roles.recompute', rosterId: roomId }, cursor: user(2) })],
    })
      .when(step)
      .thenEvents('user.updated')
      .thenAfter('jobs', { finishedAt: NOW });
  });

  it('of the default role skips users created after the change', () => {
    const late = { ...aUser(2), createdAt: NOW };
    given({
      tenant: aTenant({ userCount: 2 }),
      users: [aUser(1), late],
      jobs: [
        aJob({
          work: {
            kind: 'roles.recompute',
            rosterId: null,
            formerRoles: [{ until: null, role: 'guest' }],
          },
          cursor: '',
        }),
      ],
      limits: { ...lowLimits, stepSize: 5 },
    })
      .when(step)
      .thenAfter('users', { id: user(1) });
  });

  it('of an SMS list emits its events with the last part', () => {
    const report = { added: 3, updated: 0, removed: 0, apiKeyId: null };
    const world = (part: number, entries: readonly number[]) => ({
      smsLists: [aSmsList({ pendingJob: JOB, memberCount: part * 2 })],
      jobs: [
        aJob({
          work: { kind: 'sms-list.apply', listId: LIST_ID, report },
          cursor: String(part),
          done: part * 2,
        }),
      ],
      smsJobParts: [
        {
          id: jobPartIdOf(JOB, part),
          tenantId: TENANT_ID,
          entries: entries.map((number) => {
            const after = aSmsMember(number);
            return { memberId: after.id, after };
          }),
        },
      ],
      limits: lowLimits,
    });
    given(world(0, [1, 2]))
      .when(step)
      .thenEvents()
      .thenAfter('smsLists', { memberCount: 2 });
    given(world(1, [3]))
      .when(step)
      .thenEvents('sms_list.members_added')
      .thenData('sms_list.members_added', {
        list: { id: LIST_ID, external_id: null, name: 'Night shift' },
        added: 3,
        updated: 0,
        api_key_id: null,
      })
      .thenAfter('smsLists', { memberCount: 3, pendingJob: null });
  });

  it('of a deleted role-only group names the former group', () => {
    const group = { id: GROUP_ID, display_name: 'Crew' };
    given({
      memberships: [aMember(1, { rosterId: GROUP_ID })],
      users: [aUser(1)],
      jobs: [
        aJob({
          work: { kind: 'roster.clear', rosterId: GROUP_ID, holder: { group }, lastly: [] },
          cursor: '',
        }),
      ],
      limits: lowLimits,
    })
      .when(step)
      .thenEvents('group.member_removed')
      .thenData('group.member_removed', expect.objectContaining({ group }) as object);
  });

  it('of the default role reports the former role of each user after several changes', () => {
    const formerRoles = [
      { until: user(1), role: 'guest' },
      { until: user(2), role: 'member' },
      { until: null, role: 'crew' },
    ];
    const then = given({
      tenant: aTenant({ userCount: 3 }),
      users: [aUser(1), aUser(2), aUser(3)],
      jobs: [aJob({ work: { kind: 'roles.recompute', rosterId: null, formerRoles }, cursor: '' })],
      limits: { ...lowLimits, stepSize: 5 },
    }).when(step);
    expect(then.events.map(({ data }) => [data.previous_role, data.role])).toEqual([
      ['guest', 'member'],
      ['crew', 'member'],
    ]);
  });

  it.each([
    ['is done', { jobs: [aJob({ finishedAt: NOW })] }],
    ['does not exist', {}],
    ['belongs to a deleted tenant', { ...applying([1]), tenant: undefined }],
  ])('changes nothing if the job %s', (_what, world) => {
    given(world).when(step).thenNothingHappens();
  });

  it('does not unblock members that another job has blocked since', () => {
    const other = idOf<JobId>(7);
    const world = applying([3], { cursor: '1', done: 2 });
    given({ ...world, rooms: [aRoom({ id: roomId, pendingJob: other })] })
      .when(step)
      .thenAfter('rooms', { pendingJob: other });
  });
});
