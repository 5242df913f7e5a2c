import {
  type ConnectorHost,
  type JsonObject,
  type JsonValue,
  type ReadMessage,
  type ReadRequest,
  SourceError,
  type SourceRequest,
  z,
} from '../../src/plugin/api.js';
import { fieldsIn, type Page, requestDocument, requestPage } from './read-body.js';
import { type Sender, sourceAt } from './send.js';
import type { RestSettings } from './settings.js';
import { isObject, textOf, valueAt, withValueAt } from './value-at.js';

type Host = ConnectorHost<RestSettings>;

interface Reading {
  readonly host: Host;
  readonly sender: Sender;
  readonly signal: AbortSignal;
}

/** A list of the source, with what selects its pages. */
interface Listing {
  readonly path: string;
  readonly query: RestSettings['people']['query'];
  /** Of a POST; absent: a GET. */
  readonly body?: JsonObject;
  readonly at: string | undefined;
  /** The setting that `at` is of. */
  readonly setting: 'people' | 'deleted' | 'detail';
  readonly isPaged: boolean;
  /** Only what changed since then. */
  readonly since: Date | undefined;
}

/** The page to request: its number or offset, its cursor, or its address. Null: the first one. */
type Place = string | number | null;

const Checkpoint = z.strictObject({
  place: z.union([z.string(), z.number(), z.null()]),
  startedAt: z.iso.datetime(),
});
const Cursor = z.strictObject({ since: z.iso.datetime() });

/** Reads everybody, what changed since the last read, or single people. */
export async function* readPeople(
  host: Host,
  sender: Sender,
  request: ReadRequest,
): AsyncGenerator<ReadMessage> {
  const { settings } = host;
  const { ids, signal, isResumed, mode } = request;
  signal.throwIfAborted();
  const reading: Reading = { host, sender, signal };
  const since = mode === 'delta' && !isResumed ? sinceOf(request.cursor) : undefined;
  const resumed = isResumed ? Checkpoint.parse(request.cursor) : undefined;
  const startedAt = resumed?.startedAt ?? host.clock.now().toISOString();
  if (since && !resumed) yield* readDeleted(reading, since);
  const wanted = ids && new Set(ids);
  let total: number | undefined;
  const pages = pagesOf(reading, peopleListing(settings, since), resumed?.place ?? null);
  for await (const { page, next } of pages) {
    total = totalOf(page, settings) ?? total;
    yield* withDetails(reading, recordsOf(page, settings, wanted));
    if (next !== undefined && !ids && !since)
      yield { type: 'checkpoint', cursor: { place: next, startedAt } };
  }
  const message = 'The source does not list this person.';
  for (const id of wanted ?? []) yield { type: 'recordError', id, message };
  const isWhole = !ids && !since;
  yield {
    type: 'complete',
    cursor: settings.changes && !ids ? { since: startedAt } : null,
    // A deleted person is no record.
    ...(isWhole &&
      total !== undefined &&
      !(settings.deleted && 'field' in settings.deleted) && { total }),
  };
}

/** The records of the first page, for checks and for finding fields. */
export const readFirstPage = async (
  host: Host,
  sender: Sender,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> => {
  const reading: Reading = { host, sender, signal };
  const records: JsonObject[] = [];
  for await (const { page } of pagesOf(reading, peopleListing(host.settings, undefined), null)) {
    const messages = withDetails(reading, recordsOf(page, host.settings, undefined), MAX_SAMPLES);
    for await (const message of messages) if (message.type === 'record') records.push(message.data);
    break;
  }
  return records;
};

const MAX_SAMPLES = 20;

/** Without changes that can be read, each read is a full one. */
const sinceOf = (cursor: JsonValue): Date | undefined => {
  const { data } = Cursor.safeParse(cursor);
  return data && new Date(data.since);
};

const peopleListing = (
  { people: { path, query, method, body, at } }: RestSettings,
  since: Date | undefined,
): Listing => ({
  ...{ path, query, at, since, setting: 'people' },
  ...(method === 'POST' && { body: (body ?? {}) as JsonObject }),
  isPaged: true,
});

interface NumberedPage {
  readonly page: Page & { readonly items: readonly unknown[] | AsyncIterable<unknown> };
  /** Undefined: this is the last one. */
  readonly next: Place | undefined;
}

/** The pages of a list. `next` is known before the records of a page are passed on. */
async function* pagesOf(
  { host: { settings, clock }, sender, signal }: Reading,
  listing: Listing,
  first: Place,
): AsyncGenerator<NumberedPage> {
  const { paging } = settings;
  const isPaged = listing.isPaged && paging.by !== 'none';
  let place = first;
  let previous: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const request = { ...requestOf(listing, place, settings, clock.now()), signal };
    const found = await requestPage(sender, request, listing, settings);
    if (!isPaged) {
      yield { page: { ...found, items: asList(found.items) }, next: undefined };
      return;
    }
    // Where the next page begins may depend on how many records this one has.
    const items = await allOf(found.items);
    const next = nextPlace(place, { ...found, items }, request.url, settings);
    const current = JSON.stringify(items);
    if (next !== undefined && (next === place || (items.length > 0 && current === previous)))
      throw samePage(settings);
    previous = current;
    yield { page: { ...found, items }, next };
    if (next === undefined) return;
    place = next;
  }
}

