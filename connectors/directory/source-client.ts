import {
  readSourceJson,
  SourceError,
  type SourceRequest,
  type SourceResponse,
  type z,
} from '../../src/plugin/api.js';

/** An API of a vendor. */
interface SourceApi {
  /** Its name, as operators know it. */
  readonly source: string;
  /** Sends a request with the credentials. */
  readonly send: (request: SourceRequest) => Promise<SourceResponse>;
  /** What to do about a status. */
  readonly hints: Readonly<Record<number, string>>;
  /** What an error says about itself, in a few words; no secrets. */
  readonly detailOf: (error: SourceResponse) => string | undefined;
  /** The parameter with the token of the next page; absent: the next page has a link. */
  readonly tokenParameter?: string;
}

/** A part of a list, and the link to the next one or its token. */
interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page, and if the link is in a header. */
  readonly next?: string | null | undefined;
}

/** The request for the first page of a list. */
export interface Listing<SomePage> extends SourceRequest {
  readonly schema: z.ZodType<SomePage>;
}

/** Reads what an API sends. Pages that are cut, expired or sent twice end in a SourceError. */
export const createSourceClient = (api: SourceApi) => {
  const { source, send, hints, detailOf, tokenParameter } = api;
  const by = tokenParameter === undefined ? 'link' : 'token';

  const contentOf = <Content>(response: SourceResponse, schema: z.ZodType<Content>): Content => {
    const detail = response.status >= 400 ? detailOf(response) : undefined;
    const context = { source, hints, ...(detail !== undefined && { detail }) };
    return readSourceJson(response, schema, context);
  };

  const requestAt = (first: SourceRequest, next: string | undefined): SourceRequest => {
    if (next === undefined) return first;
    if (tokenParameter !== undefined)
      return { ...first, query: { ...first.query, [tokenParameter]: next } };
    // The address comes from a response, and gets the credentials.
    if (!URL.canParse(next) || new URL(next).origin !== new URL(first.url).origin)
      throw new SourceError('schema', `${source} named a next page on another host.`);
    return { url: next, ...(first.signal && { signal: first.signal }) };
  };

  /** A page of a list, the first one if `at` is undefined. */
  const page = async <SomePage extends Page<unknown>>(
    { schema, ...first }: Listing<SomePage>,
    at: string | undefined,
  ) => {
    const response = await send(requestAt(first, at));
    if (at !== undefined && [400, 404, 410].includes(response.status)) throw expired(source, by);
    const content = contentOf(response, schema);
    const next = content.next ?? nextIn(response.headers['link'] ?? '');
    if (next !== undefined && next === at)
      throw new SourceError(
        'schema',
        `${source} sent the same page twice: its ${by} does not advance.`,
      );
    return { ...content, next, headers: response.headers };
  };

  async function* pages<SomePage extends Page<unknown>>(
    listing: Listing<SomePage>,
    at?: string,
  ): AsyncGenerator<SomePage & { readonly next: string | undefined }> {
    for (let next = at, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      const content = await page(listing, next);
      yield content;
      ({ next } = content);
    }
  }

  return {
    page,
    /** All pages of a list, from the first one or from `at`. */
    pages,
    /** Everything in a list. */
    async *items<Item>(listing: Listing<Page<Item>>): AsyncGenerator<Item> {
      for await (const { items } of pages(listing)) yield* items;
    },
    /** What a request returns; undefined if it does not exist. */
    find: async <Found>(
      request: SourceRequest,
      schema: z.ZodType<Found>,
    ): Promise<Found | undefined> => {
      const response = await send(request);
      return response.status === 404 ? undefined : contentOf(response, schema);
    },
  };
};

/** The address of the next page, of a Link header (RFC 8288). */
const nextIn = (link: string): string | undefined =>
  /<([^<>]+)>\s*;[^<>]*\brel="?next"?/i.exec(link)?.[1];

/** Marks the error of a page that the source does not send any more. */
const EXPIRED = Symbol('expired');

const expired = (source: string, by: string): SourceError =>
  new SourceError(
    'network',
    `${source} no longer accepts the ${by} of the next page. The next run reads from the start.`,
    { cause: EXPIRED },
  );

/** Whether a page could not be read because its link or token has expired. */
export const isExpired = (error: unknown): boolean =>
  error instanceof SourceError && error.cause === EXPIRED;

/** The longest error that is looked at, in characters. */
const MAX_PROBLEM = 65_536;

/** What an error in JSON says; undefined if it is something else. */
export const problemOf = <Problem>(
  { body }: SourceResponse,
  schema: z.ZodType<Problem>,
): Problem | undefined => {
  if (body.length > MAX_PROBLEM) return undefined;
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
};
