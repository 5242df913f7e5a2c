import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/json.js';
import type { PluginNotes } from '../../../src/plugin/contract.js';
import { createOutcomeNotes, type OutcomeNotes } from '../../../plugins/webhooks/outcome-notes.js';
import { TENANT_ID } from '../../support/builders.js';
import { ManualClock } from './manual-clock.js';

const target = { tenantId: TENANT_ID, id: 'one', epoch: 1 };

let clock: ManualClock;
let written: string[];
let warnings: string[];
let kept: Map<string, JsonObject>;
let write: PluginNotes['write'];
let outcomes: OutcomeNotes;

beforeEach(() => {
  clock = new ManualClock();
  written = [];
  warnings = [];
  kept = new Map();
  write = (_tenantId, id, note) => {
    written.push(`${id} ${note.last_trigger_status as string}`);
    kept.set(id, note);
    return Promise.resolve();
  };
  const warn = (_fields: object, message: string) => void warnings.push(message);
  outcomes = createOutcomeNotes({
    notes: { read: () => Promise.resolve(kept), write: (...note) => write(...note) },
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
  it('is kept at once where it is another than before', async () => {
    outcomes.note(target, 'success');
    await pass(0);
    outcomes.note(target, 'failed');
    await pass(0);
    expect(written).toEqual(['one success', 'one failed']);
  });

  it('is kept once a second at most where it is the same, the last one surely', async () => {
    for (let at = 0; at < 30; at += 1) {
      outcomes.note(target, 'success');
      await pass(100);
    }
    expect(written).toHaveLength(3);
    await pass(1_000);
    expect(written).toHaveLength(4);
    await pass(10_000);
    expect(written).toHaveLength(4);
  });

  it('is the last of those that came while one was being written', async () => {
    let finish = (): void => undefined;
    const straight = write;
    write = async (...note) => {
      await new Promise<void>((resolve) => (finish = resolve));
      await straight(...note);
    };
    outcomes.note(target, 'success');
    await pass(0);
    outcomes.note(target, 'failed');
    outcomes.note(target, 'success');
    outcomes.note(target, 'failed');
    await pass(0);
    expect(written).toEqual([]);
    finish();
    await pass(0);
    expect(written).toEqual(['one success']);
    finish();
    await pass(0);
    expect(written).toEqual(['one success', 'one failed']);
  });

  it('is kept for each registration apart', async () => {
    outcomes.note(target, 'success');
    outcomes.note({ ...target, id: 'two' }, 'failed');
    await pass(0);
    expect(written).toEqual(['one success', 'two failed']);
    expect(await outcomes.read(TENANT_ID, ['one', 'two'])).toEqual(
      new Map([
        ['one', 'success'],
        ['two', 'failed'],
      ]),
    );
  });

  it('is kept when it is asked to be kept now', async () => {
    await outcomes.noteNow(target, 'failed');
    expect(written).toEqual(['one failed']);
    await outcomes.noteNow(target, 'failed');
    expect(written).toHaveLength(2);
    expect(clock.waiting).toBe(0);
  });

  it('is kept by the time that each of two who ask at once is told so', async () => {
    let finish = (): void => undefined;
    const straight = write;
    write = async (...note) => {
      await new Promise<void>((resolve) => (finish = resolve));
      await straight(...note);
    };
    outcomes.note(target, 'success');
    await pass(0);
    const told: string[] = [];
    const both = [1, 2].map(async () => {
      await outcomes.noteNow(target, 'failed');
      told.push(written.at(-1) ?? 'nothing');
    });
    finish();
    await pass(0);
    expect(told).toEqual([]);
    finish();
    await Promise.all(both);
    expect(told).toEqual(['one failed', 'one failed']);
  });

  it('is kept before the plugin stops', async () => {
    await outcomes.noteNow(target, 'success');
    outcomes.note(target, 'success');
    outcomes.note({ ...target, id: 'two' }, 'success');
    await outcomes.flush();
    expect(written).toEqual(['one success', 'one success', 'two success']);
    expect(clock.waiting).toBe(0);
  });

  it('is lost with a warning where it cannot be kept', async () => {
    const straight = write;
    write = () => Promise.reject(new Error('down'));
    await outcomes.noteNow(target, 'success');
    expect(warnings).toEqual(['The outcome of a delivery could not be noted.']);
    write = straight;
    outcomes.note(target, 'success');
    await pass(0);
    expect(written).toEqual(['one success']);
  });

  it('is nothing where a note holds none', async () => {
    kept.set('one', { last_trigger_status: 'odd' }).set('two', {});
    expect(await outcomes.read(TENANT_ID, ['one', 'two'])).toEqual(new Map());
  });
});

describe('since when deliveries fail', () => {
  let now: Date;
  let told: string[];

  beforeEach(() => {
    now = new Date('2026-11-21T09:00:00.000Z');
    told = [];
    const silent = () => undefined;
    outcomes = createOutcomeNotes({
      notes: { read: () => Promise.resolve(kept), write: (...note) => write(...note) },
      log: { debug: silent, info: silent, warn: silent, error: silent },
      clock,
      now: () => now,
      fails: ({ epoch }, since) => void told.push(`${epoch} ${since.toISOString()}`),
    });
  });

  const failAt = async (time: string): Promise<void> => {
    now = new Date(time);
    outcomes.note(target, 'failed');
    await pass(1_000);
  };

  it('is kept from the first failure to the next success', async () => {
    await failAt('2026-11-21T09:00:00.000Z');
    await failAt('2026-11-21T10:00:00.000Z');
    outcomes.note(target, 'success');
    await pass(1_000);
    await failAt('2026-11-21T11:00:00.000Z');
    expect(told).toEqual([
      '1 2026-11-21T09:00:00.000Z',
      '1 2026-11-21T09:00:00.000Z',
      '1 2026-11-21T11:00:00.000Z',
    ]);
  });

  it('is what the database says: another gateway may have seen a success', async () => {
    await failAt('2026-11-21T09:00:00.000Z');
    kept.set('one', { last_trigger_status: 'success' });
    await failAt('2026-11-21T10:00:00.000Z');
    expect(told.at(-1)).toBe('1 2026-11-21T10:00:00.000Z');
  });

  it('is nothing that a test call begins, and something that it ends', async () => {
    await outcomes.noteNow(target, 'failed');
    expect(kept.get('one')).toEqual({ last_trigger_status: 'failed' });
    await failAt('2026-11-21T10:00:00.000Z');
    await outcomes.noteNow(target, 'failed');
    expect(kept.get('one')).toMatchObject({ failing_since: '2026-11-21T10:00:00.000Z' });
    await outcomes.noteNow(target, 'success');
    expect(kept.get('one')).toEqual({ last_trigger_status: 'success' });
    expect(told).toHaveLength(1);
  });
});
