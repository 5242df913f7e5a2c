import {
  type ConnectorHost,
  type JsonObject,
  type JsonValue,
  type ReadMessage,
  type ReadRequest,
  SourceError,
  z,
} from '../../src/plugin/api.js';
import { advice, type Api, sourceOf } from './api.js';
import {
  type Listing,
  numberAt,
  type NumberedPage,
  pagesOf,
  type Reading,
  requestOf,
} from './pages.js';
import { fieldsIn, type Page, parseDocument } from './read-body.js';
import type { Sender } from './send.js';
import type { RestSettings } from './settings.js';
import { isObject, textOf, valueAt } from './value-at.js';
import { whileWaiting } from './while-waiting.js';

type Host = ConnectorHost<Api>;

const Checkpoint = z.strictObject({
  place: z.union([z.string(), z.number(), z.null()]),
  startedAt: z.iso.datetime(),
  /** Of a delta. */
  since: z.iso.datetime().optional(),
  total: z.number().optional(),
});
const Cursor = z.strictObject({ since: z.iso.datetime() });

/** How often to say that a response is still awaited. */
const WAITING_MS = 30_000;

/** Reads all people, what changed since the last read, or single people. */
export async function* readPeople(
  host: Host,
  sender: Sender,
  request: ReadRequest,
): AsyncGenerator<ReadMessage> {
  const { ids, signal, pageSize } = request;
  signal.throwIfAborted();
  const reading: Reading = { host, sender, signal, pageSize };
  if (ids) yield* readSome(reading, ids);
  else if (!host.settings.people.stream) yield* readPages(reading, request);
  // A read that resumes at a checkpoint before the first message starts at the beginning.
  else
    for await (const message of whileWaiting(readPages(reading, request), WAITING_MS))
      yield message ?? { type: 'checkpoint', cursor: null };
}

async function* readPages(
  reading: Reading,
  { mode, cursor, isResumed }: ReadRequest,
): AsyncGenerator<ReadMessage> {
  const { settings, clock } = reading.host;
  const resumed = isResumed && cursor !== null ? Checkpoint.parse(cursor) : undefined;
  const since = resumed ? dateOf(resumed.since) : mode === 'delta' ? sinceOf(cursor) : undefined;
  const now = clock.now();
  let startedAt = resumed?.startedAt;
  let total = resumed?.total;
  let read = 0;
  const required = new Set(since || resumed ? [] : settings.people.required);
  if (since && !resumed) yield* readDeleted(reading, since);
  const pages = pagesOf(reading, peopleListing(settings, since), resumed?.place ?? null);
  for await (const { page, place, next } of pages) {
    startedAt ??= slowerOf(now, page).toISOString();
    const found = totalOf(page, settings, place === null) ?? total;
    if (isShifting(settings) && total !== undefined && found !== total)
      throw changedMeanwhile(settings);
    total = found;
    for await (const message of withDetails(reading, recordsOf(page, settings, undefined))) {
      read += 1;
      if (message.type === 'record') removeFound(required, message.data);
      yield message;
    }
    const rest = {
      ...(since && { since: since.toISOString() }),
      ...(total !== undefined && { total }),
    };
    if (next !== undefined)
      yield { type: 'checkpoint', cursor: { place: next, startedAt, ...rest } };
  }
  if (read > 0) requireFields(required, settings);
  if (!since && !resumed && total !== undefined && read < total)
    throw tooFew(total, read, settings);
  yield {
    type: 'complete',
    cursor: settings.changes && startedAt !== undefined ? { since: startedAt } : null,
    // A deleted person is no record.
    ...(!since &&
      total !== undefined &&
      !(settings.deleted && 'field' in settings.deleted) && { total }),
  };
}

/** Single people: each by a request, or from the list. */
async function* readSome(reading: Reading, ids: readonly string[]): AsyncGenerator<ReadMessage> {
  const { settings } = reading.host;
  const wanted = new Set(ids);
  if (settings.people.one)
    yield* withDetails(reading, requestEach(reading, settings.people.one, wanted));
  else
    for await (const { page } of pagesOf(reading, peopleListing(settings, undefined), null)) {
      yield* withDetails(reading, recordsOf(page, settings, wanted));
      if (wanted.size === 0) break;
    }
  const message = `${sourceOf(settings)} does not list this person, or the credentials may not see them.`;
  for (const id of wanted) yield { type: 'recordError', id, message };
  yield { type: 'complete', cursor: null };
}

async function* requestEach(
  reading: Reading,
  { path, query, at }: NonNullable<RestSettings['people']['one']>,
  wanted: Set<string>,
): AsyncGenerator<ReadMessage> {
  const { host } = reading;
  for (const id of [...wanted]) {
    const document = await requestPerson(reading, { path, query, id });
    // Some sources send a person as they are, or in a list with one.
    const found = [at === undefined ? undefined : valueAt(document, at), document].find(
      (item) => idOf(item, host.settings.people.id) === id,
    );
    if (found !== undefined)
      yield* recordsOf({ status: 200, headers: {}, items: [found] }, host.settings, wanted);
  }
}

