import { startVendor, type VendorAnswer, type VendorRequest } from './vendor-server.js';

/** A user as Graph sends them. */
export interface EntraUser {
  readonly id: string;
  readonly [property: string]: unknown;
}

/** A group and its direct members, which may be groups. */
export interface EntraGroup {
  readonly id: string;
  readonly displayName: string;
  readonly members: readonly string[];
}

/**
 * Microsoft Graph as its description says: a list of users, a delta that sends changed properties only,
 * repeatedly and in no order, and groups. Links contain a token that belongs to this server.
 */
export const startEntra = async (seed: readonly EntraUser[]) => {
  const users = new Map(seed.map((user) => [user.id, user]));
  /** Objects as a delta sends them, in the order of their changes. */
  const changes: { readonly id: string; readonly [property: string]: unknown }[] = [];
  const settings = {
    tenantId: 'acme.onmicrosoft.com',
    clientId: '00000000-0000-4000-8000-0000000000c1',
    clientSecret: 'entra-client-secret-1',
    groups: [] as readonly EntraGroup[],
    /** Objects on a page of a delta; every second page is empty. */
    deltaPage: 2,
    /** The most items of a page. */
    maxPage: 999,
    /** How links are refused. */
    refusal: undefined as VendorAnswer | undefined,
    /** Properties that the app may not see. */
    hidden: new Set<string>(),
    linkOrigin: undefined as string | undefined,
    /** Called before each page of the list. */
    beforePage: undefined as (() => void) | undefined,
  };
  const tokens = new Set<string>();
  let url = '';

  const token = (request: VendorRequest): VendorAnswer => {
    const form = new URLSearchParams(request.body);
    const isRight =
      request.path.startsWith(`/${settings.tenantId}/`) &&
      form.get('grant_type') === 'client_credentials' &&
      form.get('client_id') === settings.clientId &&
      form.get('client_secret') === settings.clientSecret &&
      form.get('scope') === `${url}/.default`;
    if (!isRight)
      return {
        status: 401,
        body: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid secret.' },
      };
    const value = `graph-token-${tokens.size + 1}`;
    tokens.add(value);
    return { body: { access_token: value, token_type: 'Bearer', expires_in: 3_599 } };
  };

  const linkTo = (path: string, query: Readonly<Record<string, string>>): string =>
    `${settings.linkOrigin ?? url}${path}?${new URLSearchParams(query).toString()}`;

  const page = (request: VendorRequest, all: readonly object[]): VendorAnswer => {
    const { $skiptoken: skip = '0', ...query } = Object.fromEntries(request.query);
    const end = Number(skip) + Math.min(Number(query['$top'] ?? '100'), settings.maxPage);
    const more = { '@odata.nextLink': linkTo(request.path, { ...query, $skiptoken: String(end) }) };
    return { body: { value: all.slice(Number(skip), end), ...(end < all.length && more) } };
  };

  const shown = (user: EntraUser, request: VendorRequest): object => {
    const properties = [...(request.query.get('$select') ?? '').split(','), 'manager'];
    return Object.fromEntries(
      Object.entries(user).filter(
        ([name]) => properties.includes(name) && !settings.hidden.has(name),
      ),
    );
  };

  const list = (request: VendorRequest): VendorAnswer => {
    const filter = request.query.get('$filter');
    const ids =
      filter === null ? undefined : [...filter.matchAll(/'([^']+)'/g)].map(([, id]) => id);
    if (ids && ids.length > 15) return { status: 400, body: problem('Request_UnsupportedQuery') };
    if (!ids) settings.beforePage?.();
    const found = [...users.values()].filter(({ id }) => !ids || ids.includes(id));
    return page(
      request,
      found.map((user) => shown(user, request)),
    );
  };

  const delta = (request: VendorRequest): VendorAnswer => {
    const given = request.query.get('$deltatoken');
    const end = (at: number): object => ({
      '@odata.deltaLink': linkTo(request.path, { $deltatoken: String(at) }),
    });
    if (given === 'latest') return { body: { value: [], ...end(changes.length) } };
    const [start = 0, turn = 0] = (given ?? request.query.get('$skiptoken') ?? '')
      .split('~')
      .map(Number);
    const to = start + (turn % 2 === 0 ? 0 : settings.deltaPage);
    const next = { '@odata.nextLink': linkTo(request.path, { $skiptoken: `${to}~${turn + 1}` }) };
    const isLast = to >= changes.length;
    return { body: { value: changes.slice(start, to), ...(isLast ? end(changes.length) : next) } };
  };

  const membersOf = (id: string, seen = new Set<string>()): readonly string[] => {
    if (seen.has(id)) return [];
    seen.add(id);
    const members = settings.groups.find((group) => group.id === id)?.members ?? [];
    return members.flatMap((member) => [member, ...membersOf(member, seen)]);
  };

  const answer = (request: VendorRequest): VendorAnswer => {
    const isLink =
      request.query.has('$skiptoken') || /^\d/.test(request.query.get('$deltatoken') ?? '');
    if (isLink && settings.refusal) return settings.refusal;
    if (request.path === '/v1.0/users') return list(request);
    if (request.path === '/v1.0/users/delta') return delta(request);
    const { groups } = settings;
    if (request.path === '/v1.0/groups')
      return page(
        request,
        groups.map(({ id, displayName }) => ({ id, displayName })),
      );
    const [, id = ''] = /^\/v1\.0\/groups\/([^/]+)\/transitiveMembers$/.exec(request.path) ?? [];
    return page(
      request,
      [...new Set(membersOf(id))].map((member) => ({ id: member })),
    );
  };

  const server = await startVendor((request) => {
    if (request.path.endsWith('/oauth2/v2.0/token')) return token(request);
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    return tokens.has(bearer)
      ? answer(request)
      : { status: 401, body: problem('InvalidAuthenticationToken') };
  });
  ({ url } = server);
  const { tenantId, clientId, clientSecret } = settings;
  return {
    ...server,
    settings,
    tokens,
    /** As in the configuration of a connector. */
    configured: {
      ...{ tenantId, clientId, clientSecret },
      baseUrl: `${server.url}/v1.0`,
      loginUrl: server.url,
    },
    put: (user: EntraUser, changed: readonly string[] = []) => {
      users.set(user.id, user);
      const properties = changed.map((name) => [name, user[name]] as const);
      changes.push({ id: user.id, ...Object.fromEntries(properties) });
    },
    remove: (id: string, reason = 'changed') => {
      users.delete(id);
      changes.push({ id, '@removed': { reason } });
    },
    /** Sends a change again, though nothing has happened since. */
    replay: (change: { readonly id: string; readonly [property: string]: unknown }) =>
      changes.push(change),
  };
};

const problem = (code: string): object => ({
  error: { code, message: 'No.', innerError: { 'request-id': 'r-1', date: '2026-11-22T12:00:00' } },
});

/** How Graph refuses a link that is too old. */
export const GONE: VendorAnswer = {
  status: 410,
  headers: { location: '/v1.0/users/delta?$deltatoken=' },
  body: problem('resyncRequired'),
};
export const SYNC_STATE_NOT_FOUND: VendorAnswer = {
  status: 400,
  body: problem('syncStateNotFound'),
};
