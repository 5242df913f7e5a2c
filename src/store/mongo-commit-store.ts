import type { mongo } from 'mongoose';
import type { CommandId } from '../domain/ids.js';
import type { CommandLogEntry, CommitStore } from '../pipeline/commit-store.js';
import { readFault } from './classify-error.js';
import type { Collections } from './collections.js';
import { fromCommandLogDocument, toCommandLogDocument } from './command-log-document.js';
import { commit, type CommitParts } from './commit.js';
import { load } from './load.js';

/** A batch's reads or its transaction end after this long (pipeline-rules.md 15). */
const BATCH_MS = 8_000;
/** Lines about refusals that are kept in one go: a flood of them is sampled (pipeline-rules.md 15). */
const MOST_REFUSALS = 100;

/** The pipeline's store over MongoDB. */
export const mongoCommitStore = (parts: CommitParts): CommitStore => {
  const { collections, keepLogMs } = parts;
  return {
    load: (tenantId, needs) =>
      asRead(() =>
        inSession(collections, (session) => load(collections, session, tenantId, needs)),
      ),
    commit: (plan) => inSession(collections, (session) => commit(parts, session, plan)),
    isAt: (tenantId, { v }) =>
      asRead(async () => {
        const state = await collections.tenantState.findOne(
          { _id: tenantId },
          { projection: { v: 1 } },
        );
        return (state?.v ?? 0) === v;
      }),
    findCommitted: (tenantId, ids) =>
      asRead(async () => {
        const found = await collections.commandLog
          .find({ _id: { $in: ids as unknown as string[] }, tenant: tenantId })
          .toArray();
        return new Map<CommandId, CommandLogEntry>(
          found.map(fromCommandLogDocument).map((entry) => [entry.id, entry]),
        );
      }),
    log: async (entries) => {
      const kept = entries.slice(0, MOST_REFUSALS);
      await collections.commandLog.insertMany(
        kept.map((entry) => toCommandLogDocument(entry, keepLogMs)),
        { ordered: false, writeConcern: { w: 1 } },
      );
    },
  };
};

const inSession = async <Result>(
  { client }: Collections,
  work: (session: mongo.ClientSession) => Promise<Result>,
): Promise<Result> => {
  const session = client.startSession({ causalConsistency: true, defaultTimeoutMS: BATCH_MS });
  try {
    return await work(session);
  } finally {
    // Waiting for the server to forget the session would put a round trip on every batch.
    void session.endSession().catch(() => undefined);
  }
};

const asRead = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw readFault(error);
  }
};
