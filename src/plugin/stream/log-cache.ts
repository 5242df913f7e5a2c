import { LRUCache } from 'lru-cache';
import type { DomainEvent } from '../../domain/events.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import type { StreamStore } from '../../ports/event-stream.js';

/** An event in memory. */
interface CachedEvent {
  readonly event: DomainEvent;
  /** This gateway committed it just now, with few others: the rest of a large commit may wait. */
  readonly isLive: boolean;
}

const MAX_EVENTS = 8_192;
const PAGE = 256;
/** Events of a commit that are delivered at once, also while commands run. */
const MAX_LIVE = 50;

const nameOf = (tenantId: TenantId, seq: number): string => `${tenantId}${seq}`;

/**
 * Recent events of all tenants: those that this gateway commits, and pages of the log. Keys of one
 * tenant read the same events, most of them at about the same time.
 */
export const createLogCache = ({ readLog }: Pick<StreamStore, 'readLog'>) => {
  const events = new LRUCache<string, CachedEvent>({ max: MAX_EVENTS });
  const pages = new Map<string, Promise<number | undefined>>();

  const add = (added: readonly DomainEvent[], isLive: boolean): void => {
    for (const event of added) events.set(nameOf(event.tenantId, event.seq), { event, isLive });
  };

  const readPage = async (tenantId: TenantId, after: number): Promise<number | undefined> => {
    const page = await readLog(tenantId, after, PAGE);
    add(page, false);
    return page[0]?.seq;
  };

  return {
    add: (committed: readonly DomainEvent[]): void => add(committed, committed.length <= MAX_LIVE),
    get: (tenantId: TenantId, seq: number): CachedEvent | undefined =>
      events.get(nameOf(tenantId, seq)),
    /** Reads a page after this position; returns the first position in it, if there is any. */
    read: (tenantId: TenantId, after: number): Promise<number | undefined> => {
      const name = nameOf(tenantId, after);
      const page = pages.get(name) ?? readPage(tenantId, after).finally(() => pages.delete(name));
      pages.set(name, page);
      return page;
    },
  };
};

export type LogCache = ReturnType<typeof createLogCache>;
