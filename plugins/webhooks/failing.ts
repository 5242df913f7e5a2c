import { z } from 'zod';
import {
  type DeliveryOutcome,
  type MarkedNote,
  type PluginHost,
  type TenantId,
  timeInWords,
} from '../../src/plugin/api.js';
import { keyOf, registrationFor, type Registrations } from './registration.js';
import { createBackgroundChanges } from './background-changes.js';

/**
 * A registration _keeps failing_ when an attempt fails and no attempt has succeeded for so long
 * before: from then on it is an operator's business (docs/operating.md).
 */
const KEEPS_FAILING_MS = 3_600_000;

/** What is kept of a registration whose last delivery failed. */
export const Failing = z.object({
  /** The first failure after the last success, on whichever gateway. */
  since: z.iso.datetime(),
  /** The registration's at that time: what was before it was disabled counts no longer. */
  epoch: z.int(),
  /** Whether it kept failing when it was last tried. */
  keeps: z.boolean(),
  /** Why the last attempt failed, as a sentence. Absent in notes of earlier versions. */
  reason: z.string().optional(),
});
export type Failing = z.output<typeof Failing>;

/** Notes of registrations that keep failing bear it. */
export const FAILING_MARK = 'failing';

/** The registration that was tried, as it then was. */
export interface Target {
  readonly tenantId: TenantId;
  readonly id: string;
  readonly epoch: number;
}

/** How an attempt ended. */
export type Outcome =
  | { readonly status: 'success' }
  /** `reason`: a sentence. */
  | { readonly status: 'failed'; readonly reason: string };

export const outcomeOf = (attempt: DeliveryOutcome): Outcome =>
  attempt.kind === 'delivered'
    ? { status: 'success' }
    : { status: 'failed', reason: attempt.reason };

export interface TriedDelivery {
  readonly target: Target;
  readonly outcome: Outcome;
  /** A test call: that it fails says nothing of deliveries; that it succeeds does. */
  readonly isTest: boolean;
}

/** What an attempt made of what was known. */
export const failingAfter = (
  known: Failing | undefined,
  { target: { epoch }, outcome, isTest }: TriedDelivery,
  now: Date,
): Failing | undefined => {
  const before = known?.epoch === epoch ? known : undefined;
  if (outcome.status === 'success') return undefined;
  if (isTest) return before;
  const since = before?.since ?? now.toISOString();
  const keeps = now.getTime() - Date.parse(since) >= KEEPS_FAILING_MS;
  return { since, epoch, keeps, reason: outcome.reason };
};

/** What is reported to operators about a registration. */
const FAILING_EVENTS = ['began', 'recovered', 'disabled'] as const;
type FailingEvent = (typeof FAILING_EVENTS)[number];

/** What an attempt that changed this is news of; undefined where it is none. */
const failingEventOf = (
  known: Failing | undefined,
  after: Failing | undefined,
  { target, outcome }: TriedDelivery,
): Exclude<FailingEvent, 'disabled'> | undefined => {
  const kept = known?.keeps === true && known.epoch === target.epoch;
  if (!kept && after?.keeps) return 'began';
  return kept && outcome.status === 'success' ? 'recovered' : undefined;
};

interface CountParts {
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

interface WatchParts {
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
      input: {
        id,
        epoch,
        reason: `All deliveries have failed since ${timeInWords(new Date(since))}.`,
      },
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
