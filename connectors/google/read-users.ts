import { type ReadMessage, z } from '../../src/plugin/api.js';
import type { DirectoryRead } from '../directory/start-directory.js';
import type { GoogleClient } from './client.js';
import type { User } from './record.js';

/** Where a read resumes. */
const PageCursor = z.object({ pageToken: z.string() });

/** Reads users page by page: the Directory API lists no changes. */
export const createReader = ({ users }: GoogleClient) =>
  async function* readAll(request: DirectoryRead<User>): AsyncGenerator<ReadMessage> {
    const { cursor, isResumed, pageSize, recordsOf, signal } = request;
    let pageToken = isResumed ? PageCursor.parse(cursor).pageToken : undefined;
    for (;;) {
      const { items, next } = await users(pageToken, pageSize, signal);
      yield* recordsOf(items);
      if (next === undefined) break;
      pageToken = next;
      yield { type: 'checkpoint', cursor: { pageToken } };
    }
    yield { type: 'complete', cursor: null };
  };
