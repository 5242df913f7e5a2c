import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BulkableCommand, BulkOutcome } from '../../src/domain/commands.js';
import { LIMITS } from '../../src/domain/kernel/decider.js';
import type { NewEvent } from '../../src/domain/events.js';
import type { CommandId, GroupId, RoomId, UserId } from '../../src/domain/kernel/ids.js';
import { refuse } from '../../src/domain/kernel/refusals.js';
import { idOf } from '../support/builders.js';
import { type CommandResult, MemoryPipeline } from '../support/memory-core.js';
import { asModelEvents, inComparableOrder } from '../support/histories/agreement.js';
import { anyOperation, KnownIds, initialCommands } from '../support/histories/model-commands.js';

const user = (number: number): UserId => idOf<UserId>(number);
const creating = (number: number, userName = `user${number}`): BulkableCommand => ({
  type: 'user.create',
  userId: user(number),
  profile: { userName, active: true },
});

const bulkOf = (commands: readonly BulkableCommand[], failOnErrors: number | null = null) =>
  ({
    type: 'bulk',
    operations: commands.map((command, at) => ({ id: idOf<CommandId>(0xf000 + at), command })),
    failOnErrors,
  }) as const;

const endings = ({ outcome }: CommandResult): readonly string[] => {
  if (!outcome.ok) return [outcome.refusal.code];
  return (outcome.result as readonly BulkOutcome[]).map((one) => {
    if (!one) return 'skipped';
    return 'refusal' in one ? one.refusal.code : 'done';
  });
};

const GROUP = idOf<GroupId>(0xb001);
const group = (members: readonly UserId[] = []): BulkableCommand => ({
  type: 'group.create',
  groupId: GROUP,
  roomId: idOf<RoomId>(0xa001),
  displayName: 'Dispatch',
  externalId: null,
  members,
});
const adding = (...userIds: readonly UserId[]): BulkableCommand => ({
  type: 'group.change',
  groupId: GROUP,
  steps: [{ op: 'add', userIds }],
});

