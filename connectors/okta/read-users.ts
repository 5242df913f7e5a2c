import {
  collectMemberships,
  type ConnectorHost,
  type Memberships,
  type ReadMessage,
  type ReadRequest,
  selectGroups,
  z,
} from '../../src/plugin/api.js';
import type { OktaClient, UserPage } from './client.js';
import { recordOf, type User } from './record.js';
import type { OktaSettings } from './settings.js';

/** How far the next delta goes back before the start of this read: Okta's search lags behind. */
const OVERLAP_MS = 5 * 60_000;

const DeltaCursor = z.object({
  since: z.iso.datetime(),
  /** Of the memberships; empty without groups. */
  groups: z.string(),
});

/** Where a read resumes. */
const PageCursor = z.object({
  next: z.string(),
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
  { clock, log, settings }: Pick<ConnectorHost<OktaSettings>, 'clock' | 'log' | 'settings'>,
) => {
  const readGroups = async (signal: AbortSignal): Promise<Memberships | undefined> => {
    if (!settings.groups) return undefined;
    const all: { readonly id: string; readonly name: string }[] = [];
    for await (const group of client.groups(signal)) all.push(group);
    const memberships = collectMemberships();
    for (const { id, name } of selectGroups(all, settings.groups, 'Okta'))
      for await (const memberId of client.memberIds(id, signal)) memberships.add(name, memberId);
    return memberships.finish();
  };

  const messageOf = (user: User, memberships: Memberships | undefined): ReadMessage => ({
    type: 'record',
    id: user.id,
    data: recordOf(user, settings.activeStatuses, memberships?.groupsOf(user.id)),
  });

  const firstPlace = (request: ReadRequest, memberships: Memberships | undefined): Place => {
    const everybody: Place = { part: 'listed', next: client.firstPage(request.pageSize) };
    if (request.mode === 'full') return everybody;
    const { since, groups } = DeltaCursor.parse(request.cursor);
    if (groups === (memberships?.digest ?? '')) {
      const search = `lastUpdated gt "${since}"`;
      return { part: 'changed', next: client.firstPage(request.pageSize, search) };
    }
    // A user who joins a group does not change.
    log.info({}, 'A group has changed: reading everybody');
    return everybody;
  };

  async function* readPages(request: ReadRequest): AsyncGenerator<ReadMessage> {
    const { signal, pageSize } = request;
    const now = clock.now();
    const memberships = await readGroups(signal);
    const resumed = request.isResumed ? PageCursor.parse(request.cursor) : undefined;
    const groups = resumed?.groups ?? memberships?.digest ?? '';
    let startedAt = resumed?.startedAt;
    let place: Place | undefined = resumed ?? firstPlace(request, memberships);
    while (place) {
      const { part }: Place = place;
      const page: UserPage = await client.users(place.next, signal);
      startedAt ??= earlier(now, page.sentAt).toISOString();
      for (const user of page.users)
        if (isOf(part, user, startedAt)) yield messageOf(user, memberships);
      if (page.next !== undefined) place = { part, next: page.next };
      else if (part === 'listed')
        place = {
          part: 'deprovisioned',
          next: client.firstPage(pageSize, 'status eq "DEPROVISIONED"'),
        };
      else place = undefined;
      if (place) yield { type: 'checkpoint', cursor: { ...place, startedAt, groups } };
    }
    const since = new Date(Date.parse(startedAt ?? now.toISOString()) - OVERLAP_MS).toISOString();
    yield { type: 'complete', cursor: { since, groups } };
  }

  async function* readSome(
    ids: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<ReadMessage> {
    const memberships = await readGroups(signal);
    for (const id of ids) {
      const user = await client.user(id, signal);
      const message = 'Okta does not know this user.';
      yield user?.id === id ? messageOf(user, memberships) : { type: 'recordError', id, message };
    }
    yield { type: 'complete', cursor: null };
  }

  return (request: ReadRequest): AsyncGenerator<ReadMessage> =>
    request.ids ? readSome(request.ids, request.signal) : readPages(request);
};

const earlier = (one: Date, other: Date = one): Date => (one < other ? one : other);

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
