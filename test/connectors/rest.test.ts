import { createVerify, generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import rest from '../../connectors/rest/index.js';
import type { ReadMessage } from '../../src/plugin/api.js';
import { runConnectorContract } from '../../src/plugin/testing.js';
import {
  ADA,
  ALAN,
  type ApiStyle,
  GRACE,
  PAGES,
  PAGE_SIZE,
  type PeopleApi,
  startPeopleApi,
} from './people-api.js';
import { recordsOf, startSource, type TestedSource } from './start-source.js';
import { hasBasic, tooMany, type VendorAnswer } from './vendor-server.js';

const KEY = 'key-of-the-source-1234';
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const people = { path: '/people', at: 'data', id: 'id' };
const bearer = { type: 'bearer', token: KEY };
const withBearer: Pick<ApiStyle, 'accepts'> = {
  accepts: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
};
const tokenOf = (
  isValid: (form: URLSearchParams) => boolean,
): Pick<ApiStyle, 'accepts' | 'token'> => ({
  ...withBearer,
  token: ({ body }) =>
    isValid(new URLSearchParams(body))
      ? { body: { access_token: KEY, expires_in: 3_600, token_type: 'Bearer' } }
      : { status: 401, body: { error: 'invalid_client' } },
});

const isSigned = (form: URLSearchParams): boolean => {
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  return (
    createVerify('RSA-SHA256')
      .update(`${header}.${claims}`)
      .verify(publicKey, signature, 'base64url') &&
    (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string }).iss === 'robot'
  );
};

interface Variant {
  readonly title: string;
  readonly style: ApiStyle;
  readonly settings: (url: string) => Record<string, unknown>;
  readonly bad?: (url: string) => Record<string, unknown>;
  /** Absent: the records come in several pages. */
  readonly isOneResponse?: true;
}

/** Each way of paging, each format and each authentication at least once. */
const VARIANTS: readonly Variant[] = [
  {
    title: 'pages by number until one is empty, a bearer token',
    style: { page: PAGES.page, ...withBearer },
    settings: () => ({
      people: { ...people, total: 'meta.total' },
      paging: { by: 'page' },
      auth: bearer,
    }),
    bad: () => ({
      people,
      paging: { by: 'page' },
      auth: { ...bearer, token: 'another-token-of-someone' },
    }),
  },
  {
    title: 'pages by number, a number of pages, HTTP Basic',
    style: { page: PAGES.pages, accepts: (request) => hasBasic(request, 'robot', KEY) },
    settings: () => ({
      people,
      paging: { by: 'page', pages: 'meta.pages' },
      auth: { type: 'basic', user: 'robot', password: KEY },
    }),
    bad: () => ({ people, auth: { type: 'basic', user: 'robot', password: 'another-password' } }),
  },
  {
    title: 'pages by offset, a key in a header',
    style: {
      page: PAGES.offset,
      accepts: ({ headers }) => headers['x-api-key'] === `Token ${KEY}`,
    },
    settings: () => ({
      people,
      paging: { by: 'offset' },
      auth: { type: 'apiKey', name: 'X-API-Key', key: KEY, prefix: 'Token ' },
    }),
    bad: () => ({
      people,
      auth: { type: 'apiKey', name: 'X-API-Key', key: 'another-key-of-someone' },
    }),
  },
  {
    title: 'a cursor in the response, a key in the query',
    style: { page: PAGES.cursor, accepts: ({ query }) => query.get('key') === KEY },
    settings: () => ({
      people,
      paging: { by: 'cursor', at: 'meta.next' },
      auth: { type: 'apiKey', in: 'query', name: 'key', key: KEY },
    }),
    bad: () => ({
      people,
      auth: { type: 'apiKey', in: 'query', name: 'key', key: 'another-key-of-someone' },
    }),
  },
  {
    title: 'a POST with the cursor in its body, a token by client credentials in the body',
    style: {
      page: PAGES.cursor,
      ...tokenOf((form) => form.get('client_secret') === KEY && form.get('scope') === 'people'),
    },
    settings: (url) => ({
      people: { ...people, method: 'POST', body: { page: { size: PAGE_SIZE } } },
      paging: { by: 'cursor', parameter: 'page.cursor', at: 'meta.next' },
      parametersIn: 'body',
      auth: {
        type: 'oauth',
        tokenUrl: `${url}/token`,
        clientId: 'robot',
        clientSecret: KEY,
        scope: 'people',
        sendAs: 'body',
      },
    }),
    bad: (url) => ({
      people,
      auth: {
        type: 'oauth',
        tokenUrl: `${url}/token`,
        clientId: 'robot',
        clientSecret: 'another-secret',
        sendAs: 'body',
      },
    }),
  },
  {
    title: 'the header Link, a token for a signed JWT',
    style: { page: PAGES.link, ...tokenOf(isSigned) },
    settings: (url) => ({
      people: { path: 'people', id: 'id' },
      paging: { by: 'link' },
      auth: {
        type: 'jwt',
        tokenUrl: `${url}/token`,
        privateKey,
        issuer: 'robot',
        subject: 'admin',
      },
    }),
    bad: (url) => ({
      people,
      auth: { type: 'jwt', tokenUrl: `${url}/token`, privateKey, issuer: 'another-robot' },
    }),
  },
  {
    title: 'the address of the next page in the response',
    style: { page: PAGES.nextLink },
    settings: () => ({ people, paging: { by: 'link', at: 'next' } }),
  },
  {
    title: 'XML',
    style: { page: PAGES.xml },
    settings: () => ({
      people: { path: '/people', at: 'people.list.person', id: '@id' },
      format: 'xml',
      paging: { by: 'page' },
    }),
  },
  {
    title: 'NDJSON',
    style: { page: PAGES.ndjson },
    settings: () => ({ people: { path: '/people', id: 'id' }, format: 'ndjson' }),
    isOneResponse: true,
  },
  {
    title: 'CSV',
    style: { page: PAGES.csv },
    settings: () => ({
      people: { path: '/people', id: 'id' },
      format: 'csv',
      csv: { delimiter: ';' },
    }),
    isOneResponse: true,
  },
  {
    title: 'details of each person',
    style: { page: PAGES.page },
    settings: () => ({
      people,
      paging: { by: 'page' },
      detail: { path: '/people/{id}', at: 'person', parallel: 2 },
    }),
  },
];

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
});

