import {
  type ConnectorHost,
  createAccessTokens,
  readSourceJson,
  signAssertion,
  SourceError,
  type SourceRequest,
  type SourceResponse,
  type WithToken,
  z,
} from '../../src/plugin/api.js';
import { User } from './record.js';
import type { OktaSettings } from './settings.js';

const SOURCE = 'Okta';
const MAX_USERS = 200;
const MAX_GROUPS = 1_000;

/** A page of users. */
export interface UserPage {
  readonly users: readonly User[];
  /** The address of the next page; undefined on the last one. */
  readonly next: string | undefined;
  /** When Okta sent it, by its own clock. */
  readonly sentAt: Date | undefined;
}

/** The requests to Okta that the connector uses. */
export interface OktaClient {
  /** The address of the first page: everybody but deprovisioned users, or who is found. */
  readonly firstPage: (pageSize: number, search?: string) => string;
  readonly users: (page: string, signal: AbortSignal) => Promise<UserPage>;
  /** Undefined: there is no such user. */
  readonly user: (id: string, signal: AbortSignal) => Promise<User | undefined>;
  readonly groups: (
    signal: AbortSignal,
  ) => AsyncGenerator<{ readonly id: string; readonly name: string }>;
  readonly memberIds: (groupId: string, signal: AbortSignal) => AsyncGenerator<string>;
}

const Groups = z.array(z.object({ id: z.string(), profile: z.object({ name: z.string() }) }));
const Members = z.array(z.object({ id: z.string() }));

export const createClient = (host: ConnectorHost<OktaSettings>): OktaClient => {
  const { http, settings } = host;
  const { origin } = new URL(settings.orgUrl);
  const api = `${origin}/api/v1`;
  const withToken = settings.token ? undefined : createTokens(host, origin);

  const get = (url: string, signal: AbortSignal): Promise<SourceResponse> => {
    // The address of a next page comes from a response, and gets the credentials.
    if (!URL.canParse(url) || new URL(url).origin !== origin)
      throw new SourceError('schema', 'Okta named a next page on another host.');
    const request: SourceRequest = { url, signal };
    return withToken
      ? withToken((bearer) => http.get({ ...request, auth: { bearer } }), signal)
      : http.get({
          ...request,
          headers: { authorization: `SSWS ${settings.token?.reveal() ?? ''}` },
        });
  };

  const getPage = async <Page>(
    url: string,
    schema: z.ZodType<Page>,
    signal: AbortSignal,
  ): Promise<{ readonly page: Page; readonly next: string | undefined; readonly date: string }> => {
    const response = await get(url, signal);
    if (new URL(url).searchParams.has('after') && [400, 404, 410].includes(response.status))
      throw expired();
    const page = readSourceJson(response, schema, contextOf(response));
    const next = nextOf(response.headers['link'] ?? '');
    if (next === url)
      throw new SourceError('schema', 'Okta sent the same page twice: its link does not advance.');
    return { page, next, date: response.headers['date'] ?? '' };
  };

  async function* pages<Page>(
    first: string,
    schema: z.ZodType<Page>,
    signal: AbortSignal,
  ): AsyncGenerator<Page> {
    for (let url: string | undefined = first; url !== undefined;) {
      const { page, next }: { readonly page: Page; readonly next: string | undefined } =
        await getPage(url, schema, signal);
      yield page;
      url = next;
    }
  }

  return {
    firstPage: (pageSize, search) => {
      const url = new URL(`${api}/users`);
      url.searchParams.set('limit', String(Math.min(pageSize, MAX_USERS)));
      if (search !== undefined) url.searchParams.set('search', search);
      return url.href;
    },
    users: async (url, signal) => {
      const { page: users, next, date } = await getPage(url, z.array(User), signal);
      const sentAt = new Date(date);
      return { users, next, sentAt: Number.isNaN(sentAt.getTime()) ? undefined : sentAt };
    },
    user: async (id, signal) => {
      const response = await get(`${api}/users/${encodeURIComponent(id)}`, signal);
      return response.status === 404
        ? undefined
        : readSourceJson(response, User, contextOf(response));
    },
    async *groups(signal) {
      for await (const page of pages(`${api}/groups?limit=${MAX_GROUPS}`, Groups, signal))
        for (const { id, profile } of page) yield { id, name: profile.name };
    },
    async *memberIds(groupId, signal) {
      const first = `${api}/groups/${encodeURIComponent(groupId)}/users?limit=${MAX_GROUPS}`;
      for await (const page of pages(first, Members, signal)) for (const { id } of page) yield id;
    },
  };
};

/** Tokens of an API services app, which proves with its key who it is (RFC 7523, 2.2). */
const createTokens = (host: ConnectorHost<OktaSettings>, origin: string): WithToken => {
  const { clock, settings } = host;
  const { clientId = '', keyId, privateKey } = settings;
  const url = `${origin}/oauth2/v1/token`;
  const scope = settings.groups ? 'okta.users.read okta.groups.read' : 'okta.users.read';
  return createAccessTokens(host, {
    source: SOURCE,
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

/** The address of the next page, of a Link header (RFC 8288). */
const nextOf = (link: string): string | undefined =>
  /<([^<>]+)>\s*;[^<>]*\brel="?next"?/i.exec(link)?.[1];

const expired = (): SourceError =>
  new SourceError(
    'network',
    'Okta no longer accepts the address of the next page. The next run reads from the start.',
  );

/** The longest error that is looked at, in characters. */
const MAX_PROBLEM = 65_536;

const Problem = z.object({ errorCode: z.string(), errorSummary: z.string().optional() });

const contextOf = ({ status, body }: SourceResponse) => {
  const detail = status >= 400 ? detailOf(body) : undefined;
  return {
    source: SOURCE,
    hints: {
      401: 'Check the API token: it ends with its administrator, and after 30 days without use.',
      403: 'Give the administrator of the token, or the app, a role that may view all users and groups.',
      404: 'Check orgUrl.',
    },
    ...(detail !== undefined && { detail }),
  };
};

const detailOf = (body: string): string | undefined => {
  if (body.length > MAX_PROBLEM) return undefined;
  try {
    const { errorCode, errorSummary } = Problem.parse(JSON.parse(body));
    return [errorCode, errorSummary?.replace(/\s+/g, ' ')].filter(Boolean).join(', ');
  } catch {
    return undefined;
  }
};
