import { setTimeout as wait } from 'node:timers/promises';
import type { CommandLogReader, LogPosition } from '../../api/command-log.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { CommandLogEntry } from '../../pipeline/commit-store.js';

/** Between two reads of the log. */
const POLL_MS = 500;
/** Refused commands are written after their batch, so their entries may appear late. */
const LATE_MS = 5_000;
/** Positions that one read returns. */
const MAX_POSITIONS = 5_000;
/** Entries that one read returns. */
const MAX_ENTRIES = 500;
const HEARTBEAT_MS = 15_000;

/** An entry, or a sign of life with the position that was read. */
export type LogStep =
  | { readonly entry: CommandLogEntry }
  | { readonly heartbeat: Date; readonly position: LogPosition };

export interface TailParts {
  readonly reader: Pick<CommandLogReader, 'positions' | 'findAll'>;
  readonly tenantId: TenantId;
  /** Entries after it are returned. */
  readonly after: LogPosition;
  /** The database's time. */
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

const isAfter = (one: LogPosition, other: LogPosition): boolean =>
  one.at.getTime() === other.at.getTime() ? one.id > other.id : one.at > other.at;

/**
 * The entries of the log from a position on, as all gateways write them, at most a second late, until
 * the signal aborts. Every entry comes once, also one that appears late; those are out of order. A slow
 * reader gets them as fast as it takes them: only a batch is in memory.
 */
export const tailLog = async function* ({
  reader,
  tenantId,
  after,
  now,
  signal,
}: TailParts): AsyncGenerator<LogStep> {
  /** Of the entries that may be read again. */
  let seen = new Set<string>();
  let newest = after;
  let from = after.at;
  let beatAt = -Infinity;
  while (!signal.aborted) {
    if (performance.now() - beatAt >= HEARTBEAT_MS) {
      beatAt = performance.now();
      yield { heartbeat: now(), position: newest };
    }
    const positions = await reader.positions(tenantId, { from, limit: MAX_POSITIONS });
    const unseen = positions.filter(
      (position) => !seen.has(position.id) && isAfter(position, after),
    );
    for (let at = 0; at < unseen.length; at += MAX_ENTRIES) {
      const ids = unseen.slice(at, at + MAX_ENTRIES).map(({ id }) => id);
      for (const entry of await reader.findAll(tenantId, ids)) {
        if (isAfter(entry, newest)) newest = { at: entry.at, id: entry.id };
        yield { entry };
      }
    }
    seen = new Set(positions.map(({ id }) => id));
    const last = positions.at(-1);
    const isFull = positions.length >= MAX_POSITIONS;
    // What is full is read on from its end: late entries of a busy second may be missed then.
    if (last)
      from = isFull ? last.at : new Date(Math.max(after.at.getTime(), last.at.getTime() - LATE_MS));
    if (!isFull) await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
};
