import {
  type ConnectorHost,
  type JsonObject,
  SourceError,
  type SourceRequest,
} from '../../src/plugin/api.js';
import { advice, type Api, sourceOf } from './api.js';
import { fieldsIn, type Page, requestPage } from './read-body.js';
import type { Sender } from './send.js';
import type { RestSettings } from './settings.js';
import { isObject, textOf, valueAt, withValueAt } from './value-at.js';

export interface Reading {
  readonly host: ConnectorHost<Api>;
  readonly sender: Sender;
  readonly signal: AbortSignal;
  /** How many records the host takes at a time. */
  readonly pageSize: number;
}

/** A list of the source, with what selects its pages. */
export interface Listing {
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
export type Place = string | number | null;

export interface NumberedPage {
  readonly page: Page & { readonly items: readonly unknown[] | AsyncIterable<unknown> };
  readonly place: Place;
  /** Undefined: this is the last one. */
  readonly next: Place | undefined;
}

/** The pages of a list. `next` is known before the records of a page are passed on. */
export async function* pagesOf(
  reading: Reading,
  listing: Listing,
  first: Place,
): AsyncGenerator<NumberedPage> {
  const { host, sender, signal } = reading;
  const { settings } = host;
  const { paging } = settings;
  const isPaged = listing.isPaged && paging.by !== 'none';
  let place = first;
  let previous: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const request = { ...requestOf(reading, listing, place), signal };
    const found = await requestPage(
      place === null ? sender : laterPages(sender, settings),
      request,
      listing,
      settings,
    );
    if (!isPaged) {
      requireWhole(found, settings);
      yield { page: { ...found, items: asList(found.items) }, place, next: undefined };
      return;
    }
    // Where the next page begins may depend on how many records this one has.
    const items = await allOf(found.items);
    const next = nextPlace(place, { ...found, items }, request.url, settings);
    if (next === undefined && place === null) requireLastPage({ ...found, items }, reading);
    if (next === undefined && items.length > 0) requireWhole(found, settings);
    const current = JSON.stringify(items);
    if (next !== undefined && (next === place || (items.length > 0 && current === previous)))
      throw samePage(settings);
    previous = current;
    yield { page: { ...found, items }, place, next };
    if (next === undefined) return;
    place = next;
  }
}

/**
 * A place that was read before and is refused later has expired, such as a cursor after a crash. The run
 * fails, and the next one begins with the first page.
 */
const laterPages = (sender: Sender, api: Api): Sender => ({
  ...sender,
  requireOk: (response) => {
    if ([400, 404, 410].includes(response.status))
      throw new SourceError(
        'network',
        `${sourceOf(api)} responded with ${response.status} to the request for a further page, which ` +
          'may have expired. The next run reads from the start.',
      );
    sender.requireOk(response);
  },
});

/** A first page that is full and has no place for a next one may be the first of many. */
const requireLastPage = (
  { document, items }: Page & { readonly items: readonly unknown[] },
  { host: { settings, log }, pageSize }: Reading,
): void => {
  const { paging } = settings;
  const size = sizeOf(settings, pageSize);
  if (!('at' in paging) || paging.at === undefined || size === undefined || items.length < size)
    return;
  if (valueAt(document, paging.at) !== undefined) return;
  const parent = paging.at.split('.').slice(0, -1).join('.');
  const message =
    `The first page is full (${items.length} people), and nothing is at "${paging.at}", where the ` +
    `next page is expected`;
  if (parent !== '' && !isObject(valueAt(document, parent)))
    throw new SourceError(
      'schema',
      `${message}; ${fieldsIn(document)}.${advice(settings, 'Check `paging.at`.')}`,
    );
  log.warn({}, `${message}. If there are more people, it is somewhere else.`);
};

/** The end of a list, as its range says it (RFC 9110, 14.4): `items 0-99/300`, in bytes or records. */
const requireWhole = ({ status, headers }: Page, api: Api): void => {
  const { 'content-range': range } = headers;
  const [, last, size] = /(\d+)\/(\d+|\*)\s*$/.exec(range ?? '') ?? [];
  const isWhole = size === undefined || size === '*' ? status !== 206 : Number(last) + 1 >= +size;
  if (isWhole) return;
  const shown = range === undefined ? '206' : `Content-Range: ${range.slice(0, 60)}`;
  throw new SourceError(
    'schema',
    `${sourceOf(api)} sent a part of the list (${shown}).` +
      advice(api, 'Say in `paging` how the next page is requested.'),
  );
};

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

const samePage = (api: Api): SourceError => {
  const { paging } = api;
  const why =
    'parameter' in paging ? `: it may not know the parameter "${paging.parameter}".` : '.';
  return new SourceError(
    'schema',
    `${sourceOf(api)} sent the same page twice.${advice(api, `Check \`paging\`${why}`)}`,
  );
};

/** The place of the next page; undefined after the last one. */
const nextPlace = (
  place: Place,
  { document, headers, items }: Page & { readonly items: readonly unknown[] },
  url: string,
  api: Api,
): Place | undefined => {
  const { paging, baseUrl } = api;
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
        ? cursorIn(textOf(nothingIfFalse(valueAt(document, paging.at))), paging.inQuery)
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

/** Of an address, only the cursor is used: its path may be wrong. A `+` stays one, as in base64. */
const cursorIn = (text: string | undefined, parameter: string | undefined): string | undefined => {
  if (text === undefined || parameter === undefined) return text;
  const query = text.split('#', 1)[0]?.split('?', 2)[1] ?? '';
  const found = query.split('&').find((one) => one.startsWith(`${parameter}=`));
  if (found !== undefined) return decodeURIComponent(found.slice(parameter.length + 1));
  throw new SourceError(
    'schema',
    `The address of the next page has no parameter "${parameter}". Check \`paging.inQuery\`.`,
  );
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

export const numberAt = (document: unknown, path: string, setting: string): number => {
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

export const requestOf = (
  { host: { settings, clock }, pageSize }: Reading,
  listing: Listing,
  place: Place,
): SourceRequest => {
  const { paging, changes, parametersIn } = settings;
  // A link has everything.
  if (paging.by === 'link' && place !== null && listing.isPaged)
    return { url: String(place), ...(listing.body && { json: listing.body }) };
  const parameters: Record<string, string | number> = {};
  const size = sizeOf(settings, pageSize);
  if (listing.isPaged && settings.pageSize && size !== undefined)
    parameters[settings.pageSize.parameter] = size;
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
  const fill = (text: string): string =>
    text.replaceAll(/\{today([+-]\d{1,5})?\}/g, (_, days = '0') =>
      new Date(clock.now().getTime() + Number(days) * DAY_MS).toISOString().slice(0, 10),
    );
  return {
    url: fill(url),
    query: {
      ...Object.fromEntries(
        Object.entries(listing.query).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.map(fill) : fill(String(value)),
        ]),
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

const DAY_MS = 86_400_000;

/** An operator's number of records is kept: some sources know a few numbers only. */
const sizeOf = ({ pageSize, vendor }: Api, most: number): number | undefined =>
  pageSize && (vendor ? Math.min(pageSize.value, most) : pageSize.value);

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
