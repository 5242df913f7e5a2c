import type { PluginHost } from '../../src/plugin/api.js';
import { createBackgroundChanges } from './background-changes.js';
import {
  type Failing,
  FAILING_EVENTS,
  type FailingEvent,
  failingEventOf,
  type Target,
  type TriedDelivery,
} from './failing.js';

export interface WatchParts {
  readonly host: Pick<PluginHost, 'records' | 'log' | 'metrics'>;
  /** In milliseconds; absent: no registration is ever disabled. */
  readonly disableAfter?: number | undefined;
  readonly now: () => Date;
}

/** What is known of a registration: before an attempt that is now noted, and after it. */
export interface FailingChange {
  readonly before: Failing | undefined;
  readonly after: Failing | undefined;
}

/**
 * Reports to the operator when all deliveries to a registration fail for long, and when they succeed
 * again. Disables the registration only if the operator has configured that, because events are lost
 * while a registration is disabled (decisions.md 7).
 */
export const createWatch = ({ host, disableAfter, now }: WatchParts) => {
  const { log } = host;
  const change = createBackgroundChanges(host);
  const count = countEvents(host);

  const report = {
    began: (
      { target: { tenantId: tenant, id: webhook }, outcome }: TriedDelivery,
      since: string,
    ) => {
      const reason = outcome.status === 'failed' ? outcome.reason : undefined;
      log.error({ tenant, webhook, since, reason }, 'all deliveries to a webhook fail');
    },
    recovered: ({ target: { tenantId: tenant, id: webhook } }: TriedDelivery, since: string) => {
      log.info({ tenant, webhook, since }, 'deliveries to a failing webhook succeed again');
    },
  };

  const disable = ({ tenantId, id, epoch }: Target, since: string): void =>
    change({
      tenantId,
      id,
      rule: 'disable',
      input: { id, epoch, reason: `All deliveries have failed since ${since}.` },
      failure: 'could not disable a failing webhook',
      whenDone: (changed) => {
        // Null: its status has changed since.
        if (changed === null) return;
        count('disabled');
        log.error(
          { tenant: tenantId, webhook: id, since },
          'disabled a failing webhook; it receives no further events',
        );
      },
    });

  return (tried: TriedDelivery, { before, after }: FailingChange): void => {
    const news = failingEventOf(before, after, tried);
    const since = (after ?? before)?.since;
    if (news && since !== undefined) {
      count(news);
      report[news](tried, since);
    }
    if (!after || tried.isTest || disableAfter === undefined) return;
    const lastedMs = now().getTime() - Date.parse(after.since);
    if (lastedMs >= disableAfter) disable(tried.target, after.since);
  };
};

/** All of them from the start, at 0: an alarm on a rise must see the first one. */
const countEvents = ({ metrics }: Pick<PluginHost, 'metrics'>): ((event: FailingEvent) => void) => {
  const count = metrics.counter({
    name: 'failing_events_total',
    help: 'Changes of failing registrations at this gateway: began, recovered, disabled.',
    labels: ['event'],
  });
  for (const event of FAILING_EVENTS) count({ event }, 0);
  return (event) => count({ event });
};
