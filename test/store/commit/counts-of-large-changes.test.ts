import { expect, it } from 'vitest';
import type { CommandOf, CommandType } from '../../../src/domain/commands.js';
import { LIMITS } from '../../../src/domain/kernel/decider.js';
import type { GroupId, RoleMappingId, RoomId, UserId } from '../../../src/domain/kernel/ids.js';
import { newId, resultOf } from '../../../src/pipeline/submit.js';
import { mongoCommandLogReader } from '../../../src/store/read/command-log-reader.js';
import { PipelineInstance, useDatabase } from '../../support/core.js';
import { eventually } from '../../support/eventually.js';

const database = useDatabase();
/** Changes of more than five members are jobs, with a commit for every four. */
const SMALL = { ...LIMITS, membersAtOnce: 5, stepSize: 4 };
const MEMBERS = 11;

it('the entry of a change counts the users of all its commits', async () => {
  const core = new PipelineInstance(await database.open(), { changeLimits: SMALL });
  const { id: tenantId } = await core.createTenant({ roomProvisioning: 'automatic' });
  const done = async <Type extends CommandType>(command: CommandOf<Type>): Promise<void> => {
    resultOf(await core.submit<Type>(tenantId, command));
  };
  const jobsAreDone = () =>
    eventually(async () =>
      expect(await core.collections.jobs.countDocuments({ finishedAt: null })).toBe(0),
    );
  const reader = mongoCommandLogReader(core.collections);
  const entryOf = async (type: CommandType) =>
    (await reader.page(tenantId, { type, limit: 1 })).entries[0];

  // Given a group with more members than one commit changes
  const users = Array.from({ length: MEMBERS }, () => newId<UserId>());
  for (const userId of users)
    await done({ type: 'user.create', userId, profile: { userName: userId, active: true } });
  const groupId = newId<GroupId>();
  const group = { displayName: 'Crew', externalId: null, members: users };
  await done({ type: 'group.create', groupId, roomId: newId<RoomId>(), ...group });
  await jobsAreDone();
  // And a role mapping for it, whose role is changed
  const mappingId = newId<RoleMappingId>();
  const mapping = { groupDisplayName: 'Crew', applyOnScimProvisioning: true, priority: 1 };
  await done({ type: 'role-mapping.create', mappingId, ...mapping, role: 'crew' });
  await jobsAreDone();
  await done({ type: 'role-mapping.update', mappingId, role: 'pilot' });
  await jobsAreDone();
  // Then the entry of each of these commands counts every member, and the room
  for (const type of ['group.create', 'role-mapping.create', 'role-mapping.update'] as const)
    expect([type, (await entryOf(type))?.affectedCount]).toEqual([type, MEMBERS + 1]);
  // And the changed values: the roles, and the mapping's own
  expect((await entryOf('role-mapping.update'))?.changeCount).toBe(MEMBERS + 1);
});
