import {
  collectMemberships,
  type ConnectorHost,
  type Memberships,
  type ReadMessage,
  type ReadRequest,
  selectGroups,
  z,
} from '../../src/plugin/api.js';
import type { EntraClient } from './client.js';
import { isGuest, recordOf, type User } from './record.js';
import type { EntraSettings } from './settings.js';

/** With more changes, reading everybody takes fewer requests. */
const MAX_CHANGED = 5_000;

const DeltaCursor = z.object({
  deltaLink: z.string(),
  /** Of the memberships; empty without groups. */
  groups: z.string(),
});

/** Where the read of everybody resumes. */
const PageCursor = DeltaCursor.extend({ next: z.string() });

/** Reads users page by page: all of them, or who has changed. */
export const createReader = (
  client: EntraClient,
  { log, settings }: Pick<ConnectorHost<EntraSettings>, 'log' | 'settings'>,
) => {
  const readGroups = async (signal: AbortSignal): Promise<Memberships | undefined> => {
    if (!settings.groups) return undefined;
    const all: { readonly id: string; readonly name: string }[] = [];
    for await (const group of client.groups(signal)) all.push(group);
    const memberships = collectMemberships();
    for (const { id, name } of selectGroups(all, settings.groups, 'Microsoft Entra'))
      for await (const memberId of client.memberIds(id, signal)) memberships.add(name, memberId);
    return memberships.finish();
  };

  const isRead = (user: User): boolean => settings.guests || !isGuest(user);

  const messageOf = (user: User, memberships: Memberships | undefined): ReadMessage => ({
    type: 'record',
    id: user.id,
    data: recordOf(user, client.properties, memberships?.groupsOf(user.id)),
  });

  /**
   * Everybody from a list, which has each user once and complete. What changes meanwhile comes with the
   * next delta: `cursor` was taken before the first page.
   */
  async function* readList(
    request: ReadRequest,
    memberships: Memberships | undefined,
    { next: start, ...cursor }: z.infer<typeof DeltaCursor> & { readonly next?: string },
  ): AsyncGenerator<ReadMessage> {
    for (let next = start; ;) {
      const page = await client.users(next, request.pageSize, request.signal);
      for (const user of page.users) if (isRead(user)) yield messageOf(user, memberships);
      ({ next } = page);
      if (next === undefined) break;
      yield { type: 'checkpoint', cursor: { ...cursor, next } };
    }
    yield { type: 'complete', cursor };
  }

  async function* readDelta(
    request: ReadRequest,
    memberships: Memberships | undefined,
  ): AsyncGenerator<ReadMessage> {
    const { signal } = request;
    const last = DeltaCursor.parse(request.cursor);
    const groups = memberships?.digest ?? '';
    const changes = await client.changes(last.deltaLink, signal);
    if (!changes) {
      log.info({}, 'The delta link has expired: reading everybody');
      const deltaLink = await client.latestDelta(signal);
      yield* readList(request, memberships, { deltaLink, groups });
      return;
    }
    const { changed, removed, deltaLink } = changes;
    // Changes come in any order and repeatedly, so what is there now decides.
    const isList = groups !== last.groups || changed.size > MAX_CHANGED;
    const gone = new Set(removed);
    const wanted = isList ? removed : new Set([...removed, ...changed]);
    for await (const user of client.usersById(wanted, signal)) {
      gone.delete(user.id);
      if (!isList && isRead(user)) yield messageOf(user, memberships);
    }
    for (const id of gone) yield { type: 'tombstone', id };
    if (isList) yield* readList(request, memberships, { deltaLink, groups });
    else yield { type: 'complete', cursor: { deltaLink, groups } };
  }

  async function* readSome(
    ids: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<ReadMessage> {
    const memberships = await readGroups(signal);
    const missing = new Set(ids);
    for await (const user of client.usersById(missing, signal))
      if (isRead(user) && missing.delete(user.id)) yield messageOf(user, memberships);
    const message = 'Microsoft Entra does not know this user, or they are a guest.';
    for (const id of missing) yield { type: 'recordError', id, message };
    yield { type: 'complete', cursor: null };
  }

  async function* readAll(request: ReadRequest): AsyncGenerator<ReadMessage> {
    const { signal } = request;
    const memberships = await readGroups(signal);
    if (request.isResumed) yield* readList(request, memberships, PageCursor.parse(request.cursor));
    else if (request.mode === 'delta') yield* readDelta(request, memberships);
    else {
      const deltaLink = await client.latestDelta(signal);
      yield* readList(request, memberships, { deltaLink, groups: memberships?.digest ?? '' });
    }
  }

  return (request: ReadRequest): AsyncGenerator<ReadMessage> =>
    request.ids ? readSome(request.ids, request.signal) : readAll(request);
};
