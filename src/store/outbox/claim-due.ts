import * as mongo from 'mongodb';
import type { DeliveryId, EventId, TenantId } from '../../domain/kernel/ids.js';
import { type Claimable, distributeClaim } from '../../outbox/distribute-claim.js';
import type {
  Claimed,
  ClaimedRow,
  ClaimedSpan,
  ClaimRequest,
  Expansion,
} from '../../outbox/outbox-claims.js';
import {
  HINTS,
  type OutboxDocument,
  type SpanFields,
  toOutboxDocument,
  unpackSeqs,
} from '../tables/outbox.js';
import { findFirstSpans } from './delivery-order.js';
import { LOCAL_READ, MAJORITY_WRITE, PRIMARY_WRITE } from '../concerns.js';
import { DUPLICATE_KEY } from '../database-errors.js';
import { RELEASED } from './row-updates.js';

type Candidate = Pick<OutboxDocument, '_id' | 'tenant' | 'key' | 'due' | 'seq' | 'left'>;

interface Candidates {
  readonly oldestFirst: readonly Candidate[];
  /** Whether these are all due rows, apart from rows of the keys in `skipped`. */
  readonly isComplete: boolean;
  /** Keys that filled a page, so that later pages left them out. */
  readonly skipped: readonly string[];
}

/** One row more than can be claimed shows that a key has more. */
const pageSize = ({ limit }: ClaimRequest): number => limit + 1;
/** Pages that are read, each without the keys that filled the ones before. */
const MAX_PAGES = 4;

/** By the server's clock: no gateway's clock can end a lease early. */
const IS_DUE = { $expr: { $lte: ['$due', '$$NOW'] } } as const;

const isBefore = (one: Candidate, other: Candidate): number =>
  one.due.getTime() - other.due.getTime() || one.seq - other.seq;

const FIELDS = { tenant: 1, key: 1, due: 1, seq: 1, left: 1 } as const;

const dueExcept = ({ plugin }: ClaimRequest, excludedKeys: readonly string[]) => ({
  st: 'p' as const,
  plugin,
  key: { $nin: [...excludedKeys] },
  ...IS_DUE,
});

/** Local: rows that this instance has just claimed must not fill its next page. */
const readOldest = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: ClaimRequest,
  excludedKeys: readonly string[],
): Promise<readonly Candidate[]> =>
  outbox
    .find(dueExcept(request, excludedKeys), LOCAL_READ)
    .hint(HINTS.byDue)
    .sort({ due: 1, seq: 1 })
    .limit(pageSize(request))
    .batchSize(pageSize(request))
    .project<Candidate>(FIELDS)
    .toArray();

/**
 * The due rows of the other keys; undefined if there is more than a page. Jumps over the excluded
 * keys in the index: in the order of time, each claim from a backlog of one key would pass all of it.
 */
const readFew = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: ClaimRequest,
  excludedKeys: readonly string[],
): Promise<readonly Candidate[] | undefined> => {
  const found = await outbox
    .find(dueExcept(request, excludedKeys), LOCAL_READ)
    .hint(HINTS.byKey)
    .limit(pageSize(request))
    .batchSize(pageSize(request))
    .project<Candidate>(FIELDS)
    .toArray();
  return found.length < pageSize(request) ? found : undefined;
};

const readPage = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: ClaimRequest,
  excludedKeys: readonly string[],
): Promise<readonly Candidate[]> => {
  const few = excludedKeys.length > 0 && (await readFew(outbox, request, excludedKeys));
  return few || readOldest(outbox, request, excludedKeys);
};

const countByKey = (candidates: Iterable<Candidate>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { key, left = 1 } of candidates) counts.set(key, (counts.get(key) ?? 0) + left);
  return counts;
};

const findCandidates = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: ClaimRequest,
): Promise<Candidates> => {
  const found = new Map<string, Candidate>();
  const full = [...request.capacity].filter(([, rows]) => rows <= 0).map(([key]) => key);
  let skipped: readonly string[] = [];
  let isComplete = false;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await readPage(outbox, request, [...full, ...skipped]);
    for (const candidate of page) found.set(candidate._id, candidate);
    isComplete = page.length < pageSize(request);
    const counts = [...countByKey(found.values())];
    const shares = counts.map(([key, rows]) => Math.min(rows, limitFor(request, key)));
    if (isComplete || shares.reduce((sum, rows) => sum + rows, 0) >= request.limit) break;
    skipped = counts.filter(([key, rows]) => rows >= limitFor(request, key)).map(([key]) => key);
  }
  return { oldestFirst: [...found.values()].sort(isBefore), isComplete, skipped };
};

const limitFor = ({ share, capacity }: ClaimRequest, key: string): number =>
  Math.min(share, capacity.get(key) ?? share);

const toClaimable = ({ _id, key, left }: Candidate): Claimable =>
  left === undefined ? { id: _id, key } : { id: _id, key, left };

const renewalOf = ({ renews }: OutboxDocument) => (renews === undefined ? {} : { renews });

const toClaimedRow = (document: OutboxDocument, claim: string): ClaimedRow => ({
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
  ...renewalOf(document),
});

type SpanDocument = OutboxDocument & { readonly left: number; readonly span: SpanFields };

const isSpanDocument = (document: OutboxDocument): document is SpanDocument =>
  document.left !== undefined && document.span !== undefined;

