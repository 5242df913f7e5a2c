import { z } from 'zod';
import type { DeliveryOutcome, TenantId } from '../../src/plugin/api.js';

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
  return { since, epoch, keeps };
};

/** What is reported to operators about a registration. */
export const FAILING_EVENTS = ['began', 'recovered', 'disabled'] as const;
export type FailingEvent = (typeof FAILING_EVENTS)[number];

/** What an attempt that changed this is news of; undefined where it is none. */
export const failingEventOf = (
  known: Failing | undefined,
  after: Failing | undefined,
  { target, outcome }: TriedDelivery,
): Exclude<FailingEvent, 'disabled'> | undefined => {
  const kept = known?.keeps === true && known.epoch === target.epoch;
  if (!kept && after?.keeps) return 'began';
  return kept && outcome.status === 'success' ? 'recovered' : undefined;
};