const asList = (items: Page['items']) =>
  Array.isArray(items) ? (items as readonly unknown[]) : (items as AsyncIterable<unknown>);

/** Of one page, in records. */
const MAX_PAGE = 50_000;

const allOf = async (items: Page['items']): Promise<readonly unknown[]> => {
  if (Array.isArray(items)) return items as readonly unknown[];
  const all: unknown[] = [];
  for await (const item of items) {
    all.push(item);
    if (all.length > MAX_PAGE)
      throw new SourceError(
        'schema',
        `A page has more than ${MAX_PAGE} records. Set \`pageSize\`.`,
      );
  }
  return all;
};

const samePage = ({ paging, baseUrl }: RestSettings): SourceError =>
  new SourceError(
    'schema',
    `${sourceAt(baseUrl)} sent the same page twice. Check \`paging\`` +
      ('parameter' in paging ? `: it may not know the parameter "${paging.parameter}".` : '.'),
  );

/** The place of the next page; undefined after the last one. */
const nextPlace = (
  place: Place,
  { document, headers, items }: Page & { readonly items: readonly unknown[] },
  url: string,
  { paging, baseUrl }: RestSettings,
): Place | undefined => {
  switch (paging.by) {
    case 'none':
      return undefined;
    case 'page': {
      const number = Number(place ?? paging.first);
      const pages =
        paging.pages === undefined ? undefined : numberAt(document, paging.pages, 'paging.pages');
      // A short page is no last page: sources leave out records that may not be seen.
      const isLast = pages === undefined ? items.length === 0 : number - paging.first + 1 >= pages;
      return isLast ? undefined : number + 1;
    }
    case 'offset':
      return items.length === 0 ? undefined : Number(place ?? paging.first) + items.length;
    case 'cursor':
      return paging.more === undefined || isMore(document, paging.more)
        ? textOf(nothingIfFalse(valueAt(document, paging.at)))
        : undefined;
    case 'link': {
      const link =
        paging.at === undefined
          ? nextLink(headers['link'])
          : textOf(nothingIfFalse(valueAt(document, paging.at)));
      return link === undefined ? undefined : sameHost(link, url, baseUrl);
    }
  }
};

/** Without an answer, a page must not be taken for the last one. */
const isMore = (document: unknown, path: string): boolean => {
  const text = textOf(valueAt(document, path));
  if (text === 'true' || text === 'false') return text === 'true';
  throw new SourceError(
    'schema',
    `The response has neither true nor false at "${path}". Check \`paging.more\`.`,
  );
};

const nothingIfFalse = (value: unknown): unknown => (value === false ? undefined : value);

const numberAt = (document: unknown, path: string, setting: string): number => {
  const number = Number(textOf(valueAt(document, path)) ?? NaN);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new SourceError('schema', `The response has no number at "${path}". Check \`${setting}\`.`);
};

/** The target of rel="next" in a `Link` header (RFC 8288). */
const nextLink = (header = ''): string | undefined => {
  for (const [, target, parameters = ''] of header.matchAll(/<([^>]*)>((?:\s*;[^,<]*)*)/g))
    if (/;\s*rel\s*=\s*"?(?:[^";,]*\s)?next(?:\s[^";,]*)?"?\s*(?:;|$)/i.test(parameters))
      return target;
  return undefined;
};

/** The credentials are for one host. */
const sameHost = (link: string, from: string, baseUrl: string): string => {
  if (!URL.canParse(link, from))
    throw new SourceError('schema', 'The address of the next page is not an address.');
  const url = new URL(link, from);
  if (url.origin === new URL(baseUrl).origin) return url.href;
  throw new SourceError(
    'schema',
    `The next page is at another address, ${url.origin}, which gets no credentials. Set \`baseUrl\` ` +
      'to the address that the source uses for itself.',
  );
};

