import {
  type ConnectorHost,
  createAccessTokens,
  readSourceJson,
  SourceError,
  type SourceRequest,
  type SourceResponse,
  z,
} from '../../src/plugin/api.js';
import { PROPERTIES, User } from './record.js';
import type { EntraSettings } from './settings.js';

const SOURCE = 'Microsoft Graph';
const MAX_PAGE = 999;
/** How many ids a filter may have. */
const IDS_PER_REQUEST = 15;

/** Who has changed since a delta link. */
export interface Changes {
  /** Created or changed; a user may be removed as well, in any order. */
  readonly changed: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
  /** Where the next delta starts. */
  readonly deltaLink: string;
}

/** The requests to Graph that the connector uses. */
export interface EntraClient {
  /** The properties that are read. */
  readonly properties: readonly string[];
  /** Where a delta starts that covers all changes from now on. */
  readonly latestDelta: (signal: AbortSignal) => Promise<string>;
  /** Undefined: Graph does not accept the link any more; everybody must be read. */
  readonly changes: (deltaLink: string, signal: AbortSignal) => Promise<Changes | undefined>;
  /** A page of users, the first one if `next` is undefined. */
  readonly users: (
    next: string | undefined,
    pageSize: number,
    signal: AbortSignal,
  ) => Promise<{ readonly users: readonly User[]; readonly next: string | undefined }>;
  /** Those of these users that exist. */
  readonly usersById: (ids: Iterable<string>, signal: AbortSignal) => AsyncGenerator<User>;
  readonly groups: (
    signal: AbortSignal,
  ) => AsyncGenerator<{ readonly id: string; readonly name: string }>;
  /** Ids of direct and nested members, which may also be groups and devices. */
  readonly memberIds: (groupId: string, signal: AbortSignal) => AsyncGenerator<string>;
}

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    value: z.array(item),
    '@odata.nextLink': z.string().optional(),
    '@odata.deltaLink': z.string().optional(),
  });

const Users = pageOf(User);
const Changed = pageOf(z.object({ id: z.string(), '@removed': z.looseObject({}).optional() }));
const Groups = pageOf(z.object({ id: z.string(), displayName: z.string().nullish() }));
const Members = pageOf(z.object({ id: z.string() }));

type Query = NonNullable<SourceRequest['query']>;

