import { describe, expect, it } from 'vitest';
import type { BulkableCommand, Command } from '../../src/domain/commands.js';
import type { CommandId, UserId } from '../../src/domain/ids.js';
import { aUser, GROUP_ID, idOf, MAPPING_ID, ROOM_ID } from '../support/builders.js';
import { MemoryCore } from '../support/memory-core.js';

const userId = idOf<UserId>(1);
const HISTORY: readonly Command[] = [
  { type: 'user.create', userId, profile: aUser(1).profile },
  { type: 'room.create', roomId: ROOM_ID, name: 'Dispatch' },
  {
    type: 'role-mapping.create',
    mappingId: MAPPING_ID,
    groupDisplayName: 'Night',
    role: 'night',
    applyOnScimProvisioning: true,
    priority: 1,
  },
  { type: 'room.map', roomId: ROOM_ID, groupId: GROUP_ID },
];

describe('a line of the provisioning log', () => {
  it.each([
    [{ type: 'room.rename', roomId: ROOM_ID, name: 'x' }, ROOM_ID, ['name']],
    [
      { type: 'group.change', groupId: GROUP_ID, externalId: 'x', steps: [] },
      GROUP_ID,
      ['external_id'],
    ],
    [
      {
        type: 'group.change',
        groupId: GROUP_ID,
        displayName: 'Night',
        steps: [{ op: 'add', userIds: [userId] }],
      },
      GROUP_ID,
      ['display_name', 'members', 'role'],
    ],
    [{ type: 'member.add', roomId: ROOM_ID, userId, txPermission: true }, ROOM_ID, ['members']],
    [{ type: 'role-mapping.update', mappingId: MAPPING_ID, priority: 2 }, MAPPING_ID, ['priority']],
    [{ type: 'tenant.update', defaultRole: 'guest' }, null, ['default_role', 'role']],
    [{ type: 'user.update', userId, displayName: 'x' }, userId, ['display_name']],
  ] as readonly (readonly [Command, string | null, readonly string[]])[])(
    'names what %j changed, and of what',
    async (command, target, changed) => {
      const core = new MemoryCore();
      for (const before of HISTORY) await core.one(before);
      await core.one(command);
      const entry = [...core.store.entries.values()].at(-1);
      expect(entry).toMatchObject({ type: command.type, target, outcome: 'applied' });
      expect([...(entry?.changed ?? [])].sort()).toEqual(changed);
    },
  );

  it('keeps why a command was refused, and nothing of the person', async () => {
    const core = new MemoryCore();
    const { profile } = aUser(1);
    const create = (number: number): Command => ({
      type: 'user.create',
      userId: idOf<UserId>(number),
      profile,
    });
    const answer = await core.one({
      type: 'bulk',
      operations: [create(1), create(2)].map((command, at) => ({
        id: idOf<CommandId>(at + 1),
        command: command as BulkableCommand,
      })),
      failOnErrors: null,
    });
    expect(JSON.stringify(answer)).toContain(`the e-mail address ${profile.userName}.`);
    const entries = [...core.store.entries.values()];
    expect(entries.map(({ refusal }) => refusal)).toEqual([
      null,
      { code: 'EMAIL_TAKEN', message: 'Another user has this e-mail address.' },
    ]);
    expect(JSON.stringify(entries)).not.toContain(profile.userName);
  });
});
