import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Tenant {
  readonly slug: string;
  readonly [field: string]: unknown;
}

interface Key {
  readonly key_id: string;
  readonly prefix: string;
  readonly description: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface RecordedRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/**
 * The tenant and API key routes of the operators' API over HTTP, without rules, for client tests.
 */
export interface FakeOperatorsApi {
  readonly url: string;
  readonly token: string;
  readonly requests: readonly RecordedRequest[];
  readonly addTenant: (tenant: { readonly slug: string } & Record<string, unknown>) => void;
  readonly addKey: (slug: string, key: Partial<Key>) => Key;
  readonly keysOf: (slug: string) => readonly Key[];
  readonly tenants: () => readonly Tenant[];
  /** Sets the response to the next request. */
  readonly answerOnce: (answer: FakeAnswer) => void;
  readonly close: () => Promise<void>;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const CREATED_AT = '2026-11-18T09:00:00.000Z';
export const FAKE_TOKEN = 'rgadm_fake';

const refusal = (status: number, error: string, message: string): FakeAnswer => ({
  status,
  body: { error, message, request_id: 'request-0001' },
});

export const openFakeOperatorsApi = async (): Promise<FakeOperatorsApi> => {
  const tenants = new Map<string, Tenant>();
  const keys = new Map<string, Key[]>();
  const requests: RecordedRequest[] = [];
  const queued: FakeAnswer[] = [];

  const addTenant: FakeOperatorsApi['addTenant'] = (given) => {
    keys.set(given.slug, []);
    tenants.set(given.slug, {
      id: randomUUID(),
      name: given.slug,
      seat_capacity: null,
      default_role: 'member',
      room_provisioning: 'manual',
      default_country: null,
      scim: { put_without_members: 'clear', strict_errors: false },
      created_at: CREATED_AT,
      ...given,
    });
  };
  const addKey: FakeOperatorsApi['addKey'] = (slug, given) => {
    const key: Key = {
      key_id: randomUUID(),
      prefix: `rg_${randomUUID().slice(0, 8)}`,
      description: 'Okta',
      scopes: ['scim:read', 'scim:write'],
      created_at: CREATED_AT,
      last_used_at: null,
      ...given,
    };
    keys.get(slug)?.push(key);
    return key;
  };

  const page = (name: string, items: readonly unknown[], query: URLSearchParams): FakeAnswer => {
    const limit = Number(query.get('limit') ?? 100);
    const offset = Number(query.get('offset') ?? 0);
    const shown = items.slice(offset, offset + limit);
    return { status: 200, body: { [name]: shown, total: items.length, limit, offset } };
  };

  const respondToKeys = (
    slug: string,
    id: string | undefined,
    request: ParsedRequest,
  ): FakeAnswer => {
    const own = keys.get(slug);
    if (!own) return refusal(404, 'TENANT_NOT_FOUND', 'No tenant has this slug.');
    if (request.method === 'GET') return page('api_keys', own, request.query);
    if (request.method === 'DELETE') {
      keys.set(
        slug,
        own.filter(({ key_id }) => key_id !== id),
      );
      return { status: 204 };
    }
    const { last_used_at: _never, ...key } = addKey(slug, request.body as Partial<Key>);
    return { status: 201, body: { ...key, key: `${key.prefix}_${'x'.repeat(38)}` } };
  };

  const respondToTenants = (slug: string | undefined, request: ParsedRequest): FakeAnswer => {
    const given = request.body as Tenant;
    if (request.method === 'POST') {
      if (tenants.has(given.slug))
        return refusal(409, 'SLUG_TAKEN', `Another tenant has the slug "${given.slug}".`);
      addTenant({ ...given });
      return { status: 201, body: tenants.get(given.slug) };
    }
    if (slug === undefined) return page('tenants', [...tenants.values()], request.query);
    const tenant = tenants.get(slug);
    if (!tenant) return refusal(404, 'TENANT_NOT_FOUND', 'No tenant has this slug.');
    if (request.method === 'PATCH') {
      const scim = { ...(tenant['scim'] as object), ...(given['scim'] as object | undefined) };
      tenants.set(slug, { ...tenant, ...given, scim, slug });
    }
    if (request.method !== 'DELETE') return { status: 200, body: tenants.get(slug) };
    tenants.delete(slug);
    return { status: 204 };
  };

  const answer = (request: ParsedRequest): FakeAnswer => {
    const once = queued.shift();
    if (once) return once;
    if (request.token !== FAKE_TOKEN) return refusal(401, 'UNAUTHENTICATED', 'Unknown token.');
    const [slug, what, id] = request.path.replace(/^\/admin\/v1\/tenants\/?/, '').split('/');
    return what === 'api-keys'
      ? respondToKeys(slug!, id, request)
      : respondToTenants(slug || undefined, request);
  };

  const server = createServer((request, response) => {
    void readJson(request).then((body) => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, path: url, headers, body });
      const { pathname, searchParams } = new URL(url, 'http://fake');
      const token = headers.authorization?.replace(/^Bearer /, '');
      const {
        status,
        body: answered,
        headers: more,
      } = answer({
        method,
        path: pathname,
        query: searchParams,
        body,
        token,
      });
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(typeof answered === 'string' ? answered : JSON.stringify(answered));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: FAKE_TOKEN,
    requests,
    addTenant,
    addKey,
    keysOf: (slug) => keys.get(slug) ?? [],
    tenants: () => [...tenants.values()],
    answerOnce: (given) => void queued.push(given),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

interface ParsedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly token: string | undefined;
}

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
};
