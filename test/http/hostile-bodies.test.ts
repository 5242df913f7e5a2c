import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/routes/route.js';
import { type PendingResponse, requestTo } from '../support/ask.js';
import { expectQuick } from '../support/expect-quick.js';
import { ADMIN_TOKEN, openEdge } from '../support/edge.js';
import { pathOf, ALL_ROUTES, titleOf, verbOf } from '../support/route-requests.js';

let fake = await openEdge();

interface Hostile {
  readonly body: string | Buffer;
  readonly type?: string;
  readonly encoding?: string;
  readonly status: number;
  readonly code: string;
}

const json = (body: string | Buffer, code = 'INVALID_JSON', status = 400): Hostile => ({
  body,
  status,
  code,
});

const ROWS: Readonly<Record<string, Hostile>> = {
  'an empty body': json(''),
  'blanks alone': json('  '),
  '400,000 nested arrays': json('['.repeat(400_000)),
  '100,000 nested objects in a field': json(`{"email":${'{"a":'.repeat(100_000)}`),
  'a key given twice': json('{"email":"a@b.c","email":"x@y.z"}'),
  'a key given twice, once escaped': json(String.raw`{"email":"a@b.c","\u0065mail":"x@y.z"}`),
  'invalid UTF-8': json(Buffer.from([0x22, 0xc3, 0x28, 0x22])),
  'an overlong encoding': json(Buffer.from([0x22, 0xc0, 0xaf, 0x22])),
  'a surrogate in UTF-8': json(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])),
  'a zero character': json(String.raw`{"email":"a\u0000@b.c"}`, 'INVALID_REQUEST'),
  'a lone surrogate': json(String.raw`{"email":"a\ud800@b.c"}`, 'INVALID_REQUEST'),
  'a delete character': json('{"email":"a\u007f@b.c"}', 'INVALID_REQUEST'),
  // Without the brackets, it would set the prototype.
  ['__proto__']: json('{"__proto__":{"polluted":true}}', 'INVALID_REQUEST'),
  'constructor.prototype': json(
    '{"constructor":{"prototype":{"polluted":true}}}',
    'INVALID_REQUEST',
  ),
  'an operator of the database': json(
    '{"email":{"$ne":null},"name":{"$ne":null}}',
    'INVALID_REQUEST',
  ),
  'an unknown field': json('{"surprise":1}', 'INVALID_REQUEST'),
  'a list for an object': json('[]', 'INVALID_REQUEST'),
  'null for an object': json('null', 'INVALID_REQUEST'),
  'no JSON': json('email=a@b.c'),
  'half a body': json('{"email":"a@b.c"'),
  'UTF-16 with a mark': json(
    Buffer.from('\ufeff{"a":1}', 'utf16le'),
    'UNSUPPORTED_MEDIA_TYPE',
    415,
  ),
  'UTF-16 without a mark': json(Buffer.from('{"a":1}', 'utf16le'), 'UNSUPPORTED_MEDIA_TYPE', 415),
  'text/plain': { ...json('{}', 'UNSUPPORTED_MEDIA_TYPE', 415), type: 'text/plain' },
  'a form': {
    ...json('a=b', 'UNSUPPORTED_MEDIA_TYPE', 415),
    type: 'application/x-www-form-urlencoded',
  },
  'another charset': {
    ...json('{}', 'UNSUPPORTED_MEDIA_TYPE', 415),
    type: 'application/json; charset=utf-16',
  },
  'a gzip bomb': {
    ...json(gzipSync(Buffer.alloc(50_000_000)), 'UNSUPPORTED_MEDIA_TYPE', 415),
    encoding: 'gzip',
  },
  'an unknown content coding': {
    ...json('{}', 'UNSUPPORTED_MEDIA_TYPE', 415),
    encoding: 'br, x-none',
  },
};

const MEBIBYTE = 1024 * 1024;

/** A body that is too long for a route is refused before it is read. */
const atMost = (bodyLimit: number, hostile: Hostile): Hostile =>
  hostile.status === 400 && hostile.body.length > bodyLimit
    ? { ...hostile, status: 413, code: 'PAYLOAD_TOO_LARGE' }
    : hostile;

/** Of routes that take CSV. */
const CSV_ROWS: Readonly<Record<string, Hostile>> = {
  'an empty body': ROWS['an empty body']!,
  'a file of blanks': json('  \n', 'INVALID_REQUEST'),
  'a file of separators': json(';'.repeat(8_000_000), 'INVALID_REQUEST'),
  'a file of line breaks': json('\n'.repeat(8_000_000), 'INVALID_REQUEST'),
  'a file of quotes': json('"'.repeat(8_000_001), 'INVALID_REQUEST'),
  'invalid UTF-8': ROWS['invalid UTF-8']!,
  'UTF-16 with a mark': ROWS['UTF-16 with a mark']!,
  'another charset': { ...ROWS['another charset']!, type: 'text/csv; charset=utf-16' },
  'a gzip bomb': ROWS['a gzip bomb']!,
  JSON: { ...json('{}', 'UNSUPPORTED_MEDIA_TYPE', 415), type: 'application/json' },
};

