import { z } from 'zod';
import { nextPage } from '../client/pages.js';
import type { FieldOption } from './field-option.js';
import { parseWholeNumber } from './parse-argument.js';
import type { Session } from './session.js';
import type { GatewayResponse } from './gateway-access.js';

/** The parameter of the API with which a list continues; `--after` sets it. */
export type Continuation = 'offset' | 'cursor' | 'after';

const MAX_PAGE = 500;
const MAX_RESULTS = 1_000_000;

/** How every list is read in parts. */
export const pagingOptions = (continuation: Continuation): readonly FieldOption[] => [
  {
    flags: '--limit <number>',
    help: 'maximum number of results, or "all" (default: 100)',
    parse: (text) => (text === 'all' ? Infinity : parseWholeNumber(1, MAX_RESULTS)(text)),
  },
  {
    flags: '--after <position>',
    help: 'continue after this position, which the end of a page shows',
    parse: continuation === 'cursor' ? String : parseWholeNumber(0, Number.MAX_SAFE_INTEGER),
  },
];

type Page = Readonly<Record<string, unknown>>;

interface List {
  readonly path: string;
  /** The property of a page that holds the items. */
  readonly items: string;
  readonly continuation: Continuation;
  /** What the options set: filters, and those of paging. */
  readonly fields: Readonly<Record<string, unknown>>;
}

interface ListPart {
  readonly page: Page;
  /** The page as the API returned it, or several as one. */
  readonly response: GatewayResponse;
  /** Where the list continues. */
  readonly next: string | number | undefined;
}

/** Reads as many pages as needed. */
export const readList = async (
  { client, read }: Session,
  { path, items, continuation, fields }: List,
): Promise<ListPart> => {
  const { limit, after, ...filters } = fields;
  const pages: Page[] = [];
  const found: unknown[] = [];
  let more: Page | undefined = after === undefined ? {} : { [continuation]: after };
  let response: GatewayResponse;
  do {
    const size = typeof limit === 'number' ? Math.min(limit - found.length, MAX_PAGE) : undefined;
    response = await client.request('GET', path, { query: { ...filters, limit: size, ...more } });
    const page: Page = read(z.looseObject({ [items]: z.array(z.unknown()) }), response);
    const here = page[items] as readonly unknown[];
    pages.push(page);
    found.push(...here);
    more = nextPage(page, here.length);
  } while (more && typeof limit === 'number' && found.length < limit);
  const [first] = pages;
  const last = pages.at(-1);
  const [next] = Object.values(more ?? {}) as readonly (string | number | undefined)[];
  if (pages.length === 1 && last) return { page: last, response, next };
  const offset = first !== undefined && 'offset' in first ? { offset: first['offset'] } : {};
  const page = { ...last, ...offset, [items]: found };
  return { page, response: { ...response, text: JSON.stringify(page) }, next };
};

/** The note below a part of a list; undefined if it is complete. */
export const describePart = (
  { page, next }: ListPart,
  shown: number,
  plural: string,
): string | undefined => {
  const { total, offset, has_gap: hasGap } = page;
  const notes: string[] = [];
  if (hasGap === true) notes.push(`Older ${plural} are no longer retained.`);
  if (typeof total === 'number' && typeof offset === 'number' && shown < total)
    notes.push(
      shown === 0
        ? `No ${plural} after position ${offset}; there are ${total}.`
        : `Showing ${plural} ${offset + 1} to ${offset + shown} of ${total}.`,
    );
  if (next !== undefined) notes.push(`Next page: --after ${next}`);
  return notes.length === 0 ? undefined : notes.join(' ');
};
