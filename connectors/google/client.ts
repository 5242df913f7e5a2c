import {
  type ConnectorHost,
  createAccessTokens,
  signAssertion,
  SourceError,
  type SourceRequest,
  type SourceResponse,
  z,
} from '../../src/plugin/api.js';
import { createSourceClient, problemOf } from '../directory/source-client.js';
import { User } from './record.js';
import type { GoogleSettings } from './settings.js';

const SOURCE = 'Google Workspace';
const MAX_USERS = 500;
const MAX_GROUPS = 200;

// Google leaves out an empty list; a body of another service has no `kind`.
const pageOf = <Name extends string>(name: Name) => ({
  kind: z.literal(`admin#directory#${name}`),
  nextPageToken: z.string().nullish(),
});
const Users = z
  .object({ ...pageOf('users'), users: z.array(User).default([]) })
  .transform(({ users: items, nextPageToken: next }) => ({ items, next }));
const Group = z
  .object({ id: z.string(), email: z.string() })
  .transform(({ id, email: name }) => ({ id, name }));
const Groups = z
  .object({ ...pageOf('groups'), groups: z.array(Group).default([]) })
  .transform(({ groups: items, nextPageToken: next }) => ({ items, next }));
const Member = z.object({ id: z.string().optional(), type: z.string() });
const Members = z
  .object({ ...pageOf('members'), members: z.array(Member).default([]) })
  .transform(({ members: items, nextPageToken: next }) => ({ items, next }));

const SCOPE = 'https://www.googleapis.com/auth/admin.directory';

const Key = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  private_key_id: z.string().optional(),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
});

export type GoogleClient = ReturnType<typeof createClient>;

/** The requests to the Directory API that the connector uses. */
export const createClient = (host: ConnectorHost<GoogleSettings>) => {
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
    refused: (response) =>
      new SourceError(
        'auth',
        `Google refused the service account (${[response.status, problemOf(response, TokenError)?.error].filter(Boolean).join(', ')}). ` +
          `In the Admin console, delegate these scopes to its client id: ${scope}. Check that ` +
          '`administrator` is an active administrator.',
      ),
  });

  const send = async (request: SourceRequest): Promise<SourceResponse> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await withToken(
        (bearer) => http.get({ ...request, auth: { bearer } }),
        request.signal,
      );
      if (!isLimited(response)) return response;
      if (attempt === ATTEMPTS)
        throw new SourceError('rate-limit', `${SOURCE} allows no more requests for now.`);
      await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), request.signal);
    }
  };

  const client = createSourceClient({
    source: SOURCE,
    send,
    hints: {
      403: 'Check the privileges of `administrator`, that the Admin SDK API is enabled, and the delegated scopes.',
      404: 'Check customer and domain.',
    },
    detailOf: (error) => problemOf(error, Problem)?.error.message?.replace(/\s+/g, ' '),
    tokenParameter: 'pageToken',
  });

  const { customer, domain, groups: selection } = settings;
  const whose = domain === undefined ? { customer } : { domain };

  const listGroups = (signal: AbortSignal) =>
    client.items({
      url: `${base}/groups`,
      query: { ...whose, maxResults: MAX_GROUPS },
      schema: Groups,
      signal,
    });
  const group = (key: string, signal: AbortSignal) =>
    client.find({ url: `${base}/groups/${encodeURIComponent(key)}`, signal }, Group);

  return {
    /** A page of users, the first one without a token. */
    users: (pageToken: string | undefined, pageSize: number, signal: AbortSignal) => {
      const maxResults = Math.min(pageSize, MAX_USERS);
      const query = { ...whose, maxResults, orderBy: 'email', projection: 'full' };
      return client.page({ url: `${base}/users`, query, schema: Users, signal }, pageToken);
    },
    async *usersById(ids: Iterable<string>, signal: AbortSignal) {
      for (const id of ids) {
        const url = `${base}/users/${encodeURIComponent(id)}`;
        const user = await client.find({ url, query: { projection: 'full' }, signal }, User);
        if (user) yield user;
      }
    },
    /** The groups of the setting `names`, and all of them if one is a prefix. */
    async *groups(signal: AbortSignal) {
      for (const name of selection?.names ?? []) {
        const found = await group(name, signal);
        if (found) yield found;
      }
      if (selection?.prefix !== undefined) yield* listGroups(signal);
    },
    /** Direct and nested members; all users of the customer are `EVERYBODY`. */
    async *memberIds(groupId: string, signal: AbortSignal) {
      const url = `${base}/groups/${encodeURIComponent(groupId)}/members`;
      const query = { includeDerivedMembership: 'true', maxResults: MAX_GROUPS };
      for await (const { type, id } of client.items({ url, query, schema: Members, signal }))
        if (type === 'CUSTOMER') yield EVERYBODY;
        // Members from outside have no id.
        else if (type === 'USER' && id !== undefined) yield id;
    },
    /** Fails if the first group cannot be read: a run fails if one is missing. */
    async checkGroups(signal: AbortSignal) {
      if (selection?.prefix !== undefined) for await (const _ of listGroups(signal)) break;
      const [name] = selection?.names ?? [];
      if (name === undefined || (await group(name, signal))) return;
      throw new SourceError(
        'config',
        `Google Workspace shows no group ${name}. Correct the setting groups.`,
      );
    },
  };
};

/** Stands for all users of the customer, who are one member of a group. */
export const EVERYBODY = 'CUSTOMER';

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

const isLimited = (response: SourceResponse): boolean =>
  response.status === 403 &&
  (problemOf(response, Problem)?.error.errors ?? []).some(({ reason = '' }) => LIMITS.has(reason));

const Problem = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
});
const TokenError = z.object({ error: z.string().regex(/^[a-z_]{1,100}$/) });