for (const { title, style, settings, bad, isOneResponse } of VARIANTS) {
  const api = await startPeopleApi(style);
  stops.push(api.stop);
  const always = (answer: VendorAnswer) => () => api.always(/people$/, answer);
  const complete = (more: Record<string, unknown>) => ({ baseUrl: `${api.url}/v1`, ...more });
  describe(`an API with ${title}`, () => {
    for (const { title, run } of runConnectorContract(rest, {
      settings: () => complete(settings(api.url)),
      ...(bad && {
        badSettings: () => complete(bad(api.url)),
        signIns: () => api.requests.length,
      }),
      ids: ['1', '2', '3'],
      canContinue: isOneResponse !== true,
      limitOnce: (retryAfter) => api.interrupt(tooMany({ 'retry-after': retryAfter })),
      hang: always(() => new Promise(() => undefined)),
      breakages: {
        'a status 500': always({ status: 500 }),
        'a status 503 for ever': always({ status: 503 }),
        'a response that is cut': always({ body: '{"data": [{"id": "1", "' }),
        'another form': always({ body: { rows: [] } }),
        'a page of a proxy': always({ body: '<html>Sign in <b>"now"</html>' }),
        'no permission': always({ status: 403 }),
        'a connection that breaks': always(async (response) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9999' });
          await new Promise((resolve) => response.write('{"data": [', resolve));
          response.destroy();
        }),
      },
      change: () => {
        api.people = [{ ...ADA, lastName: 'King' }, GRACE, ALAN];
        return { changed: ['1'], undo: () => (api.people = [ADA, GRACE, ALAN]) };
      },
    }))
      it(title, run);
  });
}

const opened: PeopleApi[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ stop }) => stop()));
});

const start = async (style: ApiStyle, settings: (url: string) => Record<string, unknown>) => {
  const api = await startPeopleApi(style);
  opened.push(api);
  const source = await startSource(rest, { baseUrl: `${api.url}/v1`, ...settings(api.url) });
  return { api, source };
};

const cursorOf = (messages: readonly ReadMessage[]) => {
  const last = messages.at(-1);
  return last?.type === 'complete' ? last.cursor : null;
};

