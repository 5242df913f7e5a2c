import { describe } from 'vitest';
import { createMemoryStorage } from '../../src/plugin/testing/memory-storage.js';
import { pluginStorageContract } from '../contract/plugin-storage-contract.js';

describe('the storage of the test host', () =>
  pluginStorageContract(() => {
    let at = Date.now();
    const storage = createMemoryStorage(() => new Date(at));
    const pass = (ms: number): Promise<void> => {
      at += ms;
      return Promise.resolve();
    };
    return Promise.resolve({ ...storage, pass });
  }));