const withBody = ALL_ROUTES.filter(({ body }) => body);

/** The parser is the same for all routes: one route of each limit gets all bodies, the others these. */
const EVERYWHERE = ['no JSON', 'a key given twice', 'an unknown field', 'text/plain'];
const getsAll = new Set(
  [
    ...new Map(
      withBody.filter(({ isCsv }) => !isCsv).map((route) => [route.bodyLimit, route]),
    ).values(),
  ].map(titleOf),
);

/** Bodies that the route refuses, and one that is a byte too long for it. */
const rowsOf = (route: Route): readonly (readonly [string, Hostile])[] => {
  const { bodyLimit = MEBIBYTE } = route;
  const rows = Object.entries(route.isCsv ? CSV_ROWS : ROWS)
    .filter(([kind]) => route.isCsv || getsAll.has(titleOf(route)) || EVERYWHERE.includes(kind))
    .map(([kind, hostile]) => [kind, atMost(bodyLimit, hostile)] as const);
  const tooLong = json(`"${'a'.repeat(bodyLimit - 1)}"`, 'PAYLOAD_TOO_LARGE', 413);
  return [...rows, [`a body of more than ${bodyLimit / MEBIBYTE} MiB`, tooLong]];
};

const sendTo = (
  route: Route,
  { body, type, encoding = 'identity' }: Pick<Hostile, 'body' | 'type' | 'encoding'>,
) => {
  const sent = requestTo(fake.app)[verbOf(route)](pathOf(route));
  return sent
    .set('Authorization', `Bearer ${route.api === 'native' ? fake.key : ADMIN_TOKEN}`)
    .set('Content-Type', type ?? (route.isCsv ? 'text/csv' : 'application/json'))
    .set('Content-Encoding', encoding)
    .serialize((unchanged: unknown) => unchanged as string)
    .send(body);
};

