import {
  type ConnectorHost,
  createAccessTokens,
  signAssertion,
  SourceError,
  type SourceResponse,
  type WithToken,
  z,
} from '../../src/plugin/api.js';
import { createSourceClient, problemOf } from '../directory/source-client.js';
import { User } from './record.js';
import type { OktaSettings } from './settings.js';

const MAX_USERS = 200;
const MAX_GROUPS = 1_000;

const pageOf = <Item>(item: z.ZodType<Item>) => z.array(item).transform((items) => ({ items }));
const Users = pageOf(User);
const Groups = pageOf(
  z
    .object({ id: z.string(), profile: z.object({ name: z.string() }) })
    .transform(({ id, profile: { name } }) => ({ id, name })),
);
const MemberIds = pageOf(z.object({ id: z.string() }).transform(({ id }) => id));

export type OktaClient = ReturnType<typeof createClient>;

/** The requests to Okta that the connector uses. */
export const createClient = (host: ConnectorHost<OktaSettings>) => {
  const { http, settings } = host;
  const { origin } = new URL(settings.orgUrl);
  const api = `${origin}/api/v1`;
  const withToken = settings.token ? undefined : createTokens(host, origin);
  const client = createSourceClient({
    source: 'Okta',
    send: (request) =>
      withToken
        ? withToken((bearer) => http.get({ ...request, auth: { bearer } }), request.signal)
        : http.get({
            ...request,
            headers: { authorization: `SSWS ${settings.token?.reveal() ?? ''}` },
          }),
    hints: {
      401: 'Check the API token: it ends with its administrator, and after 30 days without use.',
      403: 'Give the administrator of the token, or the app, a role that may view all users and groups.',
      404: 'Check orgUrl.',
    },
    detailOf,
  });

  return {
    /** A page of who is found; without a search, of everybody but deprovisioned users. */
    users: (
      search: string | undefined,
      next: string | undefined,
      pageSize: number,
      signal: AbortSignal,
    ) => {
      const limit = Math.min(pageSize, MAX_USERS);
      const query = search === undefined ? { limit } : { limit, search };
      return client.page({ url: `${api}/users`, query, schema: Users, signal }, next);
    },
    async *usersById(ids: Iterable<string>, signal: AbortSignal) {
      for (const id of ids) {
        const request = { url: `${api}/users/${encodeURIComponent(id)}`, signal };
        const user = await client.find(request, User);
        if (user) yield user;
      }
    },
    groups: (signal: AbortSignal) =>
      client.items({
        url: `${api}/groups`,
        query: { limit: MAX_GROUPS },
        schema: Groups,
        signal,
      }),
    memberIds: (groupId: string, signal: AbortSignal) =>
      client.items({
        url: `${api}/groups/${encodeURIComponent(groupId)}/users`,
        query: { limit: MAX_GROUPS },
        schema: MemberIds,
        signal,
      }),
  };
};

/** Tokens of an API services app, which proves with its key who it is (RFC 7523, 2.2). */
const createTokens = (host: ConnectorHost<OktaSettings>, origin: string): WithToken => {
  const { clock, settings } = host;
  const { clientId = '', keyId, privateKey } = settings;
  const url = `${origin}/oauth2/v1/token`;
  const scope = settings.groups ? 'okta.users.read okta.groups.read' : 'okta.users.read';
  return createAccessTokens(host, {
    source: 'Okta',
    request: () => {
      const assertion = signAssertion({
        claims: { iss: clientId, sub: clientId, aud: url },
        privateKey: privateKey?.reveal() ?? '',
        keyId,
        now: clock.now(),
        setting: 'privateKey',
      });
      return Promise.resolve({
        url,
        form: {
          grant_type: 'client_credentials',
          scope,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: assertion,
        },
      });
    },
    refused: ({ status }) =>
      new SourceError(
        'auth',
        `Okta refused the app (${status}). Check clientId, privateKey and keyId, grant it the scopes ` +
          `${scope} and an admin role, and switch off "Require DPoP".`,
      ),
  });
};

const Problem = z.object({ errorCode: z.string(), errorSummary: z.string().optional() });

const detailOf = (response: SourceResponse): string | undefined => {
  const problem = problemOf(response, Problem);
  const summary = problem?.errorSummary?.replace(/\s+/g, ' ');
  return problem && [problem.errorCode, summary].filter(Boolean).join(', ');
};
