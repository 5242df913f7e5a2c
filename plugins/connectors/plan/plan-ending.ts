import type { User } from '../../../src/plugin/connectors-api.js';
import type { CompiledConnector } from '../compile-connector.js';
import type { Claim, Identities } from '../identify/identities.js';
import { type Deferral, type Link, withoutDeferral } from '../link.js';
import { DEACTIVATED, itemOf, type Planned, type PlanRules, UNCHANGED } from './plan-record.js';

/** The record is there again: an absence counts only in a row, and nothing is deferred any more. */
export const readAgain = (link: Link): Planned =>
  itemOf({ ...link, why: 'The record is there again.' }, 'touch', {
    after: { ...withoutDeferral(link), rev: link.rev + 1, missing: 0, missingIn: [] },
  });

/** Plans the end of a link whose record is gone. */
const endOf = (link: Link, user: User | undefined, why: string): Planned => {
  const after: Link = {
    ...withoutDeferral(link),
    rev: link.rev + 1,
    missing: 0,
    missingIn: [],
    state: 'left',
    changesOn: null,
  };
  if (!user?.profile.active) return itemOf({ ...link, why }, 'touch', { after });
  return itemOf({ ...link, why }, 'deactivate', {
    changes: [DEACTIVATED],
    isDeactivation: true,
    after: { ...after, deactivatedHere: true },
  });
};

/** Plans a link whose record the source deleted. */
export const planTombstone = (link: Link | undefined, user: User | undefined): Planned =>
  !link || link.state === 'left' ? UNCHANGED : endOf(link, user, 'The source deleted the record.');

/** Plans a link whose record is missing from a complete read, of this export if the source says so. */
export const planAbsence = (
  link: Link,
  user: User | undefined,
  { missingRuns }: Pick<PlanRules, 'missingRuns'>,
  snapshot?: string,
): Planned => {
  if (link.state === 'left') return UNCHANGED;
  // It had ended before this read.
  if (link.deferred) return planDeferred(link, user);
  const missing = link.missing + 1;
  if (missing >= missingRuns)
    return endOf(
      link,
      user,
      missing === 1
        ? 'Missing from a complete read.'
        : `Missing from ${missing} complete reads in a row.`,
    );
  const why = `Missing from ${missing} of ${missingRuns} complete reads in a row.`;
  return itemOf({ ...link, why }, user?.profile.active ? 'missing' : 'touch', {
    after: {
      ...link,
      rev: link.rev + 1,
      missing,
      missingIn: snapshot === undefined ? link.missingIn : [...link.missingIn, snapshot],
    },
  });
};

/** Plans a link whose deactivation was deferred by an earlier run. */
export const planDeferred = (link: Link, user: User | undefined): Planned =>
  endOf(link, user, 'The record has ended, and no other record has taken over the user.');

interface Ending {
  readonly link: Link | undefined;
  /** What the record that ends says itself. */
  readonly says: 'left' | 'nothing';
}

interface ClaimParts {
  readonly compiled: CompiledConnector;
  readonly identities: Identities;
  readonly runId: string;
  readonly now: Date;
}

/**
 * Puts a deactivation off while another record claims the user: their person may work on under another
 * id. It never gets lost: it is stored with the link, until the claim is applied or ends, or time is up.
 */
export const withClaim = (
  planned: Planned,
  { link, says }: Ending,
  { compiled, identities, runId, now }: ClaimParts,
): Planned => {
  const claim = identities.claimOn(link?.userId ?? null);
  if (!link || !claim || claim.sourceId === link.sourceId) return planned;
  // The link moves to the other record: it must stay as it was planned.
  if (claim.state === 'applied') return UNCHANGED;
  if (planned.kind !== 'item' || !planned.item.isDeactivation) return planned;
  // Until the first day of a new contract, who has left has no seat.
  if (claim.state === 'future' && says === 'left') return planned;
  const { deferred } = link;
  if (deferred && Date.parse(deferred.until) <= now.getTime()) return planned;
  if (deferred) return { kind: 'unchanged', warning: deferred.why };
  const why = `${claim.why}, and ${claim.state === 'future' ? 'joins later' : 'cannot be used yet'}`;
  const deferral = deferralOf({ ...claim, why }, planned.item.why, { compiled, runId, now });
  const { hash, data } = says === 'left' ? planned.item.after : link;
  return itemOf({ ...link, why: deferral.why }, 'deferred', {
    // What is read next may be a part of the record: it is merged with this.
    after: { ...link, hash, data, rev: link.rev + 1, deferred: deferral },
    warnings: [deferral.why],
  });
};

/** `why`: the reason of the deactivation. */
export const deferralOf = (
  { sourceId, why: claimed }: Pick<Claim, 'sourceId' | 'why'>,
  why: string,
  { compiled, runId, now }: Omit<ClaimParts, 'identities'>,
): Deferral => {
  const until = new Date(now.getTime() + compiled.options.safety.deferFor).toISOString();
  return {
    run: runId,
    at: now.toISOString(),
    until,
    record: sourceId,
    why: `${why} The deactivation waits until ${until}: the record ${sourceId} ${claimed}.`,
  };
};