describe.each(withBody.map((route) => [titleOf(route), route] as const))('%s', (_title, route) => {
  it.each(rowsOf(route))('refuses %s', async (_kind, hostile) => {
    const before = fake.submissions.length;
    const answer = await sendTo(route, hostile);
    expect([answer.status, (answer.body as { error: string }).error]).toEqual([
      hostile.status,
      hostile.code,
    ]);
    expect(fake.submissions).toHaveLength(before);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

/** So long that a quadratic parser takes a hundred times as long as the request, and not hours. */
const LONG = 64 * 1024;

const LONG_CSV: Readonly<Record<string, string>> = {
  separators: ';'.repeat(LONG),
  'line breaks': '\n'.repeat(LONG),
  quotes: '"'.repeat(LONG + 1),
  blanks: ' '.repeat(LONG),
};

describe('a body of CSV', () => {
  const route = withBody.find(({ isCsv }) => isCsv);
  it.each(Object.entries(LONG_CSV))(
    'of %s is refused as quickly as any text of its length',
    async (_what, body) => {
      if (!route) throw new Error('No route takes such a body.');
      await expectQuick(
        () => sendTo(route, { body }),
        () => sendTo(route, { body: `"${'a'.repeat(body.length)}"` }),
      );
    },
  );
});

/** Operations without a body, except GET (RFC 9110, 9.3.1). */
const withoutBody = ALL_ROUTES.filter(({ body, method }) => !body && method !== 'GET');

describe.each(withoutBody.map((route) => [titleOf(route), route] as const))(
  '%s, which has no body,',
  (_title, route) => {
    const send = (body: string) => {
      const sent = requestTo(fake.app)[verbOf(route)](pathOf(route));
      return sent
        .set('Authorization', `Bearer ${route.api === 'native' ? fake.key : ADMIN_TOKEN}`)
        .set('Content-Type', 'application/json')
        .serialize((given: unknown) => given as string)
        .send(body);
    };

    it.each([
      ['a field', '{"force":true}', 'INVALID_REQUEST', 'force'],
      ['a list', '[1]', 'INVALID_REQUEST', ''],
    ])('refuses %s', async (_kind, text, error, path) => {
      const before = fake.submissions.length;
      const { status, body } = await send(text);
      expect([status, body]).toMatchObject([400, { error, details: [{ path }] }]);
      expect(fake.submissions).toHaveLength(before);
    });

    // The parser is the same for all routes: one of them gets the rest.
    if (route !== withoutBody[0]) return;

    const bare = () => {
      const sent = requestTo(fake.app)[verbOf(route)](pathOf(route));
      return sent.set('Authorization', `Bearer ${route.api === 'native' ? fake.key : ADMIN_TOKEN}`);
    };
    const outcomeOf = async (sent: PendingResponse) => {
      const { status, body } = await sent;
      // It may have deleted the tenant.
      if (status < 400) fake = await openEdge();
      return [status, (body as { error?: string }).error];
    };
    let outcomeWithout: unknown;
    beforeAll(async () => {
      outcomeWithout = await outcomeOf(bare());
      expect(outcomeWithout).toContainEqual(expect.toSatisfy((status) => Number(status) < 500));
    });

    it('refuses malformed JSON', async () => {
      expect((await send('{"force":')).body).toMatchObject({ error: 'INVALID_JSON' });
    });

    it('treats empty chunks as no body: HTTP/2 proxies send them', async () => {
      const chunked = bare().set('Transfer-Encoding', 'chunked');
      expect(await outcomeOf(chunked)).toEqual(outcomeWithout);
    });

    it('refuses another media type', async () => {
      const { status } = await send('force=true').set('Content-Type', 'text/plain');
      expect(status).toBe(415);
    });

    it('ignores an empty object, which some clients always send', async () => {
      expect(await outcomeOf(send('{}'))).toEqual(outcomeWithout);
    });
  },
);

const post = (body: string | Buffer, type: string) =>
  requestTo(fake.app)
    .post('/v1/acme/users')
    .set('Authorization', `Bearer ${fake.key}`)
    .set('Content-Type', type)
    .serialize((given: unknown) => given as string)
    .send(body);

describe('POST /users accepts', () => {
  it.each([
    ['plain JSON', 'application/json'],
    ['JSON with a charset', 'application/json;charset=UTF-8'],
    ['JSON with a quoted charset', 'Application/JSON; charset="utf-8"; x=y'],
    ['SCIM JSON', 'application/scim+json'],
  ])('%s', async (kind, type) => {
    const email = `${kind.replaceAll(' ', '-')}@example.com`;
    expect((await post(JSON.stringify({ email }), type)).status).toBe(201);
  });

  it('a body labelled ISO-8859-1, and reads it as UTF-8', async () => {
    const answer = await post(
      '{"email":"label@example.com","display_name":"Zoë"}',
      'application/scim+json; charset=ISO-8859-1',
    );
    expect(answer.body).toMatchObject({ display_name: 'Zoë' });
  });

  it('a body that starts with a byte order mark', async () => {
    expect((await post('\ufeff{"email":"mark@example.com"}', 'application/json')).status).toBe(201);
  });

  it('a chunked body, and refuses one that becomes too large', async () => {
    const chunked = async (parts: readonly string[]) => {
      const sent = requestTo(fake.app)
        .post('/v1/acme/users')
        .set('Authorization', `Bearer ${fake.key}`)
        .set('Content-Type', 'application/json')
        .set('Transfer-Encoding', 'chunked');
      for (const part of parts) sent.write(part);
      return sent;
    };
    expect((await chunked(['{"email":', '"chunks@example.com"}'])).status).toBe(201);
    const large = await chunked(Array.from({ length: 20 }, () => 'a'.repeat(100_000)));
    expect([large.status, large.body]).toMatchObject([413, { error: 'PAYLOAD_TOO_LARGE' }]);
  });
});

describe('a query', () => {
  const get = (query: string) =>
    requestTo(fake.app).get(`/v1/acme/users?${query}`).set('Authorization', `Bearer ${fake.key}`);

  it.each([
    ['limit[$gt]=1', ''],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=%201', 'limit'],
    ['limit=', 'limit'],
    ['limit=-1', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=1.5', 'offset'],
    ['limit=5&limit=6', 'limit'],
    ['active=yes', 'active'],
    ['active=TRUE', 'active'],
    ['email=', 'email'],
    [`q=${'a'.repeat(257)}`, 'q'],
    ['q=%00', 'q'],
    ['surprise=1', 'surprise'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
  ])('%s is refused, by name if that is plain', async (query, path) => {
    const { status, body } = await get(query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'INVALID_REQUEST', details: [{ path }] });
  });

  it.each(['q=%ff', 'q=%', 'q=%E0%A4%A', '%ff=1'])(
    '%s is refused as badly encoded',
    async (query) => {
      const { status, body } = await get(query);
      expect([status, body]).toMatchObject([400, { error: 'INVALID_REQUEST' }]);
    },
  );

  it('is refused on a route without parameters', async () => {
    const { status } = await requestTo(fake.app)
      .get('/v1/acme/me?x=1')
      .set('Authorization', `Bearer ${fake.key}`);
    expect(status).toBe(400);
  });

  it('is decoded: plus signs and percent-encoding', async () => {
    await post('{"email":"plus@example.com","display_name":"Ada Ünal"}', 'application/json');
    const { body } = await get('q=ada+%C3%BCn');
    expect((body as { total: number }).total).toBe(1);
  });
});

describe('a path', () => {
  it('with bad percent-encoding is 400', async () => {
    const { status, body } = await requestTo(fake.app)
      .get('/v1/acme/users/%E0%A4%A')
      .set('Authorization', `Bearer ${fake.key}`);
    expect([status, body]).toMatchObject([400, { error: 'INVALID_REQUEST' }]);
  });
});
