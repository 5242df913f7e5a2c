import type { CommandLogReader } from '../../api/command-log.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';
import { afterCommit, isCommitRead, type LogWatch, type TailPosition } from './watch-log.js';

/** Positions that one read returns. */
const MAX_POSITIONS = 5_000;
/** Entries that one read returns. */
const MAX_ENTRIES = 500;
const HEARTBEAT_MS = 15_000;

/** An entry or a sign of life, with the position that was read. */
export type LogStep = { readonly position: TailPosition } & (
  { readonly entry: CommandLogEntry } | { readonly heartbeat: Date }
);

export interface TailParts {
  readonly reader: Pick<CommandLogReader, 'positions' | 'findAll' | 'unapplied'>;
  readonly watch: LogWatch;
  readonly tenantId: TenantId;
  /** Entries after it are returned. */
  readonly after: TailPosition;
  /** The database's time. */
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/**
 * The entries of the log from a position on, as all gateways write them, within a second of their
 * becoming visible, until the signal aborts. Every entry comes once, however late its gateway wrote
 * it: the commits of a tenant are in the order of their times, and entries without a commit are
 * numbered. A slow reader gets them as fast as it takes them: only a batch is in memory.
 */
export const tailLog = async function* (parts: TailParts): AsyncGenerator<LogStep> {
  const { watch, tenantId, now, signal } = parts;
  let position = parts.after;
  let beatAt = -Infinity;
  while (!signal.aborted) {
    if (performance.now() - beatAt >= HEARTBEAT_MS) {
      beatAt = performance.now();
      yield { heartbeat: now(), position };
    }
    const timeoutMs = Math.max(0, HEARTBEAT_MS - (performance.now() - beatAt));
    const end = await watch.next(tenantId, position, { timeoutMs, signal });
    if (!end) continue;
    for await (const step of committed(parts, position, end.committedAt)) {
      ({ position } = step);
      if (step.entry) yield { entry: step.entry, position };
    }
    for await (const step of unapplied(parts, position, end.unapplied)) {
      ({ position } = step);
      if (step.entry) yield { entry: step.entry, position };
    }
  }
};

interface Read {
  /** Undefined at the end of what could be read. */
  readonly entry?: CommandLogEntry;
  readonly position: TailPosition;
}

const committed = async function* (
  { reader, tenantId }: TailParts,
  after: TailPosition,
  until: Date,
): AsyncGenerator<Read> {
  let position = after;
  let isRead = isCommitRead(position, until);
  while (!isRead) {
    const found = await reader.positions(tenantId, {
      after: position,
      until,
      limit: MAX_POSITIONS,
    });
    for (let at = 0; at < found.length; at += MAX_ENTRIES) {
      const ids = found.slice(at, at + MAX_ENTRIES).map(({ id }) => id);
      for (const entry of await reader.findAll(tenantId, ids)) {
        position = { ...position, at: entry.at, id: entry.id };
        // Entries without a commit have an order of their own.
        if (entry.unappliedSeq === undefined) yield { entry, position };
      }
    }
    isRead = found.length < MAX_POSITIONS;
    position = { ...position, ...(isRead ? afterCommit(until) : found.at(-1)) };
  }
  yield { position };
};

const unapplied = async function* (
  { reader, tenantId }: TailParts,
  after: TailPosition,
  until: number,
): AsyncGenerator<Read> {
  let position = after;
  while (position.unapplied < until) {
    const found = await reader.unapplied(tenantId, {
      after: position.unapplied,
      limit: MAX_ENTRIES,
    });
    for (const entry of found) {
      position = { ...position, unapplied: entry.unappliedSeq ?? until };
      yield { entry, position };
    }
    // Others have expired.
    if (found.length < MAX_ENTRIES)
      position = { ...position, unapplied: Math.max(position.unapplied, until) };
  }
  yield { position };
};
