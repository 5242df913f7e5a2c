import { describe, expect, it } from 'vitest';
import type { BulkableCommand, Command } from '../../src/domain/commands.js';
import type { CommandId, UserId } from '../../src/domain/kernel/ids.js';
import type { CommandLogEntry } from '../../src/pipeline/commit-store.js';
import { affectedKey, triedKey } from '../../src/pipeline/log/log-keys.js';
import { aUser, GROUP_ID, idOf, MAPPING_ID, ROOM_ID, TENANT_ID } from '../support/builders.js';
import { MemoryPipeline } from '../support/memory-core.js';

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

const ADA = { kind: 'user', id: userId, name: 'user1@example.com' };
const ROOM = { kind: 'room', id: ROOM_ID, name: 'Dispatch' };
const GROUP = { kind: 'group', id: GROUP_ID, name: 'Dispatch' };
const MAPPING = { kind: 'role_mapping', id: MAPPING_ID, name: 'Night' };

const lastEntry = async (...commands: readonly Command[]): Promise<CommandLogEntry> => {
  const core = new MemoryPipeline();
  for (const command of [...HISTORY, ...commands]) await core.runOne(command);
  return [...core.store.entries.values()].at(-1)!;
};

describe('an entry of the provisioning log', () => {
  it.each([
    {
      command: { type: 'room.rename', roomId: ROOM_ID, name: 'x' },
      subject: { ...ROOM, name: 'x' },
      changes: [{ path: 'name', before: 'Dispatch', after: 'x' }],
      affected: [],
    },
    {
      command: { type: 'group.change', groupId: GROUP_ID, externalId: 'x', steps: [] },
      subject: GROUP,
      changes: [{ path: 'external_id', before: null, after: 'x' }],
      affected: [ROOM],
    },
    {
      command: {
        type: 'group.change',
        groupId: GROUP_ID,
        displayName: 'Night',
        steps: [{ op: 'add', userIds: [userId] }],
      },
      subject: { ...GROUP, name: 'Night' },
      changes: [
        { path: 'display_name', before: 'Dispatch', after: 'Night' },
        { path: 'members', before: 0, after: 1 },
        { path: `members[${userId}].tx_permission`, before: null, after: false },
        { path: `users[${userId}].role`, before: 'member', after: 'night' },
      ],
      affected: [ROOM, ADA],
    },
    {
      command: { type: 'member.add', roomId: ROOM_ID, userId, txPermission: true },
      subject: ROOM,
      changes: [
        { path: 'members', before: 0, after: 1 },
        { path: `members[${userId}].tx_permission`, before: null, after: true },
      ],
      affected: [GROUP, ADA],
    },
    {
      command: { type: 'tenant.update', scim: { strictErrors: true } },
      subject: { kind: 'tenant' },
      changes: [{ path: 'scim.strict_errors', before: false, after: true }],
      affected: [],
    },
    {
      command: { type: 'role-mapping.update', mappingId: MAPPING_ID, priority: 2 },
      subject: MAPPING,
      changes: [{ path: 'priority', before: 1, after: 2 }],
      affected: [],
    },
    {
      command: { type: 'tenant.update', defaultRole: 'guest' },
      subject: { kind: 'tenant', id: TENANT_ID, name: 'acme' },
      changes: [{ path: 'default_role', before: 'member', after: 'guest' }],
      affected: [ADA],
    },
    {
      command: { type: 'user.update', userId, displayName: 'x', active: false },
      subject: ADA,
      changes: [
        { path: 'active', before: true, after: false },
        { path: 'display_name', before: 'Ada Lovelace', after: 'x' },
      ],
      affected: [],
    },
    {
      command: {
        type: 'user.replace',
        userId,
        profile: { ...aUser(1).profile, title: 'Dr', enterprise: { department: 'Night' } },
      },
      subject: ADA,
      changes: [{ path: 'enterprise.department' }, { path: 'title' }],
      affected: [],
    },
  ] as readonly {
    readonly command: Command;
    readonly subject: object;
    readonly changes: readonly { readonly path: string }[];
    readonly affected: readonly object[];
  }[])('shows the subject and the changes of $command.type', async (expected) => {
    const { command, subject, changes, affected } = expected;
    const entry = await lastEntry(command);
    expect(entry).toMatchObject({ type: command.type, outcome: 'applied', subject });
    expect([...entry.changes].sort((one, other) => (one.path < other.path ? -1 : 1))).toEqual(
      changes,
    );
    expect(entry.affected).toEqual(affected);
    expect([entry.changeCount, entry.affectedCount]).toEqual([changes.length, affected.length]);
  });

  it('shows the first of many changes and counts all', async () => {
    const users = Array.from({ length: 60 }, (_, at) => aUser(100 + at));
    const made = users.map(({ id, profile }): Command => {
      return { type: 'user.create', userId: id, profile };
    });
    const members = users.map(({ id }) => ({ userId: id }));
    const entry = await lastEntry(...made, { type: 'member.sync', roomId: ROOM_ID, members });
    expect([entry.affected.length, entry.affectedCount]).toEqual([20, 61]);
    expect([entry.changes.length, entry.changeCount]).toEqual([50, 61]);
    expect(entry.changes).toContainEqual({ path: 'members', before: 0, after: 60 });
    // Each affected user finds the entry.
    for (const { id } of users) expect(entry.keys).toContain(affectedKey(id));
  });

  it('of a refused group names the users that it would have added', async () => {
    const refused: BulkableCommand = {
      type: 'group.create',
      groupId: idOf(77),
      roomId: idOf(78),
      displayName: 'Day watch',
      externalId: null,
      members: [userId],
    };
    const created: BulkableCommand = {
      ...HISTORY[0],
      userId: idOf(2),
      profile: aUser(2).profile,
    } as never;
    const entry = await lastEntry({
      type: 'bulk',
      operations: [created, refused].map((command, at) => ({
        id: idOf<CommandId>(at + 1),
        command,
      })),
      failOnErrors: null,
    });
    expect(entry.refusal?.code).toBe('ROOM_NOT_FOUND');
    expect([entry.affected, entry.affectedCount]).toEqual([[ADA], 1]);
    for (const key of [affectedKey(userId), triedKey('watch'), triedKey('Day watch')])
      expect(entry.keys).toContain(key);
  });

  it('masks phone numbers in names', async () => {
    const number = '+49 (1512) 345-6789';
    const entry = await lastEntry({ type: 'user.update', userId, displayName: number });
    expect(entry.changes).toContainEqual({
      path: 'display_name',
      before: 'Ada Lovelace',
      after: '+49•••••••89',
    });
    const room = await lastEntry({ type: 'room.rename', roomId: ROOM_ID, name: `On ${number}` });
    expect(room.subject?.name).toBe('On +49•••••••89');
    expect(JSON.stringify(room)).not.toContain('345');
  });

  it('keeps the reason of a refusal without personal data', async () => {
    const core = new MemoryPipeline();
    const { profile } = aUser(1);
    const create = (number: number): Command => ({
      type: 'user.create',
      userId: idOf<UserId>(number),
      profile,
    });
    const answer = await core.runOne({
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
    const [, refused] = entries;
    // The generated id belongs to nothing, so the entry shows the name that the client sent.
    expect(refused?.subject).toEqual({ kind: 'user', id: null, name: profile.userName });
    expect(refused?.changes).toEqual([]);
  });
});
