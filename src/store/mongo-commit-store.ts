import type { CommandId } from '../domain/ids.js';
import type { CommandLogEntry, CommitStore } from '../pipeline/commit-store.js';
import { readFault } from './classify-error.js';
import { fromCommandLogDocument, toCommandLogDocument } from './command-log-document.js';
import { commit, type CommitParts } from './commit.js';
import { load } from './load.js';
import type { SessionPool } from './session-pool.js';
import { takeTurn, yieldTurn } from './turn.js';

/** Lines about refusals that are kept in one go: a flood of them is sampled (pipeline-rules.md 15). */
const MOST_REFUSALS = 100;

export interface CommitStoreParts extends CommitParts {
  readonly sessions: SessionPool;
  /** This instance. */
  readonly own: string;
}

/** The pipeline's store over MongoDB. */
export const mongoCommitStore = (parts: CommitStoreParts): CommitStore => {
  const { collections, keepLogMs, sessions, own, seal } = parts;
  return {
    load: (tenantId, needs) =>
      asRead(() =>
        sessions.use((session) => load({ collections, session, own, seal }, tenantId, needs)),
      ),
    commit: (plan) => sessions.use((session) => commit(parts, session, plan)),
    takeTurn: (tenantId) => asRead(() => takeTurn(collections, tenantId, own)),
    yieldTurn: (tenantId) => asRead(() => yieldTurn(collections, tenantId, own)),
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

const asRead = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw readFault(error);
  }
};