describe('changes', () => {
  const changes = { parameter: 'since', overlap: '1h' };

  it('are selected since the start of the last read, with the overlap', async () => {
    const { api, source } = await start({ page: PAGES.link }, () => ({
      people: { path: '/people', id: 'id' },
      paging: { by: 'link' },
      changes,
    }));
    const cursor = cursorOf(await source.readAll());
    api.people = [ADA, GRACE, { ...ALAN, lastName: 'T.', updatedAt: '2026-11-22T11:30:00.000Z' }];

    const delta = await source.readAll({ mode: 'delta', cursor });

    expect(recordsOf(delta)).toEqual(new Map([['3', expect.objectContaining({ lastName: 'T.' })]]));
    expect(api.requests.at(-1)!.query.get('since')).toBe('2026-11-22T11:00:00.000Z');
  });

  it.each([
    ['date', '2026-11-22'],
    ['seconds', '1795345200'],
    ['milliseconds', '1795345200000'],
  ])('as %s', async (format, expected) => {
    const { api, source } = await start({ page: PAGES.none }, () => ({
      people: { path: '/people', id: 'id' },
      changes: { ...changes, format, template: 'after {since}' },
    }));
    const cursor = cursorOf(await source.readAll());
    await source.readAll({ mode: 'delta', cursor });
    expect(api.requests.at(-1)!.query.get('since')).toBe(`after ${expected}`);
  });

  it('end with people who were deleted, from a list', async () => {
    const { api, source } = await start({ page: PAGES.none }, () => ({
      people: { path: '/people', id: 'id' },
      changes,
      deleted: { path: '/deleted', id: '.' },
    }));
    const cursor = cursorOf(await source.readAll());
    api.people = [ADA, { ...GRACE, deleted: true, updatedAt: '2026-11-22T11:30:00.000Z' }];
    const delta = await source.readAll({ mode: 'delta', cursor });
    expect(delta).toContainEqual({ type: 'tombstone', id: '2' });
  });

  it('have a mark for people who were deleted, also in a full read', async () => {
    const { api, source } = await start({ page: PAGES.none }, () => ({
      people: { path: '/people', id: 'id' },
      deleted: { field: 'deleted' },
    }));
    api.people = [ADA, { ...GRACE, deleted: true }];
    const messages = await source.readAll();
    expect(messages).toContainEqual({ type: 'tombstone', id: '2' });
    expect([...recordsOf(messages).keys()]).toEqual(['1']);
  });
});

it('adds details to each record', async () => {
  const { source } = await start({ page: PAGES.page }, () => ({
    people,
    paging: { by: 'page' },
    detail: { path: '/people/{id}', at: 'person', as: 'details' },
  }));
  expect(recordsOf(await source.readAll()).get('2')).toMatchObject({
    email: 'grace@example.com',
    details: { team: 'Team 2' },
  });
});

it('requests a token once, and another one if it is refused', async () => {
  const { api, source } = await start({ page: PAGES.none, ...tokenOf(() => true) }, (url) => ({
    people: { path: '/people', id: 'id' },
    auth: { type: 'oauth', tokenUrl: `${url}/token`, clientId: 'robot', clientSecret: KEY },
  }));
  const tokens = () => api.requests.filter(({ path }) => path === '/token').length;
  await source.readAll();
  expect(tokens()).toBe(1);
  await source.readAll();
  expect(tokens()).toBe(1);
  api.interrupt({ status: 401 });
  await source.readAll();
  expect(tokens()).toBe(2);
});

it('spreads its requests', async () => {
  const { source } = await start({ page: PAGES.page }, () => ({
    people,
    paging: { by: 'page' },
    requestsPerMinute: 60,
  }));
  await source.readAll();
  expect(source.clock.pauses).toEqual([1_000, 1_000]);
});

