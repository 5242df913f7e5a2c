import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, TestGateway, type TestTenant } from '../support/gateway.js';
import { ALL_ROUTES } from '../support/route-requests.js';

const gateway = TestGateway.use(() => ({ ROLLGATE_RATE_LIMIT: '1000000' }));
const dispatcher = new Agent({ connections: 1 });

interface Target {
  readonly method: string;
  readonly path: string;
  readonly interface: 'native' | 'operators' | 'SCIM';
  /** If the route has one of its own. */
  readonly bodyLimit?: number | undefined;
}

let url: string;
let hostile: TestTenant;
let neighbour: TestTenant;
let userId: string;
let webhookId: string;
let adminToken: string;

beforeAll(async () => {
  ({ url, adminToken } = await gateway.open());
  hostile = await gateway.tenant({}, [...ALL_SCOPES, 'connectors:push']);
  neighbour = await gateway.tenant();
  const user = await hostile.scim<{ id: string }>('POST', '/Users', { userName: 'ada' });
  const hook = { url: 'https://hooks.example.com/', events: ['sms_list.deleted'] };
  const webhook = await hostile.native<{ id: string }>('POST', '/webhooks', hook);
  [userId, webhookId] = [user.body.id, webhook.body.id];
  targets.push(...(await documentedTargets()), ...scimTargets());
});
afterAll(() => dispatcher.close());

// ── Routes that read a body ──────────────────────────────────────────────────────────────────────

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}
type Operations = Readonly<Record<string, Operation>>;

const LIMITS = new Map(
  ALL_ROUTES.map(({ api, method, path, bodyLimit }) => [
    `${method} ${api === 'native' ? '/v1/{tenantSlug}' : '/admin/v1'}${path}`,
    bodyLimit,
  ]),
);

/** All routes with a JSON body in the OpenAPI document, including those of plugins. */
const documentedTargets = async (): Promise<readonly Target[]> => {
  const { body } = await request(`${url}/openapi.json`);
  const { paths } = (await body.json()) as { readonly paths: Readonly<Record<string, Operations>> };
  // Token requests are forms, and their errors are those of RFC 6749 (access-tokens.test.ts).
  const routes = Object.entries(paths).filter(([path]) => !path.endsWith('/oauth2/token'));
  return routes.flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { requestBody }]) => requestBody && !('text/csv' in requestBody.content))
      .map(([method]) => ({
        method: method.toUpperCase(),
        path: fillIn(path),
        interface: interfaceOf(path),
        bodyLimit: LIMITS.get(`${method.toUpperCase()} ${path}`),
      })),
  );
};

const interfaceOf = (path: string): Target['interface'] => {
  if (path.startsWith('/admin')) return 'operators';
  return path.includes('/scim/v2') ? 'SCIM' : 'native';
};

const fillIn = (path: string): string =>
  path
    .replace(/\{(tenantSlug|slug)\}/g, hostile.slug)
    .replace('/webhooks/{id}', `/webhooks/${webhookId}`)
    .replace(/\{\w+\}/g, userId);

const scimTargets = (): readonly Target[] =>
  [`/v1/${hostile.slug}`, `/v1/${hostile.slug}/scim/v2`].flatMap((base) =>
    [
      ['POST', '/Users'],
      ['PUT', `/Users/${userId}`],
      ['PATCH', `/Users/${userId}`],
      ['POST', '/.search'],
      ['POST', '/Users/.search'],
    ].map(([method, path]) => ({ method: method!, path: base + path!, interface: 'SCIM' })),
  );

const targets: Target[] = [];

// ── Input ────────────────────────────────────────────────────────────────────────────────────────

interface HostileInput {
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly status: number;
  /**
   * The interfaces that must refuse it, if not all; SCIM ignores unknown attributes (RFC 7644,
   * 3.3).
   */
  readonly at?: readonly Target['interface'][];
  readonly methods?: readonly string[];
}

const NATIVE = ['native', 'operators'] as const;
const SCIM = ['SCIM'] as const;
const refused = (body: string | Buffer, more: Partial<HostileInput> = {}): HostileInput => ({
  body,
  status: 400,
  ...more,
});
const unsupported = (
  body: string | Buffer,
  headers: HostileInput['headers'] = {},
): HostileInput => ({
  body,
  headers,
  status: 415,
});
const withValue = (value: string): string =>
  `{"userName":${value},"email":${value},"name":${value},"url":${value},"Operations":${value},"filter":${value},"slug":${value},"description":${value},"display_name":${value}}`;
const search = (filter: string): HostileInput =>
  refused(JSON.stringify({ schemas: [], userName: '', filter }), { at: SCIM });
const operations = (list: readonly object[], status = 400): HostileInput =>
  refused(JSON.stringify({ Operations: list }), { at: SCIM, methods: ['PATCH'], status });

