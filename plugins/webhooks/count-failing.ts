import { z } from 'zod';
import type { MarkedNote, PluginHost, TenantId } from '../../src/plugin/api.js';
import { Failing, FAILING_MARK } from './failing.js';
import { keyOf, registrationFor } from './registration.js';
import type { Registrations } from './registrations.js';

export interface CountParts {
  readonly host: Pick<PluginHost, 'notes' | 'metrics'>;
  readonly registrations: Pick<Registrations, 'recent'>;
}

const MarkedFailing = z.object({ failing: Failing });

/**
 * Shows how many registrations keep failing, over all gateways: the database knows. One that was
 * disabled or deleted meanwhile is nobody's worry any more, and its note loses the mark.
 */
export const showFailing = ({ host: { notes, metrics }, registrations }: CountParts): void => {
  const isStill = async ({ tenantId, id, note }: MarkedNote): Promise<boolean> => {
    const { success, data } = MarkedFailing.safeParse(note);
    if (!success) return false;
    const key = keyOf({ id, epoch: data.failing.epoch });
    return registrationFor(await registrations.recent(tenantId), key) !== undefined;
  };

  const forget = (tenantId: TenantId, id: string): Promise<void> =>
    notes.unmark(tenantId, id, FAILING_MARK);

  metrics.gauge(
    {
      name: 'failing',
      help: 'Registrations that keep failing: no delivery for an hour, over all gateways.',
    },
    async () => {
      const marked = await notes.marked(FAILING_MARK);
      const stand = await Promise.all(
        marked.map(async (note) => ({ ...note, is: await isStill(note) })),
      );
      const over = stand.filter(({ is }) => !is);
      await Promise.all(over.map(({ tenantId, id }) => forget(tenantId, id)));
      return [{ value: stand.length - over.length }];
    },
  );
};