describe('a mistake in the settings ends the read with a sentence', () => {
  const failureOf = async (
    settings: Record<string, unknown>,
    page: ApiStyle['page'] = PAGES.page,
  ) => {
    const { source } = await start({ page }, () => settings);
    return source.readAll().then(
      () => expect.unreachable(),
      (error: unknown) => (error as Error).message.replace(/127\.0\.0\.1:\d+/, 'host'),
    );
  };

  it.each([
    [
      'a list that is somewhere else',
      { people: { ...people, at: 'items' } },
      'The API at host sent no response with a list at "items"; it has "data", "meta". Check `people.at`.',
    ],
    [
      'a list that is the response',
      { people: { path: '/people', id: 'id' } },
      'The API at host sent no response that is a list; it has "data", "meta". Check `people.at`.',
    ],
    [
      'a parameter that the source does not know',
      { people, paging: { by: 'page', parameter: 'p' } },
      'The API at host sent the same page twice. Check `paging`: it may not know the parameter "p".',
    ],
    [
      'a number of pages that is somewhere else',
      { people, paging: { by: 'page', pages: 'meta.count' } },
      'The response has no number at "meta.count". Check `paging.pages`.',
    ],
    [
      'a mark of the last page that is somewhere else',
      { people, paging: { by: 'cursor', at: 'meta.total', more: 'meta.more' } },
      'The response has neither true nor false at "meta.more". Check `paging.more`.',
    ],
    [
      'a path that does not exist',
      { people: { ...people, path: '/staff' } },
      'The API at host responded with 404. Check `baseUrl`, `people.path` and `detail.path`.',
    ],
  ])('%s', async (_, settings, message) => {
    expect(await failureOf(settings)).toBe(message);
  });

  it('a text of the source is shown', async () => {
    const { api, source } = await start({ page: PAGES.page, accepts: () => false }, () => ({
      people,
      error: 'errors.0.message',
    }));
    await expect(source.readAll()).rejects.toMatchObject({
      message: `The API at ${new URL(api.url).host} responded with 401 (Wrong credentials). Check the credentials.`,
    });
  });

  it('an id that no record has', async () => {
    const settings = { people: { path: '/people', id: 'uuid' } };
    expect(await failureOf(settings, PAGES.none)).toBe(
      'Each record of a page has no id of up to 200 characters at "uuid"; it has "id", "email", ' +
        '"firstName", "lastName", "updatedAt". Check `people.id`.',
    );
  });

  it('a key that is no key', async () => {
    const { source } = await start({ page: PAGES.none }, (url) => ({
      people,
      auth: { type: 'jwt', tokenUrl: `${url}/token`, privateKey: 'not-a-key', issuer: 'robot' },
    }));
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'config' });
  });

  it('the next page at another host gets no credentials', async () => {
    const { api, source } = await start(
      { page: () => ({ body: { data: [ADA], next: 'http://localhost:1/people' } }), ...withBearer },
      () => ({ people, paging: { by: 'link', at: 'next' }, auth: bearer }),
    );
    await expect(source.readAll()).rejects.toMatchObject({
      message: expect.stringContaining('which gets no credentials') as string,
    });
    expect(api.requests).toHaveLength(1);
  });

  it.each([
    ['a GET with a body', { people: { ...people, body: {} } }],
    ['parameters in the body of a GET', { people, parametersIn: 'body' }],
    ['a list in CSV', { people, format: 'csv' }],
    ['details without an id', { people, detail: { path: '/people' } }],
    ['changes without a time', { people, changes: { parameter: 'since', template: 'x' } }],
  ])('%s', (_, settings) => {
    const { success } = rest.settings!.safeParse({ baseUrl: 'https://example.com', ...settings });
    expect(success).toBe(false);
  });
});

it('reports a record without an id, and reads the others', async () => {
  const { source } = await start(
    { page: () => ({ body: [ADA, { email: 'x@example.com' }] }) },
    () => ({
      people: { path: '/people', id: 'id' },
    }),
  );
  expect(await source.readAll()).toMatchObject([
    { type: 'record', id: '1' },
    { type: 'recordError' },
    { type: 'complete' },
  ]);
});

describe('XML', () => {
  const read = async (body: string) => {
    const { source } = await start({ page: () => ({ body }) }, () => ({
      people: { path: '/people', at: 'people.list.person', id: '@id' },
      format: 'xml',
    }));
    return source.readAll();
  };

  it('is an object for each element', async () => {
    const person =
      '<person id="7"><mail kind="work">a@example.com</mail><tag>x</tag><tag>y</tag><none/></person>';
    const records = recordsOf(await read(`<people><list>${person}</list></people>`));
    expect(records.get('7')).toEqual({
      '@id': '7',
      id: '7',
      mail: { '@kind': 'work', '#text': 'a@example.com' },
      tag: ['x', 'y'],
      none: '',
    });
  });

  it('may have nobody', async () => {
    expect(await read('<people><list/></people>')).toEqual([{ type: 'complete', cursor: null }]);
  });

  it('has no document type', async () => {
    const body = '<!DOCTYPE people [<!ENTITY a "aaaa">]><people><list>&a;</list></people>';
    await expect(read(body)).rejects.toMatchObject({ kind: 'schema' });
  });
});

