import type * as mongo from 'mongodb';
import type { DomainEvent } from '../../domain/events.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { CommitConflict, type CommitPlan } from '../../pipeline/commit-store.js';
import { toCommitError } from '../database-errors.js';
import { insertAll, changesOf, type Transaction } from './transaction.js';
import { countBySegment, segmentIncrements, SEGMENTS, USER_SEGMENT } from '../tables/segments.js';
import { writeTables, writeSmsLists, createdUsers, writeUsers } from './write-tables.js';
import type { KeptKeys } from '../kept-keys.js';
import type { Collections } from '../tables/collections.js';
import { toCommandLogDocument } from '../tables/command-log.js';
import { toEventDocument } from '../tables/events.js';
import type { Seal } from '../tables/collection.js';
import { toTenantFields } from '../tables/tenants.js';
import { TRANSACTION } from '../concerns.js';

export interface CommitParts {
  readonly collections: Collections;
  /** How long events and log lines are kept, in milliseconds. */
  readonly keepEventsMs: number;
  readonly keepLogMs: number;
  readonly seal: Seal;
  readonly keptKeys: KeptKeys;
}

/**
 * One transaction for the whole batch. Its first statement increments the tenant's version; if
 * another commit was first, nothing is written (pipeline-rules.md 3). One statement at a time: MongoDB
 * does not support concurrent ones in a transaction (decision 0057).
 */
export const commit = async (
  parts: CommitParts,
  session: mongo.ClientSession,
  plan: CommitPlan,
): Promise<void> => {
  session.startTransaction(TRANSACTION);
  let committing = false;
  try {
    await write(parts, session, plan);
    committing = true;
    await session.commitTransaction();
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
    throw toCommitError(error, committing);
  }
};

const write = async (
  { collections, keepEventsMs, keepLogMs, seal, keptKeys }: CommitParts,
  session: mongo.ClientSession,
  plan: CommitPlan,
): Promise<void> => {
  const transaction: Transaction = { collections, session, plan, seal, keptKeys };
  const { events, commandLog } = collections;
  await bumpVersion(transaction);
  await writeState(transaction);
  await insertAll(
    events,
    {
      entities: plan.events,
      toDocument: (event: DomainEvent) => toEventDocument(event, keepEventsMs),
    },
    session,
  );
  await insertAll(
    commandLog,
    { entities: plan.log, toDocument: (entry) => toCommandLogDocument(entry, keepLogMs) },
    session,
  );
  await addLogCounts(transaction);
};

const addLogCounts = async ({ collections, session, plan }: Transaction): Promise<void> => {
  for (const { id, affected, changes } of plan.logCounts)
    await collections.commandLog.updateOne(
      { _id: id, tenant: plan.tenantId },
      { $inc: { affectedCount: affected, changeCount: changes } },
      { session },
    );
};

const writeState = async (transaction: Transaction): Promise<void> => {
  await writeDirectory(transaction);
  await writeUsers(transaction);
  await writeTables(transaction);
  await writeSmsLists(transaction);
};

/** Increments the version and writes the tenant's settings and counters. */
const bumpVersion = async ({ collections, session, plan }: Transaction): Promise<void> => {
  const { tenantState } = collections;
  const { version, tenantId } = plan;
  const [change] = changesOf(plan, 'tenant');
  const after = change?.after;
  const isNewTenant = change?.before === null;
  const { matchedCount } = isNewTenant
    ? { matchedCount: 1 }
    : await tenantState.updateOne(
        { _id: tenantId, v: version.v },
        {
          $set: {
            v: version.v + 1,
            seq: plan.seqAfter,
            at: plan.now,
            ...(change && after ? changedTenantFields(change.before, after) : {}),
            ...(change && !after ? { deleted: true as const } : {}),
          },
          $unset: { turn: '' },
          ...countCreated(plan),
        },
        { session },
      );
  if (matchedCount === 0) throw new CommitConflict('the tenant has another version');
  if (isNewTenant && after) await insertTenantState(tenantState, session, { plan, tenant: after });
};

/** A declaration of attributes may be long, and counters change with every new user. */
const changedTenantFields = (before: Tenant | null, after: Tenant) => {
  const { customAttributes, ...fields } = toTenantFields(after);
  return before?.customAttributes === after.customAttributes
    ? fields
    : { ...fields, customAttributes };
};

const countCreated = (plan: CommitPlan): { readonly $inc?: Readonly<Record<string, number>> } => {
  const created = createdUsers(plan);
  if (created.length === 0) return {};
  const added = created.map((_, index) => plan.version.nextOrdinal + index);
  return {
    $inc: {
      nextOrdinal: created.length,
      ...segmentIncrements(countBySegment(USER_SEGMENT, { added })),
    },
  };
};

const insertTenantState = async (
  tenantState: Collections['tenantState'],
  session: mongo.ClientSession,
  { plan, tenant }: { readonly plan: CommitPlan; readonly tenant: Tenant },
): Promise<void> => {
  await tenantState.insertOne(
    {
      _id: tenant.id,
      v: 1,
      seq: plan.seqAfter,
      at: plan.now,
      nextOrdinal: 0,
      [SEGMENTS]: {},
      ...toTenantFields(tenant),
    },
    { session },
  );
};

/**
 * Updates the directory when a tenant is created, renamed or deleted (a tombstone without a slug).
 */
const writeDirectory = async ({
  collections: { tenants },
  session,
  plan,
}: Transaction): Promise<void> => {
  const [change] = changesOf(plan, 'tenant');
  if (!change) return;
  const { before, after } = change;
  if (!before && after) {
    const { id, slug, name, createdAt } = after;
    await tenants.insertOne({ _id: id, slug, name, createdAt }, { session });
  } else if (!after) {
    await tenants.updateOne(
      { _id: plan.tenantId },
      { $set: { deletedAt: plan.now }, $unset: { slug: '' } },
      { session },
    );
  } else if (before?.name !== after.name) {
    await tenants.updateOne({ _id: plan.tenantId }, { $set: { name: after.name } }, { session });
  }
};
