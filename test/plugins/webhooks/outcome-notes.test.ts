import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/kernel/json.js';
import type { PluginNotes } from '../../../src/plugin/contract/host.js';
import type { Outcome, TriedDelivery, FailingChange } from '../../../plugins/webhooks/failing.js';
import { presentActivity } from '../../../plugins/webhooks/activity.js';
import { createOutcomeNotes, type OutcomeNotes } from '../../../plugins/webhooks/outcome-notes.js';
import { TENANT_ID } from '../../support/builders.js';
import { ManualClock } from './manual-clock.js';

const SUCCESS: Outcome = { status: 'success' };
const FAILED: Outcome = { status: 'failed', reason: 'The receiver responded with 503.' };

const ATTEMPT = { ms: 20, deliveryId: randomUUID() };
const ANY: unknown = expect.anything();

const target = { tenantId: TENANT_ID, id: 'one', epoch: 1 };

let clock: ManualClock;
let written: string[];
let warnings: string[];
let kept: Map<string, JsonObject>;
let marks: Map<string, string | undefined>;
let write: PluginNotes['write'];
let outcomes: OutcomeNotes;

/** Notes in memory, and the mark that each was last written with. */
const notes = (): PluginNotes => ({
  read: () => Promise.resolve(kept),
  write: (tenantId, id, note, mark) => {
    marks.set(id, mark);
    return write(tenantId, id, note);
  },
  marked: () => Promise.resolve([]),
  unmark: () => Promise.resolve(),
});

beforeEach(() => {
  clock = new ManualClock();
  written = [];
  warnings = [];
  kept = new Map();
  marks = new Map();
  write = (_tenantId, id, note) => {
    written.push(`${id} ${note.last_trigger_status as string}`);
    kept.set(id, note);
    return Promise.resolve();
  };
  const warn = (_fields: object, message: string) => void warnings.push(message);
  outcomes = createOutcomeNotes({
    notes: notes(),
    log: { debug: warn, info: warn, warn, error: warn },
    clock,
  });
});

/** Moves time on and lets what it set off come to its end. */
const pass = async (ms: number): Promise<void> => {
  clock.advance(ms);
  await new Promise(setImmediate);
};