it('finds the fields of the first page', async () => {
  const { source } = await start({ page: PAGES.page }, () => ({ people }));
  const { signal } = new AbortController();
  expect(await source.discover!(signal)).toContainEqual({ path: 'firstName', type: 'string' });
  expect(await source.check(signal)).toMatchObject({ ok: true });
});

describe('a read that may not be whole', () => {
  const warningsOf = ({ log }: TestedSource) => log.filter(({ level }) => level === 'warn');
  const cursor = { by: 'cursor', at: 'meta.next' };
  const failureOf = async (page: ApiStyle['page'], settings: Record<string, unknown>) => {
    const { source } = await start({ page }, () => settings);
    return source.readAll().then(
      () => undefined,
      (error: unknown) => (error as Error).message.replace(/127\.0\.0\.1:\d+/, 'host'),
    );
  };
  const pageWith =
    (more: object): ApiStyle['page'] =>
    () => ({
      body: { data: [ADA, GRACE], ...more },
    });

  it('fails with fewer people than the total, and names the place of the next page', async () => {
    const settings = { people: { ...people, total: 'total' }, paging: cursor };
    expect(await failureOf(pageWith({ total: 3, next: 'x' }), settings)).toBe(
      'The API at host says that there are 3 people, but sent 2; there was no further page at ' +
        '"meta.next". Check `paging`, and what the credentials may read.',
    );
  });

  it('fails if the total changes between pages by number, which may hide a person', async () => {
    const { api, source } = await start({ page: PAGES.page }, () => ({
      ...{ people: { ...people, total: 'meta.total' }, paging: { by: 'page' } },
    }));
    const reading = source.read(source.request());
    await reading[Symbol.asyncIterator]().next();
    api.people = [GRACE, ALAN];
    await expect(
      (async () => {
        for await (const _ of reading);
      })(),
    ).rejects.toMatchObject({ kind: 'network' });
  });

  it('fails if the first page is full, and the parent of the next place is not there', async () => {
    const settings = { people, paging: cursor, pageSize: { parameter: 'size', value: 2 } };
    expect(await failureOf(pageWith({ links: {} }), settings)).toBe(
      'The first page is full (2 people), and nothing is at "meta.next", where the next page is ' +
        'expected; it has "data", "links". Check `paging.at`.',
    );
  });

  it('warns if the first page is full, and the last name of the place is not there', async () => {
    const { source } = await start({ page: pageWith({ meta: {} }) }, () => ({
      ...{ people, paging: cursor, pageSize: { parameter: 'size', value: 2 } },
    }));
    expect(recordsOf(await source.readAll()).size).toBe(2);
    expect(warningsOf(source)).toMatchObject([
      { level: 'warn', message: expect.stringContaining('"meta.next"') as string },
    ]);
  });

  it('takes an explicit null for the last page', async () => {
    const { source } = await start({ page: pageWith({ meta: { next: null } }) }, () => ({
      ...{ people, paging: cursor, pageSize: { parameter: 'size', value: 2 } },
    }));
    expect(recordsOf(await source.readAll()).size).toBe(2);
    expect(warningsOf(source)).toEqual([]);
  });

  it('follows an empty page with a next link', async () => {
    const { api, source } = await start({ page: PAGES.nextLink }, () => ({
      ...{ people, paging: { by: 'link', at: 'next' } },
    }));
    api.interrupt({ body: { data: [], next: '/v1/people?from=0' } });
    expect(recordsOf(await source.readAll()).size).toBe(3);
  });

  it.each([400, 404, 410])('starts again if a later page is refused (%i)', async (status) => {
    const { api, source } = await start({ page: PAGES.cursor }, () => ({
      ...{ people, paging: cursor },
    }));
    api.interrupt(undefined, { status });
    await expect(source.readAll()).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringContaining('reads from the start') as string,
    });
  });

  it('fails if no one has a field that someone must have', async () => {
    const settings = { people: { ...people, required: ['email', 'salary'] } };
    expect(await failureOf(pageWith({}), settings)).toBe(
      "The API at host sent no person's salary. Let the credentials read it, or correct " +
        '`people.required`.',
    );
  });
});

