import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKeyId } from '../../../src/domain/kernel/ids.js';
import type { ApiKeyUse } from '../../../src/ports/tenants.js';
import { startLastUsedTracker } from '../../../src/http/access/authenticate-key.js';
import { idOf } from '../../support/builders.js';
import { createFakeLog } from '../../support/fake-log.js';

const KEY = idOf<ApiKeyId>(1);

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const start = (fail = false) => {
  const written: ReadonlyMap<ApiKeyId, ApiKeyUse>[] = [];
  const { log, lines } = createFakeLog();
  const notes = startLastUsedTracker({
    noteUse: (uses) => {
      written.push(uses);
      return fail ? Promise.reject(new Error('away')) : Promise.resolve();
    },
    now: () => new Date(),
    log,
  });
  return { notes, written, lines };
};

describe('the last use of API keys', () => {
  it('is stored soon for the first use, and then every 30 s', async () => {
    const { notes, written } = start();
    notes.record(KEY, { userAgent: 'Okta SCIM Client 1.0.0' });
    await vi.advanceTimersByTimeAsync(20_000);
    notes.record(KEY);
    notes.record(KEY);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(written.map((uses) => [...uses])).toEqual([
      [[KEY, { at: new Date(0), userAgent: 'Okta SCIM Client 1.0.0' }]],
      [[KEY, { at: new Date(20_000) }]],
    ]);
  });

  it('is stored soon with the first search for a user', async () => {
    const { notes, written } = start();
    notes.record(KEY);
    await vi.advanceTimersByTimeAsync(1_000);
    notes.record(KEY, { isLookup: true });
    notes.record(KEY);
    await vi.advanceTimersByTimeAsync(1_000);
    notes.record(KEY, { isLookup: true });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(written.map((uses) => [...uses])).toEqual([
      [[KEY, { at: new Date(0) }]],
      [[KEY, { at: new Date(1_000), lookedUpAt: new Date(1_000) }]],
    ]);
  });

  it('is not stored if no key was used', async () => {
    const { written } = start();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(written).toEqual([]);
  });

  it('is stored when the tracker stops, and never after', async () => {
    const { notes, written } = start();
    notes.record(KEY);
    await notes.stop();
    notes.record(KEY);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(written).toHaveLength(1);
  });

  it('is stored before stop ends, also if the write had begun', async () => {
    // Given a write that is underway
    let resolve = (): void => undefined;
    const written = new Promise<void>((done) => (resolve = done));
    const parts = { noteUse: () => written, now: () => new Date(), log: createFakeLog().log };
    const notes = startLastUsedTracker(parts);
    notes.record(KEY);
    await vi.advanceTimersByTimeAsync(1_000);

    // When the tracker stops
    let isStopped = false;
    const stopped = notes.stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(1_000);

    // Then it waits for that write
    expect(isStopped).toBe(false);
    resolve();
    await stopped;
  });

  it('is logged as a warning if it cannot be stored', async () => {
    const { notes, lines } = start(true);
    notes.record(KEY);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(lines).toMatchObject([{ level: 'warn' }]);
    notes.record(KEY);
    await notes.stop();
  });

  it('is recorded for at most 50,000 keys', async () => {
    const { notes, written } = start();
    for (let number = 0; number < 50_010; number += 1) notes.record(idOf(number));
    await vi.advanceTimersByTimeAsync(1);
    notes.record(idOf(7));
    await notes.stop();
    expect(written[0]!.size).toBe(50_000);
    expect(written[0]!.get(idOf(7))).toEqual({ at: new Date(1) });
  });
});
