import { describe, expect, it } from 'vitest';
import type { EndedMember } from '../../src/api/sms-lists.js';
import type { SmsListId } from '../../src/domain/ids.js';
import { refuse } from '../../src/domain/refusals.js';
import type { Submit } from '../../src/pipeline/submit.js';
import { sweepSmsMembers } from '../../src/sweep-sms-members.js';
import { idOf, NOW, TENANT_ID } from '../support/builders.js';
import { makeFakeLog } from '../support/fake-app.js';

const [one, busy, other] = [1, 2, 3].map((number) => idOf<SmsListId>(number));
const DAY = 86_400_000;

/** Lists with so many ended members each, of which a command removes two at most. */
const world = (ended: Record<string, number>, onSubmit: () => void = () => undefined) => {
  const left = new Map(Object.entries(ended));
  const commands: { readonly listId: string; readonly endedBy: Date }[] = [];
  const submit = ((submission: { command: { listId: string; endedBy: Date } }) => {
    const { listId } = submission.command;
    commands.push(submission.command);
    onSubmit();
    if (listId === busy)
      return Promise.resolve({ ok: false, refusal: refuse('UNAVAILABLE', 'Busy.') });
    const removed = Math.min(2, left.get(listId) ?? 0);
    left.set(listId, (left.get(listId) ?? 0) - removed);
    return Promise.resolve({ ok: true, changed: true, result: { added: 0, updated: 0, removed } });
  }) as unknown as Submit;
  const findEnded = (
    _by: Date,
    passedOver: readonly SmsListId[],
  ): Promise<EndedMember | undefined> => {
    const [found] = [...left].find(([id, n]) => n > 0 && !passedOver.some((no) => no === id)) ?? [];
    return Promise.resolve(
      found === undefined ? undefined : { tenantId: TENANT_ID, listId: found as SmsListId },
    );
  };
  return { left, commands, parts: { submit, smsLists: { findEnded } } };
};

const sweep = (
  parts: ReturnType<typeof world>['parts'],
  isStopping: () => boolean = () => false,
) => {
  const { log, lines } = makeFakeLog();
  const swept = sweepSmsMembers({ ...parts, log, after: DAY, now: () => NOW, isStopping });
  return { swept, lines };
};

describe('the sweep of ended members', () => {
  it('goes on until none is left, and says how many went', async () => {
    const { left, commands, parts } = world({ [one!]: 5, [other!]: 1 });
    const { swept, lines } = sweep(parts);
    expect(await swept).toBe(6);
    expect([...left.values()]).toEqual([0, 0]);
    expect(commands.map(({ endedBy }) => NOW.getTime() - endedBy.getTime())).toEqual([
      DAY,
      DAY,
      DAY,
      DAY,
    ]);
    expect(lines).toMatchObject([{ level: 'info', removed: 6 }]);
  });

  it('passes over a list that cannot be changed now', async () => {
    const { left, parts } = world({ [busy!]: 3, [other!]: 2 });
    expect(await sweep(parts).swept).toBe(2);
    expect(left.get(busy!)).toBe(3);
  });

  it('ends after the command that is under way where the gateway stops', async () => {
    let stops = false;
    const { commands, parts } = world({ [one!]: 5 }, () => (stops = true));
    await sweep(parts, () => stops).swept;
    expect(commands).toHaveLength(1);
  });

  it('says nothing where there was nothing to do', async () => {
    const { swept, lines } = sweep(world({}).parts);
    expect([await swept, lines]).toEqual([0, []]);
  });
});
