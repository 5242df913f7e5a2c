import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/domain/kernel/json.js';
import type { MarkedNote, PluginHost } from '../../../src/plugin/contract/host.js';
import type { MetricDescription, Sample } from '../../../src/ports/telemetry.js';
import { showFailing } from '../../../plugins/webhooks/failing.js';
import type { Registration } from '../../../plugins/webhooks/registration.js';
import { idOf, TENANT_ID } from '../../support/builders.js';
import type { RecordId } from '../../../src/domain/kernel/ids.js';

const SINCE = '2026-11-21T09:00:00.000Z';

const aRegistration = (number: number, more: Partial<Registration> = {}) =>
  ({ id: idOf<RecordId>(number), epoch: 1, status: 'active', ...more }) as Registration;

const aNote = (number: number, note: JsonObject = { failing: noted(1) }): MarkedNote => ({
  tenantId: TENANT_ID,
  id: idOf(number),
  note,
});

const noted = (epoch: number): JsonObject => ({ since: SINCE, epoch, keeps: true });

/** Reads the gauge over these notes and registrations; returns which notes lost their mark. */
const read = async (marked: readonly MarkedNote[], registrations: readonly Registration[]) => {
  const unmarked: string[] = [];
  const gauges: [MetricDescription, () => readonly Sample[] | Promise<readonly Sample[]>][] = [];
  const host = {
    notes: {
      marked: (mark: string) => Promise.resolve(mark === 'failing' ? marked : []),
      unmark: (_tenantId: string, id: string, mark: string) => {
        unmarked.push(`${id} ${mark}`);
        return Promise.resolve();
      },
    },
    metrics: { gauge: (...gauge: (typeof gauges)[number]) => void gauges.push(gauge) },
  } as unknown as Pick<PluginHost, 'notes' | 'metrics'>;
  const known = new Map(registrations.map((one) => [one.id, one]));
  showFailing({ host, registrations: { recent: () => Promise.resolve(known) } });
  const [[{ name }, value]] = gauges as [(typeof gauges)[number]];
  return { name, samples: await value(), unmarked };
};

describe('how many registrations keep failing', () => {
  it('is read from the notes of all gateways, without a label', async () => {
    expect(await read([aNote(1), aNote(2)], [aRegistration(1), aRegistration(2)])).toEqual({
      name: 'failing',
      samples: [{ value: 2 }],
      unmarked: [],
    });
  });

  it('is 0 without any', async () => {
    expect((await read([], [aRegistration(1)])).samples).toEqual([{ value: 0 }]);
  });

  it.each([
    ['deleted', []],
    ['disabled', [aRegistration(1, { status: 'disabled', epoch: 2 })]],
    ['enabled again', [aRegistration(1, { epoch: 3 })]],
  ])('excludes one that was %s since, and removes its mark', async (_what, registrations) => {
    const { samples, unmarked } = await read([aNote(1)], registrations);
    expect(samples).toEqual([{ value: 0 }]);
    expect(unmarked).toEqual([`${idOf(1)} failing`]);
  });

  it('excludes malformed notes', async () => {
    const { samples, unmarked } = await read([aNote(1, { failing: 'odd' })], [aRegistration(1)]);
    expect([samples, unmarked]).toEqual([[{ value: 0 }], [`${idOf(1)} failing`]]);
  });
});
