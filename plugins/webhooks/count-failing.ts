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
 * Counts failing registrations across all gateways, from the database. A registration that was
 * disabled or deleted is not counted, and the mark of its note is removed.
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
      help: 'Registrations with no successful delivery for an hour, across all gateways.',
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