/** The records of the first page, for checks and for finding fields. */
export const readFirstPage = async (
  host: Host,
  sender: Sender,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> => {
  const { settings } = host;
  const reading: Reading = { host, sender, signal, pageSize: MAX_SAMPLES };
  const records: JsonObject[] = [];
  const { checkQuery } = settings.vendor ?? {};
  const listing = {
    ...peopleListing(settings, undefined),
    ...(checkQuery && { query: checkQuery }),
  };
  for await (const { page } of pagesOf(reading, listing, null)) {
    const messages = withDetails(reading, recordsOf(page, settings, undefined), MAX_SAMPLES);
    for await (const message of messages) if (message.type === 'record') records.push(message.data);
    break;
  }
  const required = new Set(settings.people.required);
  for (const record of records) removeFound(required, record);
  if (records.length > 0) requireFields(required, settings);
  return records;
};

const MAX_SAMPLES = 20;

const dateOf = (time: string | undefined): Date | undefined =>
  time === undefined ? undefined : new Date(time);

/** Without changes that can be read, each read is a full one. */
const sinceOf = (cursor: JsonValue): Date | undefined =>
  dateOf(Cursor.safeParse(cursor).data?.since);

/** The source's own clock counts if it is behind: it compares its times. */
const slowerOf = (now: Date, { headers }: Page): Date => {
  const sent = Date.parse(headers['date'] ?? '');
  return sent < now.getTime() ? new Date(sent) : now;
};

const peopleListing = (
  { people: { path, query, method, body, at } }: Api,
  since: Date | undefined,
): Listing => ({
  ...{ path, query, at, since, setting: 'people' },
  ...(method === 'POST' && { body: (body ?? {}) as JsonObject }),
  isPaged: true,
});

/** Some sources say it on the first page only. */
const totalOf = ({ document }: Page, { people }: Api, isFirst: boolean): number | undefined =>
  people.total === undefined || (!isFirst && valueAt(document, people.total) === undefined)
    ? undefined
    : numberAt(document, people.total, 'people.total');

/** Pages by number: who is added or deleted moves others to pages that were read already. */
const isShifting = ({ paging }: Api): boolean => paging.by === 'page' || paging.by === 'offset';

const changedMeanwhile = (api: Api): SourceError =>
  new SourceError(
    'network',
    `${sourceOf(api)} got or lost people while they were read. The next run reads again.`,
  );

const tooFew = (total: number, read: number, api: Api): SourceError => {
  const { paging } = api;
  const where =
    'at' in paging && paging.at !== undefined
      ? `; there was no further page at "${paging.at}"`
      : '';
  return new SourceError(
    'schema',
    `${sourceOf(api)} says that there are ${total} people, but sent ${read}${where}. Check ` +
      `${api.vendor ? '' : '`paging`, and '}what the credentials may read.`,
  );
};

const removeFound = (required: Set<string>, data: JsonObject): void => {
  for (const field of required) if ((valueAt(data, field) ?? null) !== null) required.delete(field);
};

/** A field that no person has is probably one that the credentials may not read. */
const requireFields = (missing: ReadonlySet<string>, api: Api): void => {
  if (missing.size === 0) return;
  throw new SourceError(
    'permission',
    `${sourceOf(api)} sent no person's ${[...missing].join(', ')}. Let the credentials read it` +
      `${advice(api, 'or correct `people.required`').replace(/^ /, ', ')}.`,
  );
};

const MAX_ID = 200;

/** The first of the alternatives, such as `uuid | id`, that has a text. */
const idOf = (item: unknown, path: string): string | undefined => {
  for (const one of path.split('|')) {
    const text = textOf(valueAt(item, one.trim()));
    if (text !== undefined) return text;
  }
  return undefined;
};

/** The messages for the records of a page. */
async function* recordsOf(
  { items }: NumberedPage['page'],
  api: Api,
  wanted: Set<string> | undefined,
): AsyncGenerator<ReadMessage> {
  const { people, deleted } = api;
  const missing = `has no id of up to ${MAX_ID} characters at "${people.id}"`;
  let count = 0;
  let identified = 0;
  let first: unknown;
  for await (const item of items) {
    if ((count += 1) === 1) first = item;
    const id = isObject(item) ? idOf(item, people.id) : undefined;
    const isUsable = id !== undefined && id.length <= MAX_ID;
    if (isUsable) identified += 1;
    if (wanted && (id === undefined || !wanted.delete(id))) continue;
    if (!isUsable) yield { type: 'recordError', message: `A record ${missing}.` };
    else if (deleted && 'field' in deleted && isMarked(item, deleted))
      yield { type: 'tombstone', id };
    else
      yield {
        type: 'record',
        id,
        data: api.vendor ? (item as JsonObject) : withId(item as JsonObject, id),
      };
  }
  if (count > 0 && identified === 0)
    throw new SourceError(
      'schema',
      `Each record of a page ${missing}; ${fieldsIn(first)}. ${api.vendor ? (api.vendor.idHint ?? '') : 'Check `people.id`.'}`.trim(),
    );
}

/** A mapping finds the id in every record. */
const withId = (item: JsonObject, id: string): JsonObject =>
  item['id'] === undefined ? { ...item, id } : item;

const isMarked = (
  item: unknown,
  { field, values }: Extract<RestSettings['deleted'], { readonly field: string }>,
): boolean => {
  const text = textOf(valueAt(item, field));
  return text !== undefined && values.some((value) => String(value) === text);
};

/** Deletions of a delta: a full read misses the people. */
async function* readDeleted(reading: Reading, since: Date): AsyncGenerator<ReadMessage> {
  const { deleted } = reading.host.settings;
  if (!deleted || 'field' in deleted) return;
  const { path, query, at, id: idPath } = deleted;
  const listing: Listing = { path, query, at, setting: 'deleted', isPaged: false, since };
  for await (const { page } of pagesOf(reading, listing, null))
    for await (const item of page.items) {
      const id = textOf(idPath === '.' ? item : valueAt(item, idPath));
      if (id === undefined)
        throw new SourceError(
          'schema',
          `The list of deleted people has an item without an id at "${idPath}". Check \`deleted.id\`.`,
        );
      yield { type: 'tombstone', id };
    }
}

/** Adds the details of each record, some at a time and in the order of the records. */
async function* withDetails(
  reading: Reading,
  messages: AsyncGenerator<ReadMessage>,
  most = Infinity,
): AsyncGenerator<ReadMessage> {
  const { settings } = reading.host;
  const parallel = settings.detail ? settings.detail.parallel : 1;
  let waiting: Promise<Completed>[] = [];
  let count = 0;
  let without = 0;
  const begin = (message: ReadMessage): Promise<Completed> => {
    const started = complete(reading, message);
    // It is awaited in its turn; until then its failure is no unhandled one.
    started.catch(() => undefined);
    return started;
  };
  const passOn = async (started: Promise<Completed>): Promise<ReadMessage> => {
    const { message, hasDetails } = await started;
    if (!hasDetails) without += 1;
    return message;
  };
  for await (const message of messages) {
    if ((count += 1) > most) break;
    waiting.push(begin(message));
    if (waiting.length < parallel) continue;
    const [first, ...rest] = waiting;
    waiting = rest;
    if (first) yield await passOn(first);
  }
  for (const started of waiting) yield await passOn(started);
  // One person may have been deleted in between; of a whole page, the path is wrong.
  if (count > 1 && without === count)
    throw new SourceError(
      'config',
      `${sourceOf(settings)} has no details of any of the ${count} people of a page.` +
        advice(settings, 'Check `detail.path`.'),
    );
}

interface Completed {
  readonly message: ReadMessage;
  readonly hasDetails: boolean;
}

/** The record with its details, as the vendor's connector makes it. */
const complete = async (reading: Reading, message: ReadMessage): Promise<Completed> => {
  const { settings, clock } = reading.host;
  if (message.type !== 'record') return { message, hasDetails: true };
  const { id } = message;
  const data = settings.detail ? await addDetail(reading, settings.detail, message) : message.data;
  if (data === undefined) {
    const text = `${sourceOf(settings)} has no details of this person.`;
    return { message: { type: 'recordError', id, message: text }, hasDetails: false };
  }
  const record = settings.vendor?.record?.(data, clock.now()) ?? data;
  return {
    message:
      typeof record === 'string'
        ? { type: 'recordError', id, message: record }
        : { type: 'record', id, data: record },
    hasDetails: true,
  };
};

/** Undefined: there are none. */
const addDetail = async (
  reading: Reading,
  { path, query, at, as, required }: NonNullable<RestSettings['detail']>,
  { id, data }: Extract<ReadMessage, { readonly type: 'record' }>,
): Promise<JsonObject | undefined> => {
  const value = await requestPerson(reading, { path, query, id, required });
  const found = at === undefined ? value : valueAt(value, at);
  if (as !== undefined && Array.isArray(found)) return { ...data, [as]: found as JsonValue };
  if (!isObject(found)) return undefined;
  const details = found as JsonObject;
  return as === undefined ? { ...data, ...details } : { ...data, [as]: details };
};

/** A response about one person; undefined if the source does not have it (404, 410). */
const requestPerson = async (
  reading: Reading,
  {
    path,
    query,
    id,
    required = false,
  }: Pick<Listing, 'path' | 'query'> & { readonly id: string; readonly required?: boolean },
): Promise<unknown> => {
  const { host, sender, signal } = reading;
  const request = requestOf(
    reading,
    {
      path: path.replaceAll('{id}', encodeURIComponent(id)),
      query: Object.fromEntries(
        Object.entries(query).map(([name, value]) => [
          name,
          Array.isArray(value) ? value : String(value).replaceAll('{id}', id),
        ]),
      ),
      ...{ at: undefined, setting: 'detail', isPaged: false, since: undefined },
    },
    null,
  );
  const response = await sender.send({ ...request, signal });
  if (!required && (response.status === 404 || response.status === 410)) return undefined;
  sender.requireOk(response);
  return parseDocument(response, {
    ...host.settings,
    format: host.settings.format === 'xml' ? 'xml' : 'json',
  });
};
