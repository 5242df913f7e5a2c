import { type ConnectorHost, type ReadMessage, z } from '../../src/plugin/api.js';
import type { DirectoryRead } from '../directory/start-directory.js';
import type { EntraClient } from './client.js';
import type { User } from './record.js';

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
export const createReader = (client: EntraClient, { log }: Pick<ConnectorHost, 'log'>) => {
  /**
   * Everybody from a list, which has each user once and complete. What changes meanwhile comes with the
   * next delta: `cursor` was taken before the first page.
   */
  async function* readList(
    { pageSize, recordsOf, signal }: DirectoryRead<User>,
    { next: start, ...cursor }: z.infer<typeof DeltaCursor> & { readonly next?: string },
  ): AsyncGenerator<ReadMessage> {
    for (let next = start; ;) {
      const page = await client.users(next, pageSize, signal);
      yield* recordsOf(page.items);
      ({ next } = page);
      if (next === undefined) break;
      yield { type: 'checkpoint', cursor: { ...cursor, next } };
    }
    yield { type: 'complete', cursor };
  }

  async function* readDelta(read: DirectoryRead<User>): AsyncGenerator<ReadMessage> {
    const { groups, recordsOf, signal } = read;
    const last = DeltaCursor.parse(read.cursor);
    const changes = await client.changes(last.deltaLink, signal);
    if (!changes) {
      log.info({}, 'The delta link has expired: reading everybody');
      yield* readList(read, { deltaLink: await client.latestDelta(signal), groups });
      return;
    }
    const { changed, removed, deltaLink } = changes;
    // Changes come in any order and repeatedly, so what is there now decides.
    const isList = groups !== last.groups || changed.size > MAX_CHANGED;
    const gone = new Set(removed);
    const wanted = isList ? removed : new Set([...removed, ...changed]);
    for await (const user of client.usersById(wanted, signal)) {
      gone.delete(user.id);
      if (!isList) yield* recordsOf([user]);
    }
    for (const id of gone) yield { type: 'tombstone', id };
    if (isList) yield* readList(read, { deltaLink, groups });
    else yield { type: 'complete', cursor: { deltaLink, groups } };
  }

  return async function* readAll(read: DirectoryRead<User>): AsyncGenerator<ReadMessage> {
    const { cursor, groups, isResumed, mode, signal } = read;
    if (isResumed) yield* readList(read, PageCursor.parse(cursor));
    else if (mode === 'delta') yield* readDelta(read);
    else yield* readList(read, { deltaLink: await client.latestDelta(signal), groups });
  };
};
