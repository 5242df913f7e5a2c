import { describe, expect, it } from 'vitest';
import { ensureCollections } from '../../src/store/collections.js';
import { ensureEventIndexes } from '../../src/store/event-document.js';
import { ensureOutboxIndexes } from '../../src/store/outbox-document.js';
import { ensureRateWindows } from '../../src/store/shared-rate-limiter.js';
import { useDatabase } from '../support/core.js';

const database = useDatabase();

describe('making collections', () => {
  it('does nothing where they are there: a gateway starts again, or a second one starts', async () => {
    const connection = await database.open();
    const { db } = connection;
    if (!db) throw new Error('not connected');
    const makeAll = () =>
      Promise.all([
        ensureCollections(connection),
        ensureEventIndexes(db),
        ensureOutboxIndexes(db),
        ensureRateWindows(db),
      ]);
    await makeAll();
    await Promise.all([makeAll(), makeAll()]);
    const names = (await db.listCollections().toArray()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['events', 'outbox', 'rate_windows']));
    expect(new Set(names).size).toBe(names.length);
  });
});