describe('a person without details', () => {
  const detailed = (more: object = {}) =>
    start({ page: PAGES.page }, () => ({
      ...{ people, paging: { by: 'page' } },
      detail: { path: '/people/{id}', at: 'person', parallel: 1, ...more },
    }));

  it.each([404, 410])('is put aside alone, as no one may have left (%i)', async (status) => {
    const { api, source } = await detailed();
    api.interrupt(undefined, { status });
    expect(await source.readAll()).toMatchObject([
      { type: 'recordError', id: '1' },
      { type: 'record', id: '2' },
      { type: 'checkpoint' },
      { type: 'record', id: '3' },
      { type: 'checkpoint' },
      { type: 'complete' },
    ]);
  });

  it('ends the read if the settings say so', async () => {
    const { api, source } = await detailed({ required: true });
    api.interrupt(undefined, { status: 404 });
    await expect(source.readAll()).rejects.toMatchObject({ kind: 'config' });
  });

  it('ends the read if a whole page has none: the path is wrong', async () => {
    const { source } = await detailed({ path: '/persons/{id}' });
    await expect(source.readAll()).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('`detail.path`') as string,
    });
  });
});

it('reads a list of any size as it arrives', async () => {
  const { source } = await start({ page: PAGES.offset }, () => ({
    people: { ...people, stream: true },
  }));
  expect(recordsOf(await source.readAll()).size).toBe(PAGE_SIZE);
});

describe('the characters of a response', () => {
  /** Latin-1, with characters that only windows-1252 has. */
  const latin1 = (text: string): Buffer => Buffer.from(text.replace('–', '\x96'), 'latin1');
  const NAME = 'Müller –';
  const json = JSON.stringify([{ id: '1', name: NAME }]);
  const xml = `<people><person><id>1</id><name>${NAME}</name></person></people>`;
  const declared = `<?xml version="1.0" encoding="ISO-8859-1"?>\n${xml}`;
  const list = { path: '/people', id: 'id' };
  const inXml = { format: 'xml', people: { ...list, at: 'people.person' } };
  const inStream = { people: { ...list, at: 'data', stream: true } };

  const answer = async (settings: object, type: string, body: Uint8Array, status = 200) => {
    const { source } = await start(
      {
        page: () => (response) => {
          response.writeHead(status, { 'content-type': type });
          response.end(body);
        },
      },
      () => ({ people: list, ...settings }),
    );
    return source.readAll();
  };

  it.each<[string, object, string, Uint8Array]>([
    ['JSON in UTF-8', {}, 'application/json', Buffer.from(json)],
    ['JSON with a byte order mark', {}, 'application/json', Buffer.from(`\ufeff${json}`)],
    ['JSON in UTF-16', {}, 'application/json', Buffer.from(`\ufeff${json}`, 'utf16le')],
    ['JSON in Latin-1', {}, 'application/json; charset=ISO-8859-1', latin1(json)],
    ['JSON with a quoted charset', {}, 'application/json;charset="Latin1"', latin1(json)],
    ['a stream', inStream, 'application/json; charset=latin1', latin1(`{"data":${json}}`)],
    ['NDJSON', { format: 'ndjson' }, 'text/plain; charset=cp1252', latin1(json.slice(1, -1))],
    ['CSV', { format: 'csv' }, 'text/csv; charset=windows-1252', latin1(`id,name\n1,${NAME}\n`)],
    ['XML that declares it', inXml, 'application/xml', latin1(declared)],
    ['XML whose header says UTF-8', inXml, 'text/xml; charset=utf-8', Buffer.from(declared)],
  ])('are decoded as it declares them: %s', async (_, settings, type, body) => {
    const [record] = recordsOf(await answer(settings, type, body)).values();
    expect(record).toMatchObject({ name: NAME });
  });

  it.each<[string, object, string, Uint8Array]>([
    ['JSON', {}, 'application/json', latin1(json)],
    ['a stream', inStream, 'application/json', latin1(`{"data":${json}}`)],
    ['half a character', {}, 'application/json', Buffer.from([0x31, 0xc3])],
    ['NDJSON', { format: 'ndjson' }, 'application/x-ndjson', latin1(json.slice(1, -1))],
    ['CSV', { format: 'csv' }, 'text/csv; charset=us-ascii', latin1(`id,name\n1,${NAME}\n`)],
    ['XML', inXml, 'application/xml', latin1(xml)],
  ])('end the read if they are not in it: %s', async (_, settings, type, body) => {
    await expect(answer(settings, type, body)).rejects.toMatchObject({
      kind: 'schema',
      message: expect.stringContaining('is not valid UTF-8') as string,
    });
  });

  it('end the read if it declares a charset that does not exist', async () => {
    await expect(answer({}, 'text/json; charset=klingon', latin1(json))).rejects.toMatchObject({
      message: expect.stringContaining('the charset "klingon"') as string,
    });
  });

  it('do not hide an error of the source', async () => {
    await expect(answer({}, 'text/html', latin1('Zugriff für Müller'), 403)).rejects.toMatchObject({
      kind: 'permission',
    });
  });
});

