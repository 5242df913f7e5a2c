import {
  type ConnectorHost,
  createAccessTokens,
  SourceError,
  type SourceResponse,
  z,
} from '../../src/plugin/api.js';
import {
  createSourceClient,
  isExpired,
  type Listing,
  problemOf,
} from '../directory/source-client.js';
import { PROPERTIES, User } from './record.js';
import type { EntraSettings } from './settings.js';

const SOURCE = 'Microsoft Graph';
const MAX_PAGE = 999;
/** How many ids a filter may have. */
const IDS_PER_REQUEST = 15;

const pageOf = <Item>(item: z.ZodType<Item>) =>
  z
    .object({
      value: z.array(item),
      '@odata.nextLink': z.string().optional(),
      '@odata.deltaLink': z.string().optional(),
    })
    .transform(({ value: items, '@odata.nextLink': next, '@odata.deltaLink': deltaLink }) => ({
      items,
      next,
      deltaLink,
    }));

const Users = pageOf(User);
const Changed = pageOf(z.object({ id: z.string(), '@removed': z.looseObject({}).optional() }));
const Groups = pageOf(
  z
    .object({ id: z.string(), displayName: z.string().nullish() })
    .transform(({ id, displayName }) => ({ id, name: displayName ?? '' })),
);
const MemberIds = pageOf(z.object({ id: z.string() }).transform(({ id }) => id));

export type EntraClient = ReturnType<typeof createClient>;

/** The requests to Graph that the connector uses. */
export const createClient = (host: ConnectorHost<EntraSettings>) => {
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

  const client = createSourceClient({
    source: SOURCE,
    send: (request) =>
      withToken((bearer) => http.get({ ...request, auth: { bearer } }), request.signal),
    hints: {
      403: 'Grant the app the application permissions User.Read.All and, for groups, GroupMember.Read.All, and give admin consent.',
    },
    detailOf,
  });

  /** Created or changed users, and removed ones; a user may be both, in any order. */
  const readChanges = async (listing: Listing<z.infer<typeof Changed>>, from?: string) => {
    const changed = new Set<string>();
    const removed = new Set<string>();
    let deltaLink: string | undefined;
    for await (const page of client.pages(listing, from)) {
      for (const { id, '@removed': isRemoved } of page.items)
        (isRemoved ? removed : changed).add(id);
      ({ deltaLink } = page);
    }
    if (deltaLink !== undefined) return { changed, removed, deltaLink };
    throw new SourceError('schema', `${SOURCE} ended a delta without a delta link.`);
  };
  const delta = (signal: AbortSignal) => ({
    url: `${base}/users/delta`,
    query: { $deltatoken: 'latest', $select: `${select},manager` },
    schema: Changed,
    signal,
  });

  return {
    /** The properties that are read. */
    properties,
    /** Where a delta starts that covers all changes from now on. */
    latestDelta: async (signal: AbortSignal) => (await readChanges(delta(signal))).deltaLink,
    /** Undefined: Graph does not accept the link any more; everybody must be read. */
    changes: async (deltaLink: string, signal: AbortSignal) => {
      try {
        return await readChanges(delta(signal), deltaLink);
      } catch (error) {
        if (isExpired(error)) return undefined;
        throw error;
      }
    },
    /** A page of users, the first one without a link. */
    users: (link: string | undefined, pageSize: number, signal: AbortSignal) => {
      const query = { ...person, $top: Math.min(pageSize, MAX_PAGE) };
      return client.page({ url: `${base}/users`, query, schema: Users, signal }, link);
    },
    async *usersById(ids: Iterable<string>, signal: AbortSignal) {
      // Nothing else can be the id of a user, or may be in a filter.
      const wanted = [...ids].filter((id) => z.guid().safeParse(id).success);
      for (let at = 0; at < wanted.length; at += IDS_PER_REQUEST) {
        const some = wanted.slice(at, at + IDS_PER_REQUEST);
        const $filter = `id in (${some.map((id) => `'${id}'`).join(',')})`;
        const query = { ...person, $filter };
        yield* client.items({ url: `${base}/users`, query, schema: Users, signal });
      }
    },
    groups: (signal: AbortSignal) =>
      client.items({
        url: `${base}/groups`,
        query: { $select: 'id,displayName', $top: MAX_PAGE },
        schema: Groups,
        signal,
      }),
    /** Direct and nested members, which may also be groups and devices. */
    memberIds: (groupId: string, signal: AbortSignal) =>
      client.items({
        url: `${base}/groups/${encodeURIComponent(groupId)}/transitiveMembers`,
        query: { $select: 'id', $top: MAX_PAGE },
        schema: MemberIds,
        signal,
      }),
  };
};

const Problem = z.object({
  error: z.object({
    code: z.string(),
    innerError: z.looseObject({ 'request-id': z.string().optional() }).optional(),
  }),
});

/** The code of an error and the id that Microsoft's support asks for. */
const detailOf = (response: SourceResponse): string | undefined => {
  const error = problemOf(response, Problem)?.error;
  const id = error?.innerError?.['request-id'];
  return error && [error.code, id && `request ${id}`].filter(Boolean).join(', ');
};
