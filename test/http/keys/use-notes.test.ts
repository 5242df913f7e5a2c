import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKeyId } from '../../../src/domain/ids.js';
import { startUseNotes } from '../../../src/http/keys/use-notes.js';
import { idOf } from '../../support/builders.js';
import { makeFakeLog } from '../../support/fake-app.js';

const KEY = idOf<ApiKeyId>(1);

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const start = (fail = false) => {
  const written: ReadonlyMap<ApiKeyId, Date>[] = [];
  const { log, lines } = makeFakeLog();
  const notes = startUseNotes({
    noteUse: (uses) => {
      written.push(uses);
      return fail ? Promise.reject(new Error('away')) : Promise.resolve();
    },
    now: () => new Date(),
    log,
  });
  return { notes, written, lines };
};

describe('notes of the use of keys', () => {
  it('are written every 30 s, with the last use of each key', async () => {
    const { notes, written } = start();
    notes.note(KEY);
    await vi.advanceTimersByTimeAsync(20_000);
    notes.note(KEY);
    notes.note(idOf(2));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(written.map((uses) => [...uses])).toEqual([
      [
        [KEY, new Date(20_000)],
        [idOf(2), new Date(20_000)],
      ],
    ]);
  });

  it('are not written where there are none', async () => {
    const { written } = start();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(written).toEqual([]);
  });

  it('are written a last time at the end, and never after', async () => {
    const { notes, written } = start();
    notes.note(KEY);
    await notes.stop();
    notes.note(KEY);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written).toHaveLength(1);
  });

  it('harm nobody where they cannot be written; the log says so', async () => {
    const { notes, lines } = start(true);
    notes.note(KEY);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(lines).toMatchObject([{ level: 'warn' }]);
    notes.note(KEY);
    await notes.stop();
  });

  it('take no more memory than for 50,000 keys', async () => {
    const { notes, written } = start();
    for (let number = 0; number < 50_010; number += 1) notes.note(idOf(number));
    await vi.advanceTimersByTimeAsync(1);
    notes.note(idOf(7));
    await notes.stop();
    expect(written[0]!.size).toBe(50_000);
    expect(written[0]!.get(idOf(7))).toEqual(new Date(1));
  });
});
