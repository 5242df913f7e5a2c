import type * as mongo from 'mongodb';
import type { AttemptRecord } from '../../outbox/delivery-record.js';
import type { DeliveryId } from '../../domain/kernel/ids.js';
import type { Acknowledgement, ClaimResult } from '../../outbox/outbox-claims.js';
import { LOCAL_READ, PRIMARY_WRITE } from '../concerns.js';
import { fromFields, toText, type AttemptDocument, BY_DELIVERY } from '../tables/outbox.js';
import { RETENTION_MS } from './row-updates.js';

/** As long as its delivery: one that is retried may still fail. */
const retentionMs = ({ kind }: ClaimResult): number =>
  kind === 'delivered' ? RETENTION_MS.d : RETENTION_MS.f;

/** The time is approximate: the attempt ended shortly before its acknowledgement is written. */
const toDocument = (
  { id, result, attempt }: Acknowledgement,
  now: number,
): readonly AttemptDocument[] => {
  if (!attempt?.record) return [];
  const { reason, ms, record } = attempt;
  const { tenantId: tenant, kept } = record;
  const expireAt = new Date(now + retentionMs(result));
  return [{ d: id, tenant, at: new Date(now - ms), ms, reason, ...toText(kept), expireAt }];
};

/** Attempts per write: for the database, a write of one is half the work of a write of eight. */
const MAX_PER_WRITE = 128;
const WRITE_DELAY_MS = 200;
/** While the database is unavailable; further attempts are not recorded. */
const MAX_WAITING = 2_000;

/**
 * Writes records of attempts, apart from the acknowledgements and in larger groups. Lossy: a
 * delivery ends whether or not its attempts are recorded, and a record that the database rejects
 * must not cause it to be sent again.
 */
export interface AttemptWriter {
  readonly add: (batch: readonly Acknowledgement[]) => void;
  /** Resolves when everything added so far is written. */
  readonly flush: () => Promise<void>;
}

export const createAttemptWriter = (
  attempts: mongo.Collection<AttemptDocument>,
  now: () => Date,
): AttemptWriter => {
  let waiting: AttemptDocument[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const documents = waiting;
    waiting = [];
    if (documents.length === 0) return;
    await attempts
      .insertMany(documents, { ordered: false, ...PRIMARY_WRITE })
      .catch(() => undefined);
  };

  const schedule = (): void => {
    if (waiting.length >= MAX_PER_WRITE) writing = writing.then(write);
    else if (waiting.length > 0)
      timer ??= setTimeout(() => {
        writing = writing.then(write);
      }, WRITE_DELAY_MS).unref();
  };

  return {
    add: (batch) => {
      const at = now().getTime();
      const documents = batch.flatMap((each) => toDocument(each, at));
      waiting.push(...documents.slice(0, Math.max(0, MAX_WAITING - waiting.length)));
      schedule();
    },
    flush: () => (writing = writing.then(write)),
  };
};

/** The attempts of these deliveries that are not in their rows, oldest first. */
export const readAttempts = async (
  attempts: mongo.Collection<AttemptDocument>,
  ids: readonly DeliveryId[],
  { withDetails }: { readonly withDetails: boolean },
): Promise<ReadonlyMap<string, readonly AttemptRecord[]>> => {
  const found = await attempts
    .find(
      { d: { $in: [...ids] } },
      {
        ...LOCAL_READ,
        ...(withDetails ? {} : { projection: { details: 0 } }),
      },
    )
    .hint(BY_DELIVERY)
    .toArray();
  const byDelivery = new Map<string, AttemptRecord[]>();
  for (const document of found.sort((one, other) => one.at.getTime() - other.at.getTime())) {
    const known = byDelivery.get(document.d);
    if (known) known.push(fromFields(document));
    else byDelivery.set(document.d, [fromFields(document)]);
  }
  return byDelivery;
};