const INPUTS: Readonly<Record<string, HostileInput>> = {
  'not JSON': refused('email=a@b.c'),
  'half a body': refused('{"email":"a@b.c"'),
  '400,000 nested arrays': refused('['.repeat(400_000)),
  '100,000 nested objects in a field': refused(`{"email":${'{"a":'.repeat(100_000)}`),
  // Whole-list PUTs may be longer (decisions.md 3).
  'a body of 2 MB': refused(`"${'a'.repeat(2 << 20)}"`, {
    status: 413,
    at: NATIVE,
    methods: ['POST', 'PATCH'],
  }),
  'a body of 9 MB': refused(`"${'a'.repeat(9 << 20)}"`, { status: 413 }),
  'a gzip bomb': unsupported(gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }),
  // In brackets, because otherwise it would set the prototype of the object.
  ['__proto__']: refused('{"__proto__":{"polluted":true},"userName":"a"}'),
  'constructor.prototype': refused('{"constructor":{"prototype":{"polluted":true}}}'),
  'a MongoDB operator': refused(withValue('{"$ne":null}')),
  'a duplicate key': refused('{"userName":"a","email":"a@b.c","email":"x@y.z"}'),
  'invalid UTF-8': refused(Buffer.from('{"userName":"\u00c3("}', 'latin1')),
  'a zero character': refused(withValue(String.raw`"a\u0000"`)),
  'a lone surrogate': refused(withValue(String.raw`"a\ud800"`)),
  'UTF-16 with a byte order mark': unsupported(Buffer.from('\ufeff{"a":1}', 'utf16le')),
  'UTF-16 without a byte order mark': unsupported(Buffer.from('{"a":1}', 'utf16le')),
  'text/plain': unsupported('{}', { 'content-type': 'text/plain' }),
  'a number that overflows': refused(withValue('1e400')),
  'a list': refused('[]'),
  null: refused('null'),
  'bad percent-encoding': refused('{}', { query: '?q=%E0%A4%A' }),
  'a MongoDB operator in the query': refused('{}', { query: '?limit[$gt]=1', at: NATIVE }),
  'a prototype in the query': refused('{}', { query: '?__proto__[polluted]=1', at: NATIVE }),
  'a URL of 20,000 characters': refused('{}', {
    query: `?q=${'a'.repeat(20_000)}`,
    status: 431,
  }),
  '16,384 characters of headers': refused('{}', {
    headers: { 'x-long': 'a'.repeat(16_384) },
    status: 431,
  }),
  'a filter of 10,000 terms': search(Array(10_000).fill('id pr').join(' or ')),
  'a filter with 500 levels': search(`${'('.repeat(500)}id pr${')'.repeat(500)}`),
  'a filter with an unclosed string': search(`userName eq "${'\\'.repeat(100_001)}`),
  'a filter on a prototype': search('name.__proto__.polluted eq "x"'),
  'a filter that calls a function': search('hasOwnProperty.call eq "x"'),
  '10,000 operations': operations(
    Array(10_000).fill({ op: 'add', path: 'title', value: 'x' }),
    413,
  ),
  'a path to a prototype': operations([{ op: 'add', path: 'name.__proto__.polluted', value: 'x' }]),
  'a value filter on a prototype': operations([
    { op: 'add', path: 'emails[__proto__.polluted eq "x"].value', value: 'x' },
  ]),
  'a path with 500 levels': operations([
    { op: 'remove', path: `emails[${'('.repeat(500)}value pr${')'.repeat(500)}]` },
  ]),
};

const TYPES = ['application/json', 'application/scim+json'];

// ── Responses ────────────────────────────────────────────────────────────────────────────────────

const send = async (target: Target, input: HostileInput, type: string) => {
  const token = target.interface === 'operators' ? adminToken : hostile.key;
  const { statusCode, body } = await request(url + target.path + (input.query ?? ''), {
    dispatcher,
    method: target.method as 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': type, ...input.headers },
    body: input.body ?? null,
  });
  return { status: statusCode, body: await body.json() };
};

const appliesTo = ({ at, methods }: HostileInput, target: Target): boolean =>
  (at?.includes(target.interface) ?? true) && (methods?.includes(target.method) ?? true);

/** Routes with short bodies refuse a long one before they read it. */
const statusOf = ({ body = '', status }: HostileInput, { bodyLimit = Infinity }: Target): number =>
  status === 400 && body.length > bodyLimit ? 413 : status;

describe('hostile input', () => {
  it.each(Object.entries(INPUTS))(
    'is refused by every route with a body, and does not affect another tenant: %s',
    async (_kind, input) => {
      for (const target of targets.filter((one) => appliesTo(input, one)))
        // Sending bodies that are too long takes the most time.
        for (const type of input.status === 413 ? TYPES.slice(1) : TYPES) {
          const { status, body } = await send(target, input, type);
          const where = `${target.method} ${target.path} as ${type}`;
          expect({ where, status }).toEqual({ where, status: statusOf(input, target) });
          expect(body).toHaveProperty('error');
          expect(body).toHaveProperty('request_id');
          expect((await neighbour.native('GET', '/me')).status).toBe(200);
        }
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );

  it('leaves no data behind', async () => {
    const { body } = await hostile.native<{ users: unknown[] }>('GET', '/users');
    expect(body.users).toHaveLength(1);
    const webhooks = await hostile.native('GET', '/webhooks');
    expect(webhooks.body).toMatchObject({ total: 1 });
    expect(targets.length).toBeGreaterThan(15);
  });
});
