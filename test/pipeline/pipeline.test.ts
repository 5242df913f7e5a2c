import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandOf } from '../../src/domain/commands.js';
import type { UserId } from '../../src/domain/kernel/ids.js';
import { CommitConflict, StoreUnavailable } from '../../src/pipeline/commit-store.js';
import { type PipelineParts, startPipeline } from '../../src/pipeline/pipeline.js';
import type { Outcome } from '../../src/pipeline/submit.js';
import { NO_TRACES } from '../../src/pipeline/trace-commands.js';
import { MissingLookups } from '../../src/pipeline/workspace.js';
import { aProfile, aTenant, idOf, TENANT_ID } from '../support/builders.js';
import { PASSIVE_RULES } from '../support/no-plugins.js';
import { MemoryCommitStore } from '../support/memory-commit-store.js';

let store: MemoryCommitStore;
let lines: { readonly fields: object; readonly message: string }[];
beforeEach(() => {
  store = new MemoryCommitStore();
  store.tenant = aTenant();
  lines = [];
});

const write = (fields: object, message: string): void => void lines.push({ fields, message });

const start = (parts: Partial<PipelineParts> = {}) =>
  startPipeline({
    store,
    rules: PASSIVE_RULES,
    log: { warn: write, error: write },
    ...parts,
  });

type Submit = ReturnType<typeof start>['submit'];

const create = (number: number): CommandOf<'user.create'> => ({
  type: 'user.create',
  userId: idOf<UserId>(number),
  profile: aProfile({ userName: `user-${number}@example.com` }),
});

const request = (number: number) => ({
  tenantId: TENANT_ID,
  actor: { kind: 'operator', name: 'test' } as const,
  source: 'admin' as const,
  requestId: `request-${number}`,
});

const submitUser = (submit: Submit, number: number): Promise<Outcome> =>
  submit({ ...request(number), command: create(number) });

const submitUsers = (submit: Submit, count: number): Promise<readonly Outcome[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => submitUser(submit, at + 1)));

const codesOf = (outcomes: readonly Outcome[]): readonly string[] =>
  outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.refusal.code));

const fault = new Error('a bug');
const breaks = (): never => {
  throw fault;
};

const messages = (): readonly string[] => lines.map(({ message }) => message);

describe('an effect that fails after the commit', () => {
  it.each<[string, Partial<PipelineParts>]>([
    ['passing on deliveries', { deliver: breaks }],
    ['tracing', { traces: { ...NO_TRACES, committed: breaks } }],
  ])('%s is logged, and no command runs again', async (_name, parts) => {
    const commit = vi.spyOn(store, 'commit');
    const pipeline = start(parts);
    expect(codesOf(await submitUsers(pipeline.submit, 3))).toEqual(['ok', 'ok', 'ok']);
    await pipeline.drain();
    expect(commit).toHaveBeenCalledTimes(1);
    expect(lines).toMatchObject([{ fields: { err: fault } }]);
    expect(messages()[0]).toMatch(/after a commit failed$/);
    expect(pipeline.depth()).toBe(0);
  });

  it('does not keep callers from their responses, or events from the event stream', async () => {
    const committed = vi.fn();
    const pipeline = start({
      deliver: committed,
      traces: {
        ...NO_TRACES,
        arrived: ({ resolve, ...arrival }) => ({
          ...arrival,
          resolve: (outcome) => {
            resolve(outcome);
            breaks();
          },
        }),
      },
    });
    expect(codesOf(await submitUsers(pipeline.submit, 3))).toEqual(['ok', 'ok', 'ok']);
    await pipeline.drain();
    expect(committed).toHaveBeenCalledTimes(1);
    expect(messages()).toEqual(Array(3).fill('a command has its outcome, but did not end cleanly'));
    expect(pipeline.depth()).toBe(0);
  });

  it('may also be the log', async () => {
    const pipeline = start({
      deliver: breaks,
      log: { warn: breaks, error: breaks },
    });
    expect(codesOf(await submitUsers(pipeline.submit, 3))).toEqual(['ok', 'ok', 'ok']);
    expect(store.events).toHaveLength(3);
  });
});

describe('the responses of a batch', () => {
  it('leave the event loop to others in between', async () => {
    // Given responses that take a millisecond each, after promise callbacks of their own
    const { submit } = start();
    let written = 0;
    const writeResponse = async (number: number): Promise<void> => {
      await submitUser(submit, number);
      for (let callback = 0; callback < 20; callback += 1) await Promise.resolve();
      for (const end = performance.now() + 1; performance.now() < end;);
      written += 1;
    };
    // When a batch of a hundred ends, beside other work that waits for its turns
    const all = Promise.all(Array.from({ length: 100 }, (_, at) => writeResponse(at + 1)));
    const atTurns: number[] = [];
    while (written < 100) {
      await nextTurn();
      if (written > 0) atTurns.push(written);
    }
    await all;
    // Then the other work had most of these turns
    expect(new Set(atTurns).size).toBeGreaterThan(20);
  });
});