describe('the outcome of an attempt', () => {
  it('is stored at once if it differs from the one before', async () => {
    outcomes.note(target, SUCCESS, ATTEMPT);
    await pass(0);
    outcomes.note(target, FAILED, ATTEMPT);
    await pass(0);
    expect(written).toEqual(['one success', 'one failed']);
  });

  it('is stored at most once a second if it is the same, including the last one', async () => {
    for (let at = 0; at < 30; at += 1) {
      outcomes.note(target, SUCCESS, ATTEMPT);
      await pass(100);
    }
    expect(written).toHaveLength(3);
    await pass(1_000);
    expect(written).toHaveLength(4);
    await pass(10_000);
    expect(written).toHaveLength(4);
  });

  it('is the last of those that arrived while one was being written', async () => {
    let finish = (): void => undefined;
    const straight = write;
    write = async (...note) => {
      await new Promise<void>((resolve) => (finish = resolve));
      await straight(...note);
    };
    outcomes.note(target, SUCCESS, ATTEMPT);
    await pass(0);
    outcomes.note(target, FAILED, ATTEMPT);
    outcomes.note(target, SUCCESS, ATTEMPT);
    outcomes.note(target, FAILED, ATTEMPT);
    await pass(0);
    expect(written).toEqual([]);
    finish();
    await pass(0);
    expect(written).toEqual(['one success']);
    finish();
    await pass(0);
    expect(written).toEqual(['one success', 'one failed']);
  });

  it('is stored for each registration separately', async () => {
    outcomes.note(target, SUCCESS, ATTEMPT);
    outcomes.note({ ...target, id: 'two' }, FAILED, ATTEMPT);
    await pass(0);
    expect(written).toEqual(['one success', 'two failed']);
    expect(await outcomes.read(TENANT_ID, ['one', 'two'])).toEqual(
      new Map([
        ['one', 'success'],
        ['two', 'failed'],
      ]),
    );
  });

  it('is stored at once by `noteNow`', async () => {
    await outcomes.noteNow(target, FAILED);
    expect(written).toEqual(['one failed']);
    await outcomes.noteNow(target, FAILED);
    expect(written).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  it('is stored before either of two simultaneous calls of `noteNow` resolves', async () => {
    let finish = (): void => undefined;
    const straight = write;
    write = async (...note) => {
      await new Promise<void>((resolve) => (finish = resolve));
      await straight(...note);
    };
    outcomes.note(target, SUCCESS, ATTEMPT);
    await pass(0);
    const changes: string[] = [];
    const both = [1, 2].map(async () => {
      await outcomes.noteNow(target, FAILED);
      changes.push(written.at(-1) ?? 'nothing');
    });
    finish();
    await pass(0);
    expect(changes).toEqual([]);
    finish();
    await Promise.all(both);
    expect(changes).toEqual(['one failed', 'one failed']);
  });

  it('is stored before the plugin stops', async () => {
    await outcomes.noteNow(target, SUCCESS);
    outcomes.note(target, SUCCESS, ATTEMPT);
    outcomes.note({ ...target, id: 'two' }, SUCCESS, ATTEMPT);
    await outcomes.flush();
    expect(written).toEqual(['one success', 'one success', 'two success']);
    expect(clock.waiting).toBe(0);
  });

  it('is lost with a warning if it cannot be stored', async () => {
    const straight = write;
    write = () => Promise.reject(new Error('down'));
    await outcomes.noteNow(target, SUCCESS);
    expect(warnings).toEqual(['could not record the outcome of a delivery']);
    write = straight;
    outcomes.note(target, SUCCESS, ATTEMPT);
    await pass(0);
    expect(written).toEqual(['one success']);
  });

  it('is counted by the hour for a day and by the day for a week, with the last failure', async () => {
    let now = new Date('2026-11-20T09:30:00.000Z');
    const silent = () => undefined;
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    outcomes = createOutcomeNotes({ notes: notes(), log, clock, now: () => now });
    outcomes.note(target, FAILED, ATTEMPT);
    await pass(1_000);
    now = new Date('2026-11-20T10:30:00.000Z');
    for (const ms of [100, 301]) outcomes.note(target, SUCCESS, { ...ATTEMPT, ms });
    await pass(1_000);
    // A test is no delivery.
    await outcomes.noteNow(target, FAILED);
    const shown = async () =>
      presentActivity((await outcomes.activity(TENANT_ID, 'one')).activity, null, now);
    const { hours, days, last_failure } = await shown();
    expect(hours).toHaveLength(24);
    expect(hours.slice(-2)).toEqual([
      { from: '2026-11-20T09:00:00.000Z', attempts: 1, failed: 1, average_ms: 20 },
      { from: '2026-11-20T10:00:00.000Z', attempts: 2, failed: 0, average_ms: 201 },
    ]);
    expect(days).toHaveLength(7);
    expect(days.at(-1)).toMatchObject({ attempts: 3, failed: 1, average_ms: 140 });
    expect(last_failure).toEqual({
      at: '2026-11-20T09:30:00.000Z',
      delivery_id: ATTEMPT.deliveryId,
      reason: FAILED.reason,
    });

    now = new Date('2026-11-27T00:00:00.000Z');
    outcomes.note(target, SUCCESS, ATTEMPT);
    await pass(1_000);
    expect(Object.keys((await outcomes.activity(TENANT_ID, 'one')).activity.hours)).toHaveLength(1);
    expect((await shown()).days.map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  it('is absent if the note has none', async () => {
    kept.set('one', { last_trigger_status: 'odd' }).set('two', {});
    expect(await outcomes.read(TENANT_ID, ['one', 'two'])).toEqual(new Map());
  });
});

describe('since when deliveries fail', () => {
  let now: Date;
  let changes: { readonly tried: TriedDelivery; readonly change: FailingChange }[];

  beforeEach(() => {
    now = new Date('2026-11-21T09:00:00.000Z');
    changes = [];
    const silent = () => undefined;
    outcomes = createOutcomeNotes({
      notes: notes(),
      log: { debug: silent, info: silent, warn: silent, error: silent },
      clock,
      now: () => now,
      watch: (tried, change) => void changes.push({ tried, change }),
    });
  });

  const failAt = async (time: string, epoch = 1): Promise<void> => {
    now = new Date(`2026-11-21T${time}:00.000Z`);
    outcomes.note({ ...target, epoch }, FAILED, ATTEMPT);
    await pass(1_000);
  };
  const since = (): unknown => (kept.get('one')?.failing as JsonObject | undefined)?.since;

  it('is stored from the first failure to the next success', async () => {
    await failAt('09:00');
    await failAt('09:30');
    expect(since()).toBe('2026-11-21T09:00:00.000Z');
    outcomes.note(target, SUCCESS, ATTEMPT);
    await pass(1_000);
    expect(kept.get('one')).toEqual({ last_trigger_status: 'success', activity: ANY });
    await failAt('11:00');
    expect(since()).toBe('2026-11-21T11:00:00.000Z');
  });

  it('is read from the database: another gateway may have recorded a success', async () => {
    await failAt('09:00');
    kept.set('one', { last_trigger_status: 'success' });
    await failAt('10:00');
    expect(since()).toBe('2026-11-21T10:00:00.000Z');
  });

  it('starts again if the registration has been disabled and enabled since', async () => {
    await failAt('09:00', 1);
    await failAt('12:00', 3);
    expect(kept.get('one')?.failing).toMatchObject({
      since: '2026-11-21T12:00:00.000Z',
      epoch: 3,
      keeps: false,
    });
  });

  it('is not started by a failed test call, but ended by a successful one', async () => {
    await outcomes.noteNow(target, FAILED);
    expect(kept.get('one')).toEqual({ last_trigger_status: 'failed', activity: ANY });
    await failAt('10:00');
    await outcomes.noteNow(target, FAILED);
    expect(since()).toBe('2026-11-21T10:00:00.000Z');
    await outcomes.noteNow(target, SUCCESS);
    expect(kept.get('one')).toEqual({ last_trigger_status: 'success', activity: ANY });
  });

  it('marks the note from the first failure after an hour until a success', async () => {
    await failAt('09:00');
    await failAt('09:59');
    expect(marks.get('one')).toBeUndefined();
    await failAt('10:00');
    expect(marks.get('one')).toBe('failing');
    await outcomes.noteNow(target, FAILED);
    expect(marks.get('one')).toBe('failing');
    outcomes.note(target, SUCCESS, ATTEMPT);
    await pass(1_000);
    expect(marks.get('one')).toBeUndefined();
  });

  it('is passed to `watch` with each outcome, before and after it', async () => {
    await failAt('09:00');
    await failAt('10:00');
    outcomes.note(target, SUCCESS, ATTEMPT);
    await pass(1_000);
    const failing = (keeps: boolean) => ({
      since: '2026-11-21T09:00:00.000Z',
      epoch: 1,
      keeps,
      reason: FAILED.reason,
    });
    expect(changes.map(({ change }) => change)).toEqual([
      { before: undefined, after: failing(false) },
      { before: failing(false), after: failing(true) },
      { before: failing(true), after: undefined },
    ]);
    expect(changes[1]?.tried).toEqual({ target, outcome: FAILED, isTest: false });
  });

  it('is not passed to `watch` if it could not be stored, but with a later outcome', async () => {
    const straight = write;
    write = () => Promise.reject(new Error('down'));
    await failAt('09:00');
    expect(changes).toEqual([]);
    write = straight;
    await failAt('09:01');
    expect(changes).toHaveLength(1);
  });
});
