import { describe, expect, it } from 'vitest';
import type { EndedMember } from '../../src/ports/sms-lists.js';
import type { SmsListId } from '../../src/domain/kernel/ids.js';
import { refuse } from '../../src/domain/kernel/refusals.js';
import type { Submit } from '../../src/pipeline/submit.js';
import { startSmsSweeps } from '../../src/sms/sweep-sms-members.js';
import { idOf, NOW, TENANT_ID } from '../support/builders.js';
import { eventually } from '../support/eventually.js';
import { createFakeLog } from '../support/fake-log.js';

const [one, busy, other] = [1, 2, 3].map((number) => idOf<SmsListId>(number));
const DAY = 86_400_000;

/** Lists with this number of ended members each; a command removes at most two. */
const createLists = (ended: Record<string, number>, onSubmit: () => void = () => undefined) => {
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
    skipped: readonly SmsListId[],
  ): Promise<EndedMember | undefined> => {
    const [found] = [...left].find(([id, n]) => n > 0 && !skipped.some((no) => no === id)) ?? [];
    return Promise.resolve(
      found === undefined ? undefined : { tenantId: TENANT_ID, listId: found as SmsListId },
    );
  };
  return { left, commands, parts: { submit, smsLists: { findEnded } } };
};

/** Sweeps start at once; `stop` waits for the running one. */
const sweep = (parts: ReturnType<typeof createLists>['parts']) => {
  const { log, lines } = createFakeLog();
  const stop = startSmsSweeps({ ...parts, log, after: DAY, now: () => NOW });
  return { stop, lines };
};

describe('the sweep of ended SMS members', () => {
  it('continues until none is left, and logs the number of removed members', async () => {
    const { left, commands, parts } = createLists({ [one!]: 5, [other!]: 1 });
    const { stop, lines } = sweep(parts);
    await eventually(() => expect(lines).toMatchObject([{ level: 'info', removed: 6 }]));
    await stop();
    expect([...left.values()]).toEqual([0, 0]);
    expect(commands.map(({ endedBy }) => NOW.getTime() - endedBy.getTime())).toEqual([
      DAY,
      DAY,
      DAY,
      DAY,
    ]);
  });

  it('skips a list that cannot be changed now', async () => {
    const { left, parts } = createLists({ [busy!]: 3, [other!]: 2 });
    const { stop, lines } = sweep(parts);
    await eventually(() => expect(lines).toMatchObject([{ removed: 2 }]));
    await stop();
    expect(left.get(busy!)).toBe(3);
  });

  it('ends after the running command if the gateway stops', async () => {
    let stopped: Promise<void> | undefined;
    const { commands, parts } = createLists({ [one!]: 5 }, () => {
      stopped = stop();
    });
    const { stop } = sweep(parts);
    await eventually(() => expect(stopped).toBeDefined());
    await stopped;
    expect(commands).toHaveLength(1);
  });

  it('logs nothing if there is nothing to do', async () => {
    let queries = 0;
    const { parts } = createLists({});
    const findEnded = () => Promise.resolve(void (queries += 1));
    const { stop, lines } = sweep({ ...parts, smsLists: { findEnded } });
    await eventually(() => expect(queries).toBe(1));
    await stop();
    expect(lines).toEqual([]);
  });
});