describe('a batch that loses to other commits', () => {
  it('refuses the commands that have waited too long, and runs the others', async () => {
    // Given a batch of which one command has waited longer than a command may
    let conflicts = 1;
    const { commit } = store;
    vi.spyOn(store, 'commit').mockImplementation((plan) =>
      conflicts-- > 0 ? Promise.reject(new CommitConflict()) : commit(plan),
    );
    const pipeline = start({
      traces: {
        ...NO_TRACES,
        arrived: (arrival) =>
          arrival.envelope.requestId === 'request-2' ? { ...arrival, receivedAt: -1e9 } : arrival,
      },
    });
    // When
    const outcomes = await submitUsers(pipeline.submit, 3);
    // Then
    expect(codesOf(outcomes)).toEqual(['ok', 'UNAVAILABLE', 'ok']);
    expect(store.events).toHaveLength(2);
    expect(messages()).toEqual(['a batch of 1 was refused with UNAVAILABLE']);
  });
});

describe('a commit whose result is lost during an election', () => {
  /** The database commits, and does not respond for the given number of loads. */
  const loseResult = (loads: number): void => {
    const { commit, load } = store;
    let isAway = false;
    vi.spyOn(store, 'commit').mockImplementation(async (plan) => {
      await commit(plan);
      if (loads > 0) isAway = true;
      if (isAway) throw new StoreUnavailable('unknown');
    });
    vi.spyOn(store, 'load').mockImplementation((...lookups) => {
      if (!isAway) return load(...lookups);
      loads -= 1;
      isAway = loads > 0;
      return Promise.reject(new StoreUnavailable('nothing'));
    });
  };

  it('is found when the database responds again, however often it did not', async () => {
    loseResult(5);
    const { submit } = start();
    expect(codesOf([await submitUser(submit, 1)])).toEqual(['ok']);
    expect(store.events).toHaveLength(1);
  });

  it('does not keep later commands from a refusal, which changed nothing', async () => {
    // Given a command whose commit was lost
    loseResult(3);
    const { submit } = start();
    const first = submitUser(submit, 1);
    await vi.waitFor(() => expect(store.commit).toHaveBeenCalled());
    // When others arrive before the database responds
    const later = await submitUser(submit, 2);
    // Then
    expect(codesOf([later, await first])).toEqual(['UNAVAILABLE', 'ok']);
    expect(later).toMatchObject({
      refusal: { message: expect.stringMatching(/not responding/) as string },
    });
    expect(store.events).toHaveLength(1);
  });

  it('is looked up while the gateway stops', async () => {
    loseResult(3);
    const { submit, drain } = start();
    const outcome = submitUser(submit, 1);
    await vi.waitFor(() => expect(store.commit).toHaveBeenCalled());
    await drain();
    expect(codesOf([await outcome])).toEqual(['ok']);
  });

  it('is refused as unknown, not as undone, after the longest wait', async () => {
    loseResult(Infinity);
    const { submit } = start({ maxWaitMs: 1_000 });
    expect(await submitUser(submit, 1)).toMatchObject({
      refusal: {
        code: 'UNAVAILABLE',
        message: expect.stringMatching(/may have been made/) as string,
      },
    });
  });
});

describe('a command that makes a stage throw', () => {
  it('fails alone while it is admitted or authorised', async () => {
    const pipeline = start({
      traces: {
        ...NO_TRACES,
        arrived: (arrival) =>
          arrival.envelope.requestId === 'request-2'
            ? { ...arrival, envelope: { ...arrival.envelope, actor: undefined as never } }
            : arrival,
      },
    });
    expect(codesOf(await submitUsers(pipeline.submit, 3))).toEqual(['ok', 'INTERNAL', 'ok']);
    expect(codesOf([await submitUser(pipeline.submit, 4)])).toEqual(['ok']);
    expect(pipeline.failed.aborted).toBe(false);
  });
});

describe('a command that asks for more and more', () => {
  it('is refused alone, after 20 rounds of lookups', async () => {
    let rounds = 0;
    const pipeline = start();
    await submitUser(pipeline.submit, 9);
    const command: CommandOf<'user.patch'> = {
      type: 'user.patch',
      userId: idOf<UserId>(9),
      changes: [
        {
          op: 'replace',
          path: ['title'],
          // A stub of a decider with a bug.
          get value(): never {
            rounds += 1;
            throw new MissingLookups([{ table: 'users', index: 'id', key: idOf(0xf00 + rounds) }]);
          },
        },
      ],
    };
    const asking = pipeline.submit({ ...request(9), command });
    const [users, outcome] = await Promise.all([submitUsers(pipeline.submit, 2), asking]);
    expect(codesOf([...users, outcome])).toEqual(['ok', 'ok', 'INTERNAL']);
    expect(messages()).toEqual(['a batch of 1 was refused with INTERNAL']);
    // With its batch, and alone.
    expect(rounds).toBe(40);
  });
});

describe('a pipeline that has stopped', () => {
  it('refuses waiting and later commands, and reports its cause', async () => {
    // Given a pipeline whose clock fails while a command is admitted and another one waits
    let isBroken = false;
    const pipeline = start({ elapsed: () => (isBroken ? breaks() : performance.now()) });
    const first = submitUser(pipeline.submit, 1);
    const emptied = first.then(() => undefined);
    await emptied;
    isBroken = true;
    // When
    const waiting = submitUser(pipeline.submit, 2);
    isBroken = false;
    // Then
    expect(codesOf([await waiting])).toEqual(['UNAVAILABLE']);
    expect(codesOf(await submitUsers(pipeline.submit, 2))).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    expect(pipeline.failed.aborted).toBe(true);
    expect(pipeline.failed.reason).toBe(fault);
    expect(pipeline.depth()).toBe(0);
    await pipeline.drain();
  });
});
