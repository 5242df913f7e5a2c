import type { TenantId } from '../../domain/kernel/ids.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import type { Collections } from '../tables/collections.js';
import { toCommandLogDocument } from '../tables/command-log.js';
import { inTransaction, type SessionPool } from './session-pool.js';

export interface UnappliedLogParts {
  readonly collections: Pick<Collections, 'commandLog' | 'logEnds'>;
  readonly sessions: SessionPool;
  /** How long entries are kept, in milliseconds. */
  readonly keepLogMs: number;
}

/** Writes log entries of commands that changed nothing, apart from commits. */
export interface UnappliedLog {
  /** Resolves when the entries of this tenant are written, or left out. */
  readonly write: (entries: readonly CommandLogEntry[]) => Promise<void>;
  /** Resolves when nothing is being written. Never rejects. */
  readonly settle: () => Promise<void>;
}

/** Entries of a tenant written at once: a flood of refusals is sampled (pipeline-rules.md 15). */
const MAX_ENTRIES = 100;

interface Waiting {
  readonly entries: CommandLogEntry[];
  readonly written: Promise<void>;
}

/**
 * Numbers the entries of each tenant in the order in which they become visible: the counter and the
 * entries are one transaction, so if an entry can be read, all earlier ones can. Writes of a
 * tenant would conflict, so that those which arrive during one are combined into the next.
 */
export const createUnappliedLog = (parts: UnappliedLogParts): UnappliedLog => {
  const { collections, sessions, keepLogMs } = parts;
  const writing = new Map<TenantId, Promise<void>>();
  const waiting = new Map<TenantId, Waiting>();

  const insert = (tenantId: TenantId, entries: readonly CommandLogEntry[]): Promise<void> =>
    inTransaction(sessions, async (session) => {
      const end = await collections.logEnds.findOneAndUpdate(
        { _id: tenantId },
        { $inc: { unapplied: entries.length }, $setOnInsert: { tenant: tenantId } },
        { upsert: true, returnDocument: 'after', session },
      );
      const first = (end?.unapplied ?? entries.length) - entries.length + 1;
      const documents = entries.map((entry, at) =>
        toCommandLogDocument({ ...entry, unappliedSeq: first + at }, keepLogMs),
      );
      await collections.commandLog.insertMany(documents, { session });
    });

  const start = (tenantId: TenantId, entries: readonly CommandLogEntry[]): Promise<void> => {
    const written = insert(tenantId, entries).finally(() => {
      if (writing.get(tenantId) === written) writing.delete(tenantId);
    });
    writing.set(tenantId, written);
    return written;
  };

  const startAfter = async (
    previous: Promise<void>,
    tenantId: TenantId,
    entries: readonly CommandLogEntry[],
  ): Promise<void> => {
    await previous.catch(() => undefined);
    waiting.delete(tenantId);
    await start(tenantId, entries);
  };

  return {
    write: async (all) => {
      const [first] = all;
      if (!first) return;
      const { tenantId } = first;
      const entries = all.slice(0, MAX_ENTRIES);
      const next = waiting.get(tenantId);
      if (next) {
        next.entries.push(...entries.slice(0, MAX_ENTRIES - next.entries.length));
        return next.written;
      }
      const previous = writing.get(tenantId);
      if (!previous) return start(tenantId, entries);
      const written = startAfter(previous, tenantId, entries);
      waiting.set(tenantId, { entries, written });
      return written;
    },
    settle: async () => {
      await Promise.allSettled([
        ...writing.values(),
        ...[...waiting.values()].map(({ written }) => written),
      ]);
    },
  };
};
