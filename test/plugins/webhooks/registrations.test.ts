import { describe, expect, it } from 'vitest';
import type { PluginRecords } from '../../../src/plugin/contract/host.js';
import { createRegistrations } from '../../../plugins/webhooks/registration.js';
import { TENANT_ID } from '../../support/builders.js';
import { ManualClock } from './manual-clock.js';

const recordsThat = (list: () => Promise<never[]>): PluginRecords => ({
  list,
  find: () => Promise.resolve(undefined),
  change: () => Promise.resolve(null),
});

describe('recent registrations', () => {
  it('are those read less than a second ago, counted from the start of the query', async () => {
    const clock = new ManualClock();
    let reads = 0;
    const records = recordsThat(() => {
      reads += 1;
      clock.advance(400);
      return Promise.resolve([]);
    });
    const registrations = createRegistrations(records, clock);
    await registrations.recent(TENANT_ID);
    clock.advance(599);
    await registrations.recent(TENANT_ID);
    expect(reads).toBe(1);
    clock.advance(1);
    await registrations.recent(TENANT_ID);
    expect(reads).toBe(2);
  });

  it('share a query in progress', async () => {
    let reads = 0;
    const registrations = createRegistrations(
      recordsThat(() => {
        reads += 1;
        return Promise.resolve([]);
      }),
      new ManualClock(),
    );
    await Promise.all([registrations.recent(TENANT_ID), registrations.recent(TENANT_ID)]);
    expect(reads).toBe(1);
  });

  it('are read again after a failure', async () => {
    const answers = [() => Promise.reject(new Error('down')), () => Promise.resolve([])];
    const registrations = createRegistrations(
      recordsThat(() => answers.shift()!()),
      new ManualClock(),
    );
    await expect(registrations.recent(TENANT_ID)).rejects.toThrow('down');
    await expect(registrations.recent(TENANT_ID)).resolves.toEqual(new Map());
  });

  it('never replace a read of the database', async () => {
    let reads = 0;
    const registrations = createRegistrations(
      recordsThat(() => {
        reads += 1;
        return Promise.resolve([]);
      }),
      new ManualClock(),
    );
    await registrations.read(TENANT_ID);
    await registrations.read(TENANT_ID);
    expect(reads).toBe(2);
  });
});