export const createClient = (host: ConnectorHost<EntraSettings>): EntraClient => {
  const { http, settings } = host;
  const base = settings.baseUrl.replace(/\/$/, '');
  const { origin } = new URL(base);
  const properties = [...new Set([...PROPERTIES, ...settings.properties])];
  const select = properties.join(',');
  const person = { $select: select, $expand: 'manager($select=id)' };

  const withToken = createAccessTokens(host, {
    source: 'Microsoft Entra',
    request: () =>
      Promise.resolve({
        url: `${settings.loginUrl.replace(/\/$/, '')}/${encodeURIComponent(settings.tenantId)}/oauth2/v2.0/token`,
        form: {
          grant_type: 'client_credentials',
          client_id: settings.clientId,
          client_secret: settings.clientSecret.reveal(),
          scope: `${origin}/.default`,
        },
      }),
    refused: ({ status, body }) =>
      new SourceError(
        'auth',
        `Microsoft Entra refused the app (${[status, /AADSTS\d+/.exec(body)?.[0]].filter(Boolean).join(', ')}). ` +
          'Check tenantId, clientId and clientSecret, which expires.',
      ),
  });

  const get = (url: string, query: Query, signal: AbortSignal): Promise<SourceResponse> => {
    // The address of a next page comes from a response, and gets the token.
    if (!URL.canParse(url) || new URL(url).origin !== origin)
      throw new SourceError('schema', 'Microsoft Graph named a next page on another host.');
    return withToken((bearer) => http.get({ url, query, auth: { bearer }, signal }), signal);
  };

  /** A page, by its path and query, or by the link of the page before. */
  const getPage = async <Page>(
    at: { readonly path: string; readonly query: Query } | { readonly link: string },
    schema: z.ZodType<Page>,
    signal: AbortSignal,
  ): Promise<Page> => {
    const response =
      'link' in at
        ? await get(at.link, {}, signal)
        : await get(`${base}${at.path}`, at.query, signal);
    if ('link' in at && [400, 404, 410].includes(response.status)) throw expired();
    return readSourceJson(response, schema, contextOf(response));
  };

  async function* pages<Page extends { readonly '@odata.nextLink'?: string | undefined }>(
    first: Parameters<typeof getPage>[0],
    schema: z.ZodType<Page>,
    signal: AbortSignal,
  ): AsyncGenerator<Page> {
    for (let at: typeof first | undefined = first; at;) {
      const page: Page = await getPage(at, schema, signal);
      yield page;
      const link: string | undefined = page['@odata.nextLink'];
      if (link !== undefined && 'link' in at && at.link === link) throw stuck();
      at = link === undefined ? undefined : { link };
    }
  }

  const readChanges = async (
    first: Parameters<typeof getPage>[0],
    signal: AbortSignal,
  ): Promise<Changes> => {
    const changed = new Set<string>();
    const removed = new Set<string>();
    let deltaLink: string | undefined;
    for await (const page of pages(first, Changed, signal)) {
      for (const { id, '@removed': isRemoved } of page.value)
        (isRemoved ? removed : changed).add(id);
      deltaLink = page['@odata.deltaLink'];
    }
    if (deltaLink !== undefined) return { changed, removed, deltaLink };
    throw new SourceError('schema', 'Microsoft Graph ended a delta without a delta link.');
  };

  return {
    properties,
    latestDelta: async (signal) => {
      const query = { $deltatoken: 'latest', $select: `${select},manager` };
      return (await readChanges({ path: '/users/delta', query }, signal)).deltaLink;
    },
    changes: async (link, signal) => {
      try {
        return await readChanges({ link }, signal);
      } catch (error) {
        if (error instanceof SourceError && error.cause === EXPIRED) return undefined;
        throw error;
      }
    },
    users: async (link, pageSize, signal) => {
      const query = { ...person, $top: Math.min(pageSize, MAX_PAGE) };
      const at = link === undefined ? { path: '/users', query } : { link };
      const { value: users, '@odata.nextLink': next } = await getPage(at, Users, signal);
      if (next !== undefined && next === link) throw stuck();
      return { users, next };
    },
    async *usersById(ids, signal) {
      // Nothing else can be the id of a user, or may be in a filter.
      const wanted = [...ids].filter((id) => z.guid().safeParse(id).success);
      for (let at = 0; at < wanted.length; at += IDS_PER_REQUEST) {
        const some = wanted.slice(at, at + IDS_PER_REQUEST);
        const $filter = `id in (${some.map((id) => `'${id}'`).join(',')})`;
        const first = { path: '/users', query: { ...person, $filter } };
        for await (const page of pages(first, Users, signal)) yield* page.value;
      }
    },
    async *groups(signal) {
      const query = { $select: 'id,displayName', $top: MAX_PAGE };
      for await (const page of pages({ path: '/groups', query }, Groups, signal))
        for (const { id, displayName } of page.value) yield { id, name: displayName ?? '' };
    },
    async *memberIds(groupId, signal) {
      const path = `/groups/${encodeURIComponent(groupId)}/transitiveMembers`;
      const query = { $select: 'id', $top: MAX_PAGE };
      for await (const page of pages({ path, query }, Members, signal))
        for (const { id } of page.value) yield id;
    },
  };
};

/** Marks the error of a link that Graph does not accept any more. */
const EXPIRED = Symbol('expired');

/** `410 Gone`, or 400 and 404 with a code such as syncStateNotFound. */
const expired = (): SourceError =>
  new SourceError(
    'network',
    'Microsoft Graph no longer accepts the link to the next page. The next run reads from the start.',
    { cause: EXPIRED },
  );

const stuck = (): SourceError =>
  new SourceError(
    'schema',
    'Microsoft Graph sent the same page twice: its next link does not advance.',
  );

/** The longest error that is looked at, in characters. */
const MAX_PROBLEM = 65_536;

const Problem = z.object({
  error: z.object({
    code: z.string(),
    innerError: z.looseObject({ 'request-id': z.string().optional() }).optional(),
  }),
});

const contextOf = ({ status, body }: SourceResponse) => {
  const detail = status >= 400 ? detailOf(body) : undefined;
  return {
    source: SOURCE,
    hints: {
      403: 'Grant the app the application permissions User.Read.All and, for groups, GroupMember.Read.All, and give admin consent.',
    },
    ...(detail !== undefined && { detail }),
  };
};

/** The code of an error and the id that Microsoft's support asks for. */
const detailOf = (body: string): string | undefined => {
  if (body.length > MAX_PROBLEM) return undefined;
  try {
    const { error } = Problem.parse(JSON.parse(body));
    const id = error.innerError?.['request-id'];
    return [error.code, id && `request ${id}`].filter(Boolean).join(', ');
  } catch {
    return undefined;
  }
};
