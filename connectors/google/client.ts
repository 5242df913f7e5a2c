import {
  type ConnectorHost,
  createAccessTokens,
  readSourceJson,
  signAssertion,
  SourceError,
  type SourceRequest,
  type SourceResponse,
  z,
} from '../../src/plugin/api.js';
import { User } from './record.js';
import type { GoogleSettings } from './settings.js';

const SOURCE = 'Google Workspace';
const MAX_USERS = 500;
const MAX_GROUPS = 200;

const pageOf = { nextPageToken: z.string().nullish() };
// Google leaves out an empty list; a body of another service has no `kind`.
const Users = z.object({
  kind: z.literal('admin#directory#users'),
  users: z.array(User).optional(),
  ...pageOf,
});
const Group = z.object({ id: z.string(), email: z.string() });
const Groups = z.object({
  kind: z.literal('admin#directory#groups'),
  groups: z.array(Group).optional(),
  ...pageOf,
});
const Members = z.object({
  kind: z.literal('admin#directory#members'),
  members: z.array(z.object({ id: z.string().optional(), type: z.string() })).optional(),
  ...pageOf,
});

export type Group = z.infer<typeof Group>;
export type Member = NonNullable<z.infer<typeof Members>['members']>[number];

/** The requests to the Directory API that the connector uses. */
export interface GoogleClient {
  readonly users: (
    pageToken: string | undefined,
    pageSize: number,
    signal: AbortSignal,
  ) => Promise<{ readonly users: readonly User[]; readonly next: string | undefined }>;
  /** Undefined: there is no such user. */
  readonly user: (id: string, signal: AbortSignal) => Promise<User | undefined>;
  readonly groups: (signal: AbortSignal) => AsyncGenerator<Group>;
  /** Undefined: there is no such group. */
  readonly group: (key: string, signal: AbortSignal) => Promise<Group | undefined>;
  /** Direct and nested members. */
  readonly members: (groupId: string, signal: AbortSignal) => AsyncGenerator<Member>;
}

const SCOPE = 'https://www.googleapis.com/auth/admin.directory';

const Key = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});

export const createClient = (host: ConnectorHost<GoogleSettings>): GoogleClient => {
  const { http, clock, settings } = host;
  const base = `${settings.baseUrl.replace(/\/$/, '')}/admin/directory/v1`;
  const scope = ['user', ...(settings.groups ? ['group', 'group.member'] : [])]
    .map((name) => `${SCOPE}.${name}.readonly`)
    .join(' ');

  const withToken = createAccessTokens(host, {
    source: SOURCE,
    request: () => {
      const key = keyOf(settings);
      const assertion = signAssertion({
        claims: {
          iss: key.client_email,
          sub: settings.administrator,
          aud: key.token_uri,
          scope,
        },
        privateKey: key.private_key,
        keyId: key.private_key_id,
        now: clock.now(),
        setting: 'serviceAccountKey',
      });
      const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
      return Promise.resolve({ url: key.token_uri, form });
    },
    refused: ({ status, body }) =>
      new SourceError(
        'auth',
        `Google refused the service account (${[status, tokenErrorOf(body)].filter(Boolean).join(', ')}). ` +
          `In the Admin console, delegate these scopes to its client id: ${scope}. Check that ` +
          '`administrator` is an active administrator.',
      ),
  });

  const get = async (
    path: string,
    query: NonNullable<SourceRequest['query']>,
    signal: AbortSignal,
  ): Promise<SourceResponse> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await withToken(
        (bearer) => http.get({ url: `${base}${path}`, query, auth: { bearer }, signal }),
        signal,
      );
      if (!isLimited(response)) return response;
      if (attempt === ATTEMPTS) throw limited();
      await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), signal);
    }
  };

  const getPage = async <Page>(
    path: string,
    query: NonNullable<SourceRequest['query']>,
    schema: z.ZodType<Page>,
    signal: AbortSignal,
  ): Promise<Page> => {
    const response = await get(path, query, signal);
    if ('pageToken' in query && [400, 404, 410].includes(response.status)) throw expired();
    return readSourceJson(response, schema, contextOf(response));
  };

  const getOne = async <One>(
    path: string,
    query: NonNullable<SourceRequest['query']>,
    schema: z.ZodType<One>,
    signal: AbortSignal,
  ): Promise<One | undefined> => {
    const response = await get(path, query, signal);
    return response.status === 404
      ? undefined
      : readSourceJson(response, schema, contextOf(response));
  };

  async function* pages<Page extends { readonly nextPageToken?: string | null | undefined }>(
    path: string,
    query: NonNullable<SourceRequest['query']>,
    schema: z.ZodType<Page>,
    signal: AbortSignal,
  ): AsyncGenerator<Page> {
    for (let token: string | undefined, isFirst = true; isFirst || token; isFirst = false) {
      const all = { ...query, maxResults: MAX_GROUPS, ...(token && { pageToken: token }) };
      const page = await getPage(path, all, schema, signal);
      yield page;
      const next = page.nextPageToken ?? undefined;
      if (next !== undefined && next === token) throw stuck();
      token = next;
    }
  }

  const { customer, domain } = settings;
  const whose = domain === undefined ? { customer } : { domain };

  return {
    users: async (pageToken, pageSize, signal) => {
      const query = {
        ...whose,
        maxResults: Math.min(pageSize, MAX_USERS),
        orderBy: 'email',
        projection: 'full',
        ...(pageToken !== undefined && { pageToken }),
      };
      const { users = [], nextPageToken } = await getPage('/users', query, Users, signal);
      return { users, next: nextPageToken ?? undefined };
    },
    user: (id, signal) =>
      getOne(`/users/${encodeURIComponent(id)}`, { projection: 'full' }, User, signal),
    async *groups(signal) {
      for await (const { groups = [] } of pages('/groups', whose, Groups, signal)) yield* groups;
    },
    group: (key, signal) => getOne(`/groups/${encodeURIComponent(key)}`, {}, Group, signal),
    async *members(groupId, signal) {
      const path = `/groups/${encodeURIComponent(groupId)}/members`;
      const query = { includeDerivedMembership: 'true' };
      for await (const { members = [] } of pages(path, query, Members, signal)) yield* members;
    },
  };
};

