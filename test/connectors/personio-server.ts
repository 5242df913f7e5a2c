import { Buffer } from 'node:buffer';
import { startVendor, type VendorAnswer, type VendorRequest } from './vendor-server.js';

/** A person and their employments, as Personio sends them. */
export interface SeededPerson {
  readonly person: { readonly id: string; readonly [field: string]: unknown };
  readonly employments: readonly object[];
}

/**
 * Personio's API v2 as its published descriptions say: tokens, persons by cursor, employments per
 * person. Links are relative and their path is wrong; cursors contain a `+`.
 */
export const startPersonio = async (seed: readonly SeededPerson[]) => {
  const people = new Map(
    seed.map((entry) => [entry.person.id, { ...entry, updatedAt: '2026-01-01T00:00:00Z' }]),
  );
  const tokens = new Set<string>();
  const settings = {
    clientId: 'papi-1',
    clientSecret: 'papi-secret-1',
    now: '2026-11-22T12:00:00Z',
    /** Persons whose employments were deleted after they were listed. */
    vanished: new Set<string>(),
    isStuck: false,
  };

  const token = (request: VendorRequest): VendorAnswer => {
    const form = new URLSearchParams(request.body);
    const isRight =
      form.get('grant_type') === 'client_credentials' &&
      form.get('client_id') === settings.clientId &&
      form.get('client_secret') === settings.clientSecret;
    if (!isRight) return { status: 401, body: { error: 'invalid_client', trace_id: 't-1' } };
    const value = `token-${tokens.size + 1}`;
    tokens.add(value);
    return { body: { access_token: value, token_type: 'Bearer', expires_in: 86_400 } };
  };

  const pageOf = (request: VendorRequest, all: readonly object[]): VendorAnswer => {
    const limit = Number(request.query.get('limit') ?? '10');
    if (limit < 1 || limit > 50) return { status: 400, body: { errors: [{ title: 'limit' }] } };
    const cursor = request.query.get('cursor');
    const offset = cursor === null ? 0 : offsetOf(cursor);
    if (offset === undefined) return { status: 400, body: { errors: [{ title: 'cursor' }] } };
    const end = offset + limit;
    const next = cursorAt(settings.isStuck ? 1 : end);
    return {
      headers: { date: new Date(settings.now).toUTCString() },
      body: {
        _data: all.slice(offset, end),
        _meta: {
          links: end < all.length ? { next: { href: `/v2/wrong?x=1&cursor=${next}` } } : {},
        },
      },
    };
  };

  const server = await startVendor((request) => {
    if (request.path === '/v2/auth/token') return token(request);
    if (!tokens.has((request.headers.authorization ?? '').replace('Bearer ', '')))
      return {
        status: 401,
        body: { personio_trace_id: 't-2', errors: [{ title: 'Unauthorized' }] },
      };
    const [, id, isList] = /^\/v2\/persons(?:\/([^/]+)(\/employments)?)?$/.exec(request.path) ?? [];
    if (id === undefined) {
      const after = request.query.get('updated_at.gt');
      const found = [...people.values()].filter(
        ({ updatedAt }) => after === null || Date.parse(updatedAt) > Date.parse(after),
      );
      return pageOf(
        request,
        found.map(({ person, updatedAt }) => ({ ...person, updated_at: updatedAt })),
      );
    }
    const entry = people.get(id);
    if (!entry || (isList && settings.vanished.has(id)))
      return { status: 404, body: { errors: [{ title: 'Not found' }] } };
    return isList ? pageOf(request, entry.employments) : { body: entry.person };
  });

  return {
    ...server,
    settings,
    /** Later requests with the tokens so far are refused. */
    revoke: () => tokens.clear(),
    put: (entry: SeededPerson) =>
      people.set(entry.person.id, { ...entry, updatedAt: settings.now }),
  };
};

/** Cursors like base64 with a `+` in them. */
const cursorAt = (offset: number): string => `${Buffer.from(`at ${offset}`).toString('base64')}+`;

const offsetOf = (cursor: string): number | undefined => {
  if (!cursor.endsWith('+')) return undefined;
  return Number(Buffer.from(cursor.slice(0, -1), 'base64').toString().replace('at ', ''));
};
