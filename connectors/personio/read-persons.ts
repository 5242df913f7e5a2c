import { type ConnectorHost, type ReadMessage, type ReadRequest, z } from '../../src/plugin/api.js';
import { type PersonioClient, type PersonPage, stuck } from './client.js';
import { type Person, recordOf } from './record.js';

/** How far the next delta goes back before the start of this read: rows are committed late. */
const OVERLAP_MS = 5 * 60_000;

const DeltaCursor = z.object({ updatedAfter: z.string() });

/** Where a read resumes. */
const PageCursor = z.object({
  next: z.string(),
  updatedAfter: z.string().optional(),
  /** Where the delta after this read starts. */
  resumeFrom: z.string(),
});

/** Reads persons page by page, and the employments of each. */
export const createReader = (client: PersonioClient, { clock }: Pick<ConnectorHost, 'clock'>) => {
  const messageOf = async (person: Person, signal: AbortSignal): Promise<ReadMessage> => {
    const employments = await client.employments(person.id, signal);
    if (employments) return { type: 'record', id: person.id, data: recordOf(person, employments) };
    const message = 'Personio listed this person, but does not know their employments.';
    return { type: 'recordError', id: person.id, message };
  };

  async function* readPages(request: ReadRequest): AsyncGenerator<ReadMessage> {
    const { cursor, isResumed, pageSize, signal } = request;
    const resumed = isResumed ? PageCursor.parse(cursor) : undefined;
    const updatedAfter =
      resumed?.updatedAfter ??
      (request.mode === 'delta' && !isResumed ? DeltaCursor.parse(cursor).updatedAfter : undefined);
    let next = resumed?.next;
    let resumeFrom = resumed?.resumeFrom;
    const startedAt = clock.now();
    const read = new Set(next === undefined ? [] : [next]);
    do {
      const page = await client.persons({ cursor: next, updatedAfter, pageSize }, signal);
      resumeFrom ??= deltaStart(startedAt, page);
      for (const person of page.persons) yield await messageOf(person, signal);
      next = page.next;
      if (next === undefined) break;
      if (read.has(next)) throw stuck();
      read.add(next);
      const filter = updatedAfter === undefined ? {} : { updatedAfter };
      yield { type: 'checkpoint', cursor: { next, resumeFrom, ...filter } };
    } while (true);
    yield { type: 'complete', cursor: { updatedAfter: resumeFrom } };
  }

  async function* readSome(
    ids: readonly string[],
    signal: AbortSignal,
  ): AsyncGenerator<ReadMessage> {
    for (const id of ids) {
      const person = await client.person(id, signal);
      const message = 'Personio does not know this person.';
      yield person ? await messageOf(person, signal) : { type: 'recordError', id, message };
    }
    yield { type: 'complete', cursor: null };
  }

  return (request: ReadRequest): AsyncGenerator<ReadMessage> =>
    request.ids ? readSome(request.ids, request.signal) : readPages(request);
};

/** Before the first page, by the slower of the two clocks. */
const deltaStart = (startedAt: Date, { sentAt = startedAt }: PersonPage): string =>
  new Date(Math.min(startedAt.getTime(), sentAt.getTime()) - OVERLAP_MS).toISOString();