const keyOf = ({ serviceAccountKey }: GoogleSettings): z.infer<typeof Key> => {
  try {
    return Key.parse(JSON.parse(serviceAccountKey.reveal()));
  } catch {
    // The errors of both quote the key.
    throw new SourceError(
      'config',
      'The setting serviceAccountKey is not the JSON key of a service account: client_email or ' +
        'private_key is missing.',
    );
  }
};

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 1_000;
/** Google says so with 403, too, which the host does not repeat. */
const LIMITS = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded']);

const isLimited = ({ status, body }: SourceResponse): boolean =>
  status === 403 && (problemOf(body)?.errors ?? []).some(({ reason = '' }) => LIMITS.has(reason));

const limited = (): SourceError =>
  new SourceError('rate-limit', `${SOURCE} allows no more requests for now.`);

/** The pages do not advance. */
export const stuck = (): SourceError =>
  new SourceError('schema', `${SOURCE} sent the same page twice: its page token does not advance.`);

const expired = (): SourceError =>
  new SourceError(
    'network',
    `${SOURCE} no longer accepts the token of the next page. The next run reads from the start.`,
  );

/** The longest error that is looked at, in characters. */
const MAX_PROBLEM = 65_536;

const Problem = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
});
const TokenError = z.object({ error: z.string().regex(/^[a-z_]{1,100}$/) });

const parsed = <T>(body: string, schema: z.ZodType<T>): T | undefined => {
  if (body.length > MAX_PROBLEM) return undefined;
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
};

const problemOf = (body: string) => parsed(body, Problem)?.error;

const tokenErrorOf = (body: string): string | undefined => parsed(body, TokenError)?.error;

const contextOf = ({ status, body }: SourceResponse) => {
  const detail = status >= 400 ? problemOf(body)?.message?.replace(/\s+/g, ' ') : undefined;
  return {
    source: SOURCE,
    hints: {
      403: 'Check the privileges of `administrator`, that the Admin SDK API is enabled, and the delegated scopes.',
      404: 'Check customer and domain.',
    },
    ...(detail !== undefined && { detail }),
  };
};