const requestOf = (
  listing: Listing,
  place: Place,
  settings: RestSettings,
  now: Date,
): SourceRequest => {
  const { paging, pageSize, changes, parametersIn } = settings;
  // A link has everything.
  if (paging.by === 'link' && place !== null && listing.isPaged)
    return { url: String(place), ...(listing.body && { json: listing.body }) };
  const parameters: Record<string, string | number> = {};
  if (listing.isPaged && pageSize) parameters[pageSize.parameter] = pageSize.value;
  if (listing.isPaged && (paging.by === 'page' || paging.by === 'offset'))
    parameters[paging.parameter] = place ?? paging.first;
  if (listing.isPaged && paging.by === 'cursor' && place !== null)
    parameters[paging.parameter] = place;
  if (listing.since && changes)
    parameters[changes.parameter] = changes.template.replace(
      '{since}',
      formatTime(new Date(listing.since.getTime() - changes.overlap), changes.format),
    );
  const url = `${settings.baseUrl.replace(/\/$/, '')}/${listing.path.replace(/^\//, '')}`;
  const inBody = listing.body && parametersIn === 'body';
  const fill = (text: string): string => text.replaceAll('{today}', now.toISOString().slice(0, 10));
  return {
    url: fill(url),
    query: {
      ...Object.fromEntries(
        Object.entries(listing.query).map(([name, value]) => [name, fill(String(value))]),
      ),
      ...(!inBody && parameters),
    },
    ...(listing.body && {
      json: inBody
        ? Object.entries(parameters).reduce<JsonObject>(
            (body, [name, value]) => withValueAt(body, name, value),
            listing.body,
          )
        : listing.body,
    }),
  };
};

const formatTime = (time: Date, format: NonNullable<RestSettings['changes']>['format']): string => {
  switch (format) {
    case 'datetime':
      return time.toISOString();
    case 'date':
      return time.toISOString().slice(0, 10);
    case 'seconds':
      return String(Math.floor(time.getTime() / 1_000));
    case 'milliseconds':
      return String(time.getTime());
  }
};

const totalOf = ({ document }: Page, { people }: RestSettings): number | undefined =>
  people.total === undefined ? undefined : numberAt(document, people.total, 'people.total');

const MAX_ID = 200;

/** The messages for the records of a page. */
async function* recordsOf(
  { items }: NumberedPage['page'],
  { people, deleted }: RestSettings,
  wanted: Set<string> | undefined,
): AsyncGenerator<ReadMessage> {
  const missing = `has no id of up to ${MAX_ID} characters at "${people.id}"`;
  let count = 0;
  let identified = 0;
  let first: unknown;
  for await (const item of items) {
    if ((count += 1) === 1) first = item;
    const id = isObject(item) ? textOf(valueAt(item, people.id)) : undefined;
    const isUsable = id !== undefined && id.length <= MAX_ID;
    if (isUsable) identified += 1;
    if (wanted && (id === undefined || !wanted.delete(id))) continue;
    if (!isUsable) yield { type: 'recordError', message: `A record ${missing}.` };
    else if (deleted && 'field' in deleted && isMarked(item, deleted))
      yield { type: 'tombstone', id };
    else yield { type: 'record', id, data: withId(item as JsonObject, id) };
  }
  if (count > 0 && identified === 0)
    throw new SourceError(
      'schema',
      `Each record of a page ${missing}; ${fieldsIn(first)}. Check \`people.id\`.`,
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
  const { detail } = reading.host.settings;
  const parallel = detail ? detail.parallel : 1;
  let waiting: Promise<ReadMessage>[] = [];
  let count = 0;
  const begin = (message: ReadMessage): Promise<ReadMessage> => {
    const started = addDetail(reading, message);
    // It is awaited in its turn; until then its failure is no unhandled one.
    started.catch(() => undefined);
    return started;
  };
  for await (const message of messages) {
    if ((count += 1) > most) break;
    waiting.push(begin(message));
    if (waiting.length < parallel) continue;
    const [first, ...rest] = waiting;
    waiting = rest;
    if (first) yield await first;
  }
  for (const message of waiting) yield await message;
}

const addDetail = async (
  { host, sender, signal }: Reading,
  message: ReadMessage,
): Promise<ReadMessage> => {
  const { detail } = host.settings;
  if (!detail || message.type !== 'record') return message;
  const { id, data } = message;
  const path = detail.path.replaceAll('{id}', encodeURIComponent(id));
  const request = requestOf(
    {
      ...{ path, query: detail.query, at: undefined },
      ...{ setting: 'detail', isPaged: false, since: undefined },
    },
    null,
    host.settings,
    host.clock.now(),
  );
  const settings = {
    ...host.settings,
    format: host.settings.format === 'xml' ? 'xml' : 'json',
  } as const;
  const { value } = await requestDocument(sender, { ...request, signal }, settings);
  const found = detail.at === undefined ? value : valueAt(value, detail.at);
  if (!isObject(found))
    return { type: 'recordError', id, message: 'The source sent no details of this person.' };
  const details = found as JsonObject;
  return {
    type: 'record',
    id,
    data: detail.as === undefined ? { ...data, ...details } : { ...data, [detail.as]: details },
  };
};