const toClaimedSpan = (document: SpanDocument, claim: string, limit: number): ClaimedSpan => {
  const { seq, left, span } = document;
  const next = unpackSeqs(span.seqs, seq, limit + 1);
  const seqs = next.slice(0, limit);
  const following = next[limit];
  return {
    id: document._id as DeliveryId,
    tenantId: document.tenant as TenantId,
    plugin: document.plugin,
    key: document.key,
    claim,
    seqs,
    rest: following === undefined ? null : { seq: following, left: left - seqs.length },
    leasedUntil: document.due,
    ...renewalOf(document),
  };
};

/**
 * Leases due rows and spans for an instance, fairly over the keys: finds candidates, leases those
 * that are still free, and reads what it leased. Two instances that claim at once get different
 * rows. A majority that has the lease has the row too, which was written before: no event is
 * delivered that a change of primary could undo.
 */
export const claimDue = async (
  outbox: mongo.Collection<OutboxDocument>,
  request: ClaimRequest,
): Promise<Claimed> => {
  const { plugin, owner, claim, leaseMs } = request;
  const { oldestFirst, isComplete, skipped } = await findCandidates(outbox, request);
  // After the candidates, so that no span that precedes one of them is missed.
  const isBehindSpan = await findFirstSpans(outbox, plugin, oldestFirst);
  const free = oldestFirst.filter((candidate) => !isBehindSpan(candidate));
  const { events, crowded } = distributeClaim(free.map(toClaimable), request);
  const chosen = { _id: { $in: [...events.keys()] } };
  if (events.size > 0) {
    await outbox.updateMany(
      { ...chosen, st: 'p', ...IS_DUE },
      [
        {
          $set: {
            ...{ due: { $add: ['$$NOW', leaseMs] }, own: owner, claim, n: { $add: ['$n', 1] } },
            renews: { $cond: [{ $eq: ['$own', owner] }, '$claim', '$$REMOVE'] },
          },
        },
      ],
      { ...MAJORITY_WRITE, hint: HINTS.byId },
    );
  }
  const claimed =
    events.size === 0
      ? []
      : await outbox
          .find(
            { ...chosen, claim },
            { ...LOCAL_READ, projection: { first: 0 }, batchSize: events.size + 1 },
          )
          .sort({ seq: 1 })
          .toArray();
  return {
    rows: claimed
      .filter((document) => !isSpanDocument(document))
      .map((document) => toClaimedRow(document, claim)),
    spans: claimed
      .filter(isSpanDocument)
      .map((document) => toClaimedSpan(document, claim, events.get(document._id) ?? 1)),
    crowded: [
      ...new Set([
        ...crowded,
        ...skipped,
        ...oldestFirst.filter(isBehindSpan).map(({ key }) => key),
      ]),
    ],
    more: !isComplete,
  };
};

/** Only the instance that holds a span moves it on, under the claim of these events. */
const toSpanUpdate = ({
  span: { id, claim, rest },
  owner,
}: Expansion): mongo.AnyBulkWriteOperation<OutboxDocument> => {
  const filter = { _id: id, st: 'p', own: owner, claim } as const;
  if (!rest) return { deleteOne: { filter, hint: HINTS.byId } };
  const left = { ...RELEASED, n: 0, seq: rest.seq, left: rest.left, due: '$span.since' };
  return { updateOne: { filter, hint: HINTS.byId, update: [{ $set: left }] } };
};

/** Inserts the rows that do not exist and returns them. */
const insertNew = async (
  outbox: mongo.Collection<OutboxDocument>,
  documents: readonly OutboxDocument[],
): Promise<readonly OutboxDocument[]> => {
  if (documents.length === 0) return [];
  try {
    await outbox.insertMany([...documents], { ordered: false, ...MAJORITY_WRITE });
    return documents;
  } catch (error) {
    const duplicates = duplicatesIn(error);
    if (!duplicates) throw error;
    return documents.filter((_, index) => !duplicates.has(index));
  }
};

/** The indexes of rows that exist; undefined for any other error. */
const duplicatesIn = (error: unknown): ReadonlySet<number> | undefined => {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) return;
  const faults = [error.writeErrors].flat();
  if (faults.length === 0 || faults.some(({ code }) => code !== DUPLICATE_KEY)) return;
  return new Set(faults.map(({ index }) => index));
};

/**
 * Inserts the rows, on a majority, and then moves the spans on. A crash between the two leaves rows
 * that their span still contains: the next instance finds them by their ids and skips them. No
 * transaction, which a crash would leave open: the ids prevent duplicates. A row could only return
 * if an instance paused between claim and write for longer than finished rows are kept, 7 days; its
 * receiver would recognise it by its id, like any repetition.
 */
export const expandSpans = async (
  outbox: mongo.Collection<OutboxDocument>,
  expansions: readonly Expansion[],
): Promise<ReadonlySet<DeliveryId>> => {
  const documents = expansions.flatMap(({ span: { claim }, rows }) =>
    rows.map((row) => ({ ...toOutboxDocument(row), claim })),
  );
  const inserted = await insertNew(outbox, documents);
  await outbox.bulkWrite(expansions.map(toSpanUpdate), { ordered: false, ...PRIMARY_WRITE });
  return new Set(inserted.map(({ _id }) => _id as DeliveryId));
};
