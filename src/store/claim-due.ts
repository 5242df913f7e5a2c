import type { mongo } from 'mongoose';
import { takeFairly } from '../domain/fair-share.js';
import type { DeliveryId, EventId, TenantId } from '../domain/ids.js';
import type { Claimed, ClaimedRow, ClaimRequest } from '../domain/outbox-work.js';
import { HINTS, type OutboxDocument } from './outbox-document.js';

type Candidate = Pick<OutboxDocument, '_id' | 'key' | 'due' | 'seq'>;

interface Candidates {
  readonly oldestFirst: readonly Candidate[];
  /** Whether everything that is due was seen. */
  readonly areAll: boolean;
}

/** Pages of candidates are so many times as long as the claim: one key must not fill them all. */
const PAGE = 4;
/** So often are the keys that fill a page left out, to see who waits behind them. */
const MOST_PAGES = 4;

const NEWEST = { readConcern: { level: 'local' } } as const;

/** By the server's clock: no gateway's can end a lease early. */
const IS_DUE = { $expr: { $lte: ['$due', '$$NOW'] } } as const;

const isBefore = (one: Candidate, other: Candidate): number =>
  one.due.getTime() - other.due.getTime() || one.seq - other.seq;

/** The newest there is: what this instance has just taken must not fill its next page. */
const readPage = async (
  outbox: mongo.Collection<OutboxDocument>,
  { plugin, limit }: ClaimRequest,
  without: readonly string[],
): Promise<readonly Candidate[]> =>
  outbox
    .find({ st: 'p', plugin, key: { $nin: [...without] }, ...IS_DUE }, NEWEST)
    .hint(HINTS.byDue)
    .sort({ due: 1, seq: 1 })
    .limit(limit * PAGE)
    .batchSize(limit * PAGE)
    .project<Candidate>({ key: 1, due: 1, seq: 1 })
    .toArray();

const countByKey = (candidates: Iterable<Candidate>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { key } of candidates) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

const findCandidates = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: ClaimRequest,
): Promise<Candidates> => {
  const found = new Map<string, Candidate>();
  const full = [...request.room].filter(([, rows]) => rows <= 0).map(([key]) => key);
  let without = full;
  let areAll = false;
  for (let pages = 0; pages < MOST_PAGES && !areAll; pages += 1) {
    const page = await readPage(outbox, request, without);
    for (const candidate of page) found.set(candidate._id, candidate);
    areAll = page.length < request.limit * PAGE;
    const counts = [...countByKey(found.values())];
    const shares = counts.map(([key, rows]) => Math.min(rows, mostOf(request, key)));
    if (shares.reduce((sum, rows) => sum + rows, 0) >= request.limit) break;
    const crowded = counts.filter(([key, rows]) => rows >= mostOf(request, key));
    without = [...full, ...crowded.map(([key]) => key)];
  }
  return { oldestFirst: [...found.values()].sort(isBefore), areAll };
};

const mostOf = ({ share, room }: ClaimRequest, key: string): number =>
  Math.min(share, room.get(key) ?? share);

const fromOutboxDocument = (document: OutboxDocument, claim: string): ClaimedRow => ({
  id: document._id as DeliveryId,
  tenantId: document.tenant as TenantId,
  plugin: document.plugin,
  key: document.key,
  eventId: document.ev as EventId,
  seq: document.seq,
  resource: document.res,
  claim,
  attempt: document.n,
  hasFailed: document.last !== undefined,
});

/**
 * Takes due rows for an instance, fairly over the keys: looks for them, leases those that are still
 * free, and reads what it got. Two instances that look at once share them out. Once a majority has
 * the lease it has the rows too, which were written before: an event that a change of primary could
 * still undo is told to nobody.
 */
export const claimDue = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: ClaimRequest,
): Promise<Claimed> => {
  const { owner, claim, leaseMs, limit, share, room } = request;
  const { oldestFirst, areAll } = await findCandidates(outbox, request);
  const roomOf = (key: string): number => room.get(key) ?? limit;
  const { taken, crowded } = takeFairly(oldestFirst, { limit, share, roomOf });
  const chosen = { _id: { $in: taken.map(({ _id }) => _id) } };
  if (taken.length > 0) {
    await outbox.updateMany(
      { ...chosen, st: 'p', ...IS_DUE },
      [{ $set: { due: { $add: ['$$NOW', leaseMs] }, own: owner, claim, n: { $add: ['$n', 1] } } }],
      { writeConcern: { w: 'majority' }, hint: HINTS.byId },
    );
  }
  const got =
    taken.length === 0
      ? []
      : await outbox
          .find({ ...chosen, claim }, NEWEST)
          .sort({ seq: 1 })
          .toArray();
  return {
    rows: got.map((document) => fromOutboxDocument(document, claim)),
    crowded: [...crowded],
    more: !areAll,
  };
};
