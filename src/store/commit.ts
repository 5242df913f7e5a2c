import type { mongo } from 'mongoose';
import type { DomainEvent } from '../domain/events.js';
import type { OutboxRow } from '../domain/outbox.js';
import { CommitConflict, type CommitPlan } from '../pipeline/commit-store.js';
import type { Collections } from './collections.js';
import { commitFault } from './classify-error.js';
import { toCommandLogDocument } from './command-log-document.js';
import type { Seal } from './remembered-answer-document.js';
import { toTenantFields } from './tenant-document.js';
import {
  changesOf,
  createdUsers,
  type Transaction,
  writeApiKeys,
  writePluginRecords,
  writeRememberedAnswers,
  writeUsers,
} from './write-changes.js';

/** What a commit writes besides the state, and how long it is kept. */
export interface CommitParts {
  readonly collections: Collections;
  readonly insertEvents: (
    events: readonly DomainEvent[],
    session: mongo.ClientSession,
  ) => Promise<void>;
  readonly insertOutbox: (
    rows: readonly OutboxRow[],
    session: mongo.ClientSession,
  ) => Promise<void>;
  readonly keepLogMs: number;
  readonly seal: Seal;
}

/** Set explicitly, whatever the server's defaults are (reliability facts, 1). */
const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
} as const;

/**
 * One transaction for the whole batch. Its first statement takes the tenant's version from the
 * plan's to the next; where another commit came first nothing is written (pipeline-rules.md 3).
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
    throw commitFault(error, committing);
  }
};

const write = async (
  { collections, insertEvents, insertOutbox, keepLogMs, seal }: CommitParts,
  session: mongo.ClientSession,
  plan: CommitPlan,
): Promise<void> => {
  const nextOrdinal = await takeVersion(collections, session, plan);
  const transaction: Transaction = { collections, session, plan, nextOrdinal, seal };
  await writeDirectory(transaction);
  await writeUsers(transaction);
  await writeApiKeys(transaction);
  await writePluginRecords(transaction);
  await writeRememberedAnswers(transaction);
  if (plan.events.length > 0) await insertEvents(plan.events, session);
  if (plan.outbox.length > 0) await insertOutbox(plan.outbox, session);
  if (plan.log.length > 0)
    await collections.commandLog.insertMany(
      plan.log.map((entry) => toCommandLogDocument(entry, keepLogMs)),
      { session, ordered: false },
    );
};

/** Bumps the version and writes the tenant's settings and counts; the place of the next user. */
const takeVersion = async (
  collections: Collections,
  session: mongo.ClientSession,
  plan: CommitPlan,
): Promise<number> => {
  const [change] = changesOf(plan, 'tenant');
  const created = createdUsers(plan).length;
  if (change?.before === null) return openTenant(collections, session, plan);
  const state = await collections.tenantState.findOneAndUpdate(
    { _id: plan.tenantId, v: plan.version.v },
    {
      $set: {
        v: plan.version.v + 1,
        seq: plan.seqAfter,
        at: plan.now,
        ...(change?.after ? toTenantFields(change.after) : {}),
        ...(change && !change.after ? { deleted: true as const } : {}),
      },
      $unset: { turn: '' },
      ...(created > 0 ? { $inc: { nextOrdinal: created } } : {}),
    },
    { session, projection: { nextOrdinal: 1 } },
  );
  if (!state) throw new CommitConflict('the tenant has another version');
  return state.nextOrdinal;
};

const openTenant = async (
  { tenantState }: Collections,
  session: mongo.ClientSession,
  plan: CommitPlan,
): Promise<number> => {
  const tenant = changesOf(plan, 'tenant')[0]?.after;
  if (!tenant) throw new Error('A tenant that never was cannot be deleted.');
  await tenantState.insertOne(
    {
      _id: tenant.id,
      v: 1,
      seq: plan.seqAfter,
      at: plan.now,
      nextOrdinal: 0,
      ...toTenantFields(tenant),
    },
    { session },
  );
  return 0;
};

/** The directory follows when a tenant comes, is renamed, or goes (a tombstone without a slug). */
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
