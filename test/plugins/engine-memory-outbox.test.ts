import { describe } from 'vitest';
import { createMemoryOutbox } from '../contract/memory-outbox.js';
import { outboxStoreContract } from '../contract/outbox-store-contract.js';

describe('the outbox in memory, which the tests of the engine run on', () => {
  outboxStoreContract(() => {
    let now = 1_795_000_000_000;
    const store = createMemoryOutbox(() => now);
    return Promise.resolve({
      store,
      insert: async (rows, events) => {
        store.insert(rows, events);
        return Promise.resolve();
      },
      rows: async () => Promise.resolve(store.rows()),
      spans: async () => Promise.resolve(store.spans()),
      redeliver: async (id, to) => Promise.resolve(store.redeliver(id, to)),
      now: async () => Promise.resolve(new Date(now)),
      pass: async (ms) => {
        now += ms;
        return Promise.resolve();
      },
    });
  });
});
