import { createVerify, generateKeyPairSync } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { startVendor, type VendorAnswer, type VendorRequest } from './vendor-server.js';

/** A user as the Directory API sends them. */
export interface SeededUser {
  readonly id: string;
  readonly primaryEmail: string;
  readonly [field: string]: unknown;
}

/** A group and its direct members. */
export interface SeededGroup {
  readonly id: string;
  readonly email: string;
  readonly members: readonly { readonly id?: string; readonly type: string }[];
}

/**
 * Google's Directory API as its description says: a token for a signed JWT, users by e-mail address in
 * pages, groups, and members with those of nested groups. Empty lists are left out.
 */
export const startGoogle = async (seed: readonly SeededUser[]) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const settings = {
    key: {
      type: 'service_account',
      client_email: 'rollgate@project.iam.example.com',
      private_key_id: 'key-1',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    },
    administrator: 'admin@example.com',
    users: seed,
    groups: [] as readonly SeededGroup[],
    /** The pages that are empty, though another one follows. */
    emptyPages: new Set<number>(),
    /** The most items of a page. */
    maxPage: 500,
    /** Tokens of next pages have expired. */
    areTokensExpired: false,
  };
  const tokens = new Set<string>();
  /** The claims of the last token request. */
  const seen: { claims?: Record<string, unknown> } = {};

  const token = (request: VendorRequest): VendorAnswer => {
    const assertion = new URLSearchParams(request.body).get('assertion') ?? '';
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const isSigned = createVerify('RSA-SHA256')
      .update(`${header}.${claims}`)
      .verify(publicKey, Buffer.from(signature, 'base64url'));
    seen.claims = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<
      string,
      unknown
    >;
    const isRight =
      isSigned &&
      seen.claims['iss'] === settings.key.client_email &&
      seen.claims['sub'] === settings.administrator;
    if (!isRight)
      return { status: 401, body: { error: 'unauthorized_client', error_description: 'No.' } };
    const value = `google-token-${tokens.size + 1}`;
    tokens.add(value);
    return { body: { access_token: value, token_type: 'Bearer', expires_in: 3_599 } };
  };

  const page = (
    request: VendorRequest,
    name: 'users' | 'groups' | 'members',
    all: readonly object[],
  ): VendorAnswer => {
    const pageToken = request.query.get('pageToken');
    if (pageToken !== null && settings.areTokensExpired)
      return { status: 400, body: problem(400, 'invalid', 'Invalid Input: pageToken') };
    const [start = 0, number = 1] = (pageToken ?? '').split('~').slice(1).map(Number);
    const isEmpty = settings.emptyPages.has(number);
    const end =
      start + (isEmpty ? 0 : Math.min(Number(request.query.get('maxResults')), settings.maxPage));
    const items = all.slice(start, end);
    return {
      body: {
        kind: `admin#directory#${name}`,
        ...(items.length > 0 && { [name]: items }),
        ...(end < all.length && { nextPageToken: `t~${end}~${number + 1}` }),
      },
    };
  };

  const membersOf = (id: string, seen = new Set<string>()): readonly object[] => {
    if (seen.has(id)) return [];
    seen.add(id);
    const members = settings.groups.find((group) => group.id === id)?.members ?? [];
    return members.flatMap((member) =>
      member.type === 'GROUP' ? [member, ...membersOf(member.id ?? '', seen)] : [member],
    );
  };

  const answer = (request: VendorRequest): VendorAnswer => {
    const [, kind, key, part] =
      /^\/admin\/directory\/v1\/(users|groups)(?:\/([^/]+))?(\/members)?$/.exec(request.path) ?? [];
    if (kind === 'users' && key === undefined) {
      if (request.query.get('customer') !== 'my_customer')
        return { status: 400, body: problem(400, 'badRequest', 'customer') };
      return page(
        request,
        'users',
        settings.users.toSorted((a, b) => (a.primaryEmail < b.primaryEmail ? -1 : 1)),
      );
    }
    if (kind === 'users') return one(settings.users.find(({ id }) => id === key));
    if (kind !== 'groups') return { status: 404, body: problem(404, 'notFound', 'Not found') };
    const shown = settings.groups.map(({ id, email }) => ({
      id,
      email,
      name: email.split('@')[0],
    }));
    if (key === undefined) return page(request, 'groups', shown);
    if (part !== undefined) return page(request, 'members', membersOf(key));
    return one(
      shown.find(({ id, email }) => [id, email].includes(decodeURIComponent(key).toLowerCase())),
    );
  };

  const server = await startVendor((request) => {
    if (request.path === '/token') return token(request);
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    return tokens.has(bearer)
      ? answer(request)
      : { status: 401, body: problem(401, 'authError', 'Invalid Credentials') };
  });
  return {
    ...server,
    settings,
    tokens,
    seen,
    /** As in the configuration of a connector. */
    configured: {
      serviceAccountKey: JSON.stringify({ ...settings.key, token_uri: `${server.url}/token` }),
      administrator: settings.administrator,
      baseUrl: server.url,
    },
  };
};

const one = (found: object | undefined): VendorAnswer =>
  found ? { body: found } : { status: 404, body: problem(404, 'notFound', 'Resource Not Found') };

const problem = (code: number, reason: string, message: string): object => ({
  error: { code, message, errors: [{ domain: 'global', reason, message }] },
});

/** The answer over the rate limit, as Google often sends it: without `Retry-After`. */
export const googleLimit = (reason: string): VendorAnswer => ({
  status: 403,
  body: problem(403, reason, 'Request rate higher than configured.'),
});
