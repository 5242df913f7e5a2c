import type * as mongo from 'mongodb';
import { loopScheduler, createYielder } from '../pipeline/loop-scheduler.js';

type Cursor<Document> = Pick<
  mongo.FindCursor<Document>,
  'hasNext' | 'readBufferedDocuments' | 'close'
>;

/** Documents decoded between two pauses: about half a millisecond's work. */
const DECODED_PER_PAUSE = 64;

/**
 * Passes on every document of a cursor. The driver decodes a document when it is read, so the event
 * loop can be yielded in between; in groups, because a promise per document costs a quarter of decoding
 * it.
 */
export const readEach = async <Document>(
  cursor: Cursor<Document>,
  add: (document: Document) => void,
  client?: unknown,
): Promise<void> => {
  const yieldIfDue = createYielder(client);
  try {
    while (await cursor.hasNext()) {
      for (const document of cursor.readBufferedDocuments(DECODED_PER_PAUSE)) add(document);
      await yieldIfDue();
    }
  } finally {
    await cursor.close();
  }
};

/**
 * The documents of a page. Of pages that arrive in one turn of the event loop, the first are decoded at
 * once, and the others when their client's turn comes.
 */
export const readDocuments = async <Document>(
  cursor: Cursor<Document>,
  client: unknown = cursor,
): Promise<Document[]> => {
  const found: Document[] = [];
  if (await cursor.hasNext()) await loopScheduler.entered(client);
  await readEach(cursor, (document) => found.push(document), client);
  return found;
};