describe('numbers that are ids', () => {
  const IDS = ['1234567890123456788', '1234567890123456789', '-9007199254740993'];
  const people = IDS.map(
    (id, at) => `{"id":${id},"note":"a \\" ${id}","pay":${at}.1234567890123456789}`,
  );

  it.each<[string, object, string]>([
    ['JSON', {}, `[${people.join()}]`],
    ['NDJSON', { format: 'ndjson' }, people.join('\n')],
    [
      'a stream',
      { people: { path: '/people', at: 'data', id: 'id', stream: true } },
      `{"data":[${people.join()}]}`,
    ],
  ])('keep all digits: %s', async (_, settings, body) => {
    const { source } = await start({ page: () => ({ body }) }, () => ({
      people: { path: '/people', id: 'id' },
      ...settings,
    }));
    const records = recordsOf(await source.readAll());
    expect([...records.keys()]).toEqual(IDS);
    expect(records.get(IDS[1]!)).toEqual({
      id: IDS[1],
      note: `a " ${IDS[1]}`,
      pay: 1.1234567890123457,
    });
  });
});

it.each<[number, Record<string, string>, string]>([
  [206, {}, 'a part of the list (206)'],
  [200, { 'content-range': 'items 0-1/3' }, 'a part of the list (Content-Range: items 0-1/3)'],
  [304, {}, 'responded with 304. The list has not changed'],
])('does not take a part of a list for all of it: %s %j', async (status, headers, message) => {
  const { source } = await start(
    { page: () => ({ status, headers, body: status === 304 ? '' : [ADA, GRACE] }) },
    () => ({ people: { path: '/people', id: 'id' } }),
  );
  await expect(source.readAll()).rejects.toMatchObject({
    message: expect.stringContaining(message) as string,
  });
});

it('continues a delta after a crash with the same selection', async () => {
  const { api, source } = await start({ page: PAGES.link }, () => ({
    ...{ people: { path: '/people', id: 'id' }, paging: { by: 'link' } },
    changes: { parameter: 'since', overlap: '0s' },
  }));
  const delta = { mode: 'delta', cursor: { since: '2026-01-01T00:00:00.000Z' } } as const;
  const whole = await source.readAll(delta);
  const [checkpoint] = whole.filter(({ type }) => type === 'checkpoint');
  const cursor = checkpoint?.type === 'checkpoint' ? checkpoint.cursor : null;
  const after = await source.readAll({ ...delta, cursor, isResumed: true });
  expect(after).toEqual(whole.slice(-2));
  expect(api.requests.every(({ query }) => query.has('since'))).toBe(true);
});

it('requests single people by id, if there is such a request', async () => {
  const { api, source } = await start({ page: PAGES.page }, () => ({
    people: { ...people, one: { path: '/people/{id}', at: 'person' } },
  }));
  expect(await source.readAll({ ids: ['2', '9'] })).toMatchObject([
    { type: 'record', id: '2', data: { team: 'Team 2' } },
    { type: 'recordError', id: '9' },
    { type: 'complete', cursor: null },
  ]);
  expect(api.requests.map(({ path }) => path)).toEqual(['/v1/people/2', '/v1/people/9']);
});

it('sends dates relative to today', async () => {
  const { api, source } = await start({ page: PAGES.none }, () => ({
    people: { path: '/people', id: 'id', query: { from: '{today-30}', to: '{today+1}' } },
  }));
  await source.readAll();
  expect(api.requests[0]!.rawQuery).toBe('?from=2026-10-23&to=2026-11-23');
});
