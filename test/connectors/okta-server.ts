import { createVerify, generateKeyPairSync } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { startVendor, type VendorAnswer, type VendorRequest } from './vendor-server.js';

/** A user as Okta sends them. */
export interface OktaUser {
  readonly id: string;
  readonly status: string;
  readonly statusChanged: string | null;
  readonly lastUpdated: string;
  readonly profile: { readonly login: string; readonly [attribute: string]: unknown };
}

/** A group and the ids of its members. */
export interface OktaGroup {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
}

/**
 * Okta's API as its description says: a list of users without deprovisioned ones, a search that finds
 * all of them, groups, and pages by `Link` headers.
 */
export const startOkta = async (seed: readonly OktaUser[]) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const settings = {
    token: 'okta-api-token-1',
    clientId: '0oaclient1',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    now: '2026-11-22T12:00:00Z',
    users: seed,
    groups: [] as readonly OktaGroup[],
    /** The pages that are empty, though another one follows. */
    emptyPages: new Set<number>(),
    /** The most items of a page. */
    maxPage: 1_000,
    areLinksExpired: false,
    /** Where links lead, if not to this server. */
    linkOrigin: undefined as string | undefined,
    /** Called before each page of users. */
    beforePage: undefined as ((request: VendorRequest) => void) | undefined,
  };
  const tokens = new Set<string>();
  let url = '';

  const token = (request: VendorRequest): VendorAnswer => {
    const form = new URLSearchParams(request.body);
    const [header = '', claims = '', signature = ''] = (form.get('client_assertion') ?? '').split(
      '.',
    );
    const isSigned = createVerify('RSA-SHA256')
      .update(`${header}.${claims}`)
      .verify(publicKey, Buffer.from(signature, 'base64url'));
    const { iss, sub, aud } = JSON.parse(
      Buffer.from(claims, 'base64url').toString() || '{}',
    ) as Record<string, unknown>;
    const isRight =
      isSigned && iss === settings.clientId && sub === iss && aud === `${url}/oauth2/v1/token`;
    if (!isRight) return { status: 401, body: { error: 'invalid_client' } };
    const value = `okta-access-${tokens.size + 1}`;
    tokens.add(value);
    return { body: { access_token: value, token_type: 'Bearer', expires_in: 3_600 } };
  };

  const page = (request: VendorRequest, all: readonly object[]): VendorAnswer => {
    const after = request.query.get('after');
    if (after !== null && settings.areLinksExpired)
      return { status: 400, body: { errorCode: 'E0000031', errorSummary: 'Invalid after' } };
    const [start = 0, number = 1] = (after ?? '').split('~').slice(1).map(Number);
    const isEmpty = settings.emptyPages.has(number);
    const end =
      start + (isEmpty ? 0 : Math.min(Number(request.query.get('limit')), settings.maxPage));
    const self = `${settings.linkOrigin ?? url}${request.path}`;
    const query = new URLSearchParams(request.query);
    query.set('after', `a~${end}~${number + 1}`);
    const next = end < all.length ? `, <${self}?${query.toString()}>; rel="next"` : '';
    return {
      headers: {
        date: new Date(settings.now).toUTCString(),
        link: `<${self}${request.rawQuery}>; rel="self"${next}`,
      },
      body: all.slice(start, end),
    };
  };

  const found = (search: string | null): readonly OktaUser[] => {
    const { users } = settings;
    if (search === null) return users.filter(({ status }) => status !== 'DEPROVISIONED');
    const [, status] = /^status eq "(\w+)"$/.exec(search) ?? [];
    if (status !== undefined) return users.filter((user) => user.status === status);
    const [, since = ''] = /^lastUpdated gt "([^"]+)"$/.exec(search) ?? [];
    return users.filter(({ lastUpdated }) => lastUpdated > since);
  };

  const answer = (request: VendorRequest): VendorAnswer => {
    const [, kind, id, part] =
      /^\/api\/v1\/(users|groups)(?:\/([^/]+))?(\/users)?$/.exec(request.path) ?? [];
    if (kind === 'users' && id === undefined) {
      settings.beforePage?.(request);
      return page(request, found(request.query.get('search')));
    }
    if (kind === 'groups' && id === undefined) {
      const shown = settings.groups.map((group) => ({
        id: group.id,
        profile: { name: group.name },
      }));
      return page(request, shown);
    }
    const { users, groups } = settings;
    if (kind === 'groups' && part !== undefined) {
      const group = groups.find((one) => one.id === id);
      return page(
        request,
        users.filter((user) => group?.members.includes(user.id)),
      );
    }
    const user = users.find((one) => one.id === id);
    return user
      ? { body: user }
      : { status: 404, body: { errorCode: 'E0000007', errorSummary: 'Not found' } };
  };

  const server = await startVendor((request) => {
    if (request.path === '/oauth2/v1/token') return token(request);
    const given = request.headers.authorization ?? '';
    const isRight = given === `SSWS ${settings.token}` || tokens.has(given.replace(/^Bearer /, ''));
    return isRight
      ? answer(request)
      : { status: 401, body: { errorCode: 'E0000011', errorSummary: 'Invalid token provided' } };
  });
  ({ url } = server);
  /** As in the configuration of a connector. */
  const configured = { orgUrl: server.url, token: settings.token };
  return { ...server, settings, configured };
};
