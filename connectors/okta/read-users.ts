import { type ConnectorHost, type ReadMessage, z } from '../../src/plugin/api.js';
import type { DirectoryRead } from '../directory/start-directory.js';
import type { OktaClient } from './client.js';
import type { User } from './record.js';

/** How far the next delta goes back before the start of this read: Okta's search lags behind. */
const OVERLAP_MS = 5 * 60_000;

const DeltaCursor = z.object({
  since: z.iso.datetime(),
  /** Of the memberships; empty without groups. */
  groups: z.string(),
});

/** Where a read resumes. */
const PageCursor = z.object({
  /** The link to the page. Absent: the first one. */
  next: z.string().optional(),
  /** `listed`: everybody but deprovisioned users, who come after them. `changed`: in a delta. */
  part: z.enum(['listed', 'deprovisioned', 'changed']),
  startedAt: z.iso.datetime(),
  /** Of the memberships when it started. */
  groups: z.string(),
});
type Place = Pick<z.infer<typeof PageCursor>, 'next' | 'part'>;

/** Reads users page by page: all of them, or who has changed. */
export const createReader = (
  client: OktaClient,
  { clock, log }: Pick<ConnectorHost, 'clock' | 'log'>,
) => {
  /** Where a delta finds who has changed; undefined if everybody must be read. */
  const changedSince = ({ mode, cursor, isResumed, groups }: DirectoryRead<User>) => {
    if (mode === 'full' || isResumed) return undefined;
    const last = DeltaCursor.parse(cursor);
    if (groups === last.groups) return last.since;
    // A user who joins a group does not change.
    log.info({}, 'A group has changed: reading everybody');
    return undefined;
  };

  return async function* readAll(request: DirectoryRead<User>): AsyncGenerator<ReadMessage> {
    const { pageSize, recordsOf, signal } = request;
    const now = clock.now();
    const resumed = request.isResumed ? PageCursor.parse(request.cursor) : undefined;
    const groups = resumed?.groups ?? request.groups;
    const since = changedSince(request);
    const searches = {
      listed: undefined,
      deprovisioned: 'status eq "DEPROVISIONED"',
      changed: `lastUpdated gt "${since}"`,
    };
    let startedAt = resumed?.startedAt;
    let place: Place | undefined = resumed ?? { part: since === undefined ? 'listed' : 'changed' };
    do {
      const { part, next }: Place = place;
      const page = await client.users(searches[part], next, pageSize, signal);
      startedAt ??= earlier(now, new Date(page.headers['date'] ?? '')).toISOString();
      for (const user of page.items) if (isOf(part, user, startedAt)) yield* recordsOf([user]);
      place = placeAfter(part, page.next);
      if (place) yield { type: 'checkpoint', cursor: { ...place, startedAt, groups } };
    } while (place);
    const overlapped = new Date(Date.parse(startedAt) - OVERLAP_MS).toISOString();
    yield { type: 'complete', cursor: { since: overlapped, groups } };
  };
};

const placeAfter = (part: Place['part'], next: string | undefined): Place | undefined => {
  if (next !== undefined) return { part, next };
  return part === 'listed' ? { part: 'deprovisioned' } : undefined;
};

/** The clock of Okta may be behind, or not be sent. */
const earlier = (now: Date, sentAt: Date): Date => (sentAt < now ? sentAt : now);

/**
 * Whether a user belongs to this part of a read, so that each is read once. Users who are deprovisioned
 * while it reads were or were not listed before: they come with the next read.
 */
const isOf = (part: Place['part'], { status, statusChanged }: User, startedAt: string): boolean => {
  const isDeprovisioned = status === 'DEPROVISIONED';
  if (part === 'listed') return !isDeprovisioned;
  if (part === 'changed') return true;
  return isDeprovisioned && !(statusChanged && Date.parse(statusChanged) >= Date.parse(startedAt));
};