describe('a Bulk', () => {
  const AUTOMATIC = { roomProvisioning: 'automatic' } as const;

  it('shows each operation the changes of those before it', async () => {
    const core = new MemoryPipeline({ tenant: AUTOMATIC });
    const answer = await core.runOne(
      bulkOf([creating(1), group([user(1)]), creating(2), adding(user(2)), creating(3, 'USER1')]),
    );
    expect(endings(answer)).toEqual(['done', 'done', 'done', 'done', 'USERNAME_TAKEN']);
    expect(answer.events.map(({ name }) => name)).toEqual([
      'user.created',
      'group.created',
      'room.member_added',
      'user.created',
      'room.member_added',
    ]);
  });

  it.each([
    [null, ['done', 'USERNAME_TAKEN', 'INVALID_REQUEST', 'done', 'USERNAME_TAKEN', 'done']],
    [1, ['done', 'USERNAME_TAKEN', 'skipped', 'skipped', 'skipped', 'skipped']],
    [2, ['done', 'USERNAME_TAKEN', 'INVALID_REQUEST', 'skipped', 'skipped', 'skipped']],
    [3, ['done', 'USERNAME_TAKEN', 'INVALID_REQUEST', 'done', 'USERNAME_TAKEN', 'skipped']],
  ])(
    'with failOnErrors %s skips the rest after that many errors',
    async (failOnErrors, expected) => {
      const core = new MemoryPipeline();
      const [one, two] = [bulkOf([creating(1), creating(2, 'user1')]), creating(3)];
      const answer = await core.runOne({
        type: 'bulk',
        operations: [
          ...one.operations,
          { refusal: refuse('INVALID_REQUEST', 'It could not be read.') },
          ...[two, creating(4, 'user1'), creating(5)].map((command, at) => ({
            id: idOf<CommandId>(0xf100 + at),
            command,
          })),
        ],
        failOnErrors,
      });
      expect(endings(answer)).toEqual(expected);
    },
  );

  it('logs each operation, refused ones included, with its own events', async () => {
    const core = new MemoryPipeline();
    await core.runOne(bulkOf([creating(1), creating(2, 'user1'), creating(3)]));
    expect(
      [...core.store.entries.values()].map(({ id, outcome, events }) => [id, outcome, events]),
    ).toEqual([
      [idOf(0xf000), 'applied', [1, 1]],
      [idOf(0xf001), 'refused', null],
      [idOf(0xf002), 'applied', [2, 2]],
    ]);
  });

  const lowLimits = { ...LIMITS, membersAtOnce: 1, stepSize: 1 };

  it('waits as a whole for a job that started before it', async () => {
    const core = new MemoryPipeline({ tenant: AUTOMATIC, limits: lowLimits });
    await core.runOne(bulkOf([creating(1), creating(2), creating(3), group([user(1), user(2)])]));
    const bulk = bulkOf([creating(4), adding(user(3))]);
    expect(await core.runOne(bulk)).toMatchObject({ isPostponed: true, events: [] });
    expect(core.store.all('users')).toHaveLength(3);
    await core.finishJobs();
    expect(endings(await core.runOne(bulk))).toEqual(['done', 'done']);
  });

  it('continues after a job of its own is done', async () => {
    const core = new MemoryPipeline({ tenant: AUTOMATIC, limits: lowLimits });
    const commands = [creating(1), creating(2), group([user(1), user(2)])];
    const rest = [adding(user(1)), creating(9, 'USER2'), creating(3), creating(4)];
    const first = await core.runOne(bulkOf([...commands, ...rest], 1));
    expect(endings(first)).toEqual(['done', 'done', 'done']);
    expect(first.rest).toMatchObject({ operations: rest.map((command) => ({ command })) });
    expect(await core.runOne(first.rest!)).toMatchObject({ isPostponed: true, events: [] });
    await core.finishJobs();
    expect(endings(await core.runOne(first.rest!))).toEqual([
      'done',
      'USERNAME_TAKEN',
      'skipped',
      'skipped',
    ]);
  });

  it('counts the errors before and after that wait together', async () => {
    const core = new MemoryPipeline({ tenant: AUTOMATIC, limits: lowLimits });
    const commands = [creating(1), creating(2), creating(9, 'USER1'), group([user(1), user(2)])];
    const first = await core.runOne(
      bulkOf([...commands, adding(user(1)), creating(8, 'USER2'), creating(3)], 2),
    );
    expect(endings(first)).toEqual(['done', 'done', 'USERNAME_TAKEN', 'done']);
    expect(endings({ ...first, outcome: first.outcomeAtOnce }).slice(4)).toEqual([
      'UNAVAILABLE',
      'skipped',
      'skipped',
    ]);
    expect(first.outcomeAtOnce).toMatchObject({
      result: {
        4: { refusal: { message: expect.stringContaining('cannot be previewed') as string } },
      },
    });
    await core.finishJobs();
    expect(endings(await core.runOne(first.rest!))).toEqual(['done', 'USERNAME_TAKEN', 'skipped']);
  });

  it('has the same result as its operations one by one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyOperation, { maxLength: 20 }), async (makes) => {
        let ids = 0x1000;
        const cast = new KnownIds(() => idOf((ids += 1)));
        const before = initialCommands(cast);
        const commands = makes.map((make) => make(cast));
        const [together, single] = [new MemoryPipeline({}), new MemoryPipeline({})];
        for (const core of [together, single]) for (const one of before) await core.runOne(one);
        const bulk = await together.runOne(bulkOf(commands));
        const answers: CommandResult[] = [];
        for (const command of commands) answers.push(await single.runOne(command));
        expect(endings(bulk)).toEqual(
          answers.map(({ outcome }) => (outcome.ok ? 'done' : outcome.refusal.code)),
        );
        const events = answers.flatMap((answer): readonly NewEvent[] => answer.events);
        expect(inComparableOrder(asModelEvents(bulk.events))).toEqual(
          inComparableOrder(asModelEvents(events)),
        );
        for (const table of ['users', 'rooms', 'groups', 'memberships'] as const)
          expect(timeless(together.store.all(table))).toEqual(timeless(single.store.all(table)));
        expect(together.store.tenant).toEqual(single.store.tenant);
      }),
      { numRuns: 60 },
    );
  });
});

/** Without times, which are the same for all operations of one commit. */
const timeless = (entities: readonly { readonly id: string }[]) =>
  entities
    .map((entity) => ({ ...entity, createdAt: 0, updatedAt: 0, addedAt: 0 }))
    .sort((one, other) => one.id.localeCompare(other.id));
