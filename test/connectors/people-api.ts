import {
  startVendor,
  type VendorAnswer,
  type VendorRequest,
  type VendorServer,
} from './vendor-server.js';

/** A person of the API; `updatedAt` is what a selection of changes compares. */
export interface ApiPerson {
  readonly id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly updatedAt: string;
  readonly deleted?: boolean;
}

/** How an API answers: its pages, its format and its credentials. */
export interface ApiStyle {
  readonly page: (people: readonly ApiPerson[], request: VendorRequest) => VendorAnswer;
  /** Whether a request has the credentials. */
  readonly accepts?: (request: VendorRequest) => boolean;
  /** Answers a request for a token. */
  readonly token?: (request: VendorRequest) => VendorAnswer;
}

/** An HTTP API of people at /v1/people, /v1/people/{id} and /v1/deleted. */
export interface PeopleApi extends VendorServer {
  people: readonly ApiPerson[];
}

export const ADA: ApiPerson = {
  id: '1',
  email: 'Ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  updatedAt: '2026-11-01T08:00:00.000Z',
};
export const GRACE: ApiPerson = {
  id: '2',
  email: 'grace@example.com',
  firstName: 'Grace',
  lastName: 'Hopper',
  updatedAt: '2026-11-02T08:00:00.000Z',
};
export const ALAN: ApiPerson = {
  id: '3',
  email: 'alan@example.com',
  firstName: 'Alan',
  lastName: 'Turing',
  updatedAt: '2026-11-03T08:00:00.000Z',
};

export const PAGE_SIZE = 2;

/** Starts an API with Ada, Grace and Alan. */
export const startPeopleApi = async ({ page, accepts, token }: ApiStyle): Promise<PeopleApi> => {
  const api = { people: [ADA, GRACE, ALAN] as readonly ApiPerson[] };
  const server = await startVendor((request) => {
    if (request.path === '/token' && token) return token(request);
    if (accepts && !accepts(request))
      return { status: 401, body: { errors: [{ message: 'Wrong credentials' }] } };
    const since = request.query.get('since');
    const changed = api.people.filter(({ updatedAt }) => since === null || updatedAt > since);
    const id = /^\/v1\/people\/(.+)$/.exec(request.path)?.[1];
    if (id !== undefined) {
      const found = api.people.find((person) => person.id === decodeURIComponent(id));
      return found ? { body: { person: { ...found, team: `Team ${id}` } } } : { status: 404 };
    }
    if (request.path === '/v1/deleted')
      return { body: changed.filter(({ deleted }) => deleted).map(({ id }) => id) };
    return request.path === '/v1/people' ? page(changed, request) : { status: 404, body: {} };
  });
  return Object.assign(api, server);
};

const numberOf = (request: VendorRequest, name: string, otherwise: number): number =>
  Number(request.query.get(name) ?? otherwise);

/** The pages that APIs have, each of two people. */
export const PAGES = {
  none: (people) => ({ body: people }),
  page: (people, request) => {
    const at = (numberOf(request, 'page', 1) - 1) * PAGE_SIZE;
    return { body: { data: people.slice(at, at + PAGE_SIZE), meta: { total: people.length } } };
  },
  pages: (people, request) => {
    const at = (numberOf(request, 'page', 1) - 1) * PAGE_SIZE;
    const pages = Math.ceil(people.length / PAGE_SIZE);
    return { body: { data: people.slice(at, at + PAGE_SIZE), meta: { pages } } };
  },
  offset: (people, request) => {
    const at = numberOf(request, 'offset', 0);
    return { body: { data: people.slice(at, at + PAGE_SIZE) } };
  },
  cursor: (people, request) => {
    const sent = request.body === '' ? request.query.get('cursor') : bodyCursor(request.body);
    const at = Number(sent ?? 0);
    const next = at + PAGE_SIZE < people.length ? at + PAGE_SIZE : null;
    return { body: { data: people.slice(at, at + PAGE_SIZE), meta: { next } } };
  },
  link: (people, request) => {
    const at = numberOf(request, 'from', 0);
    const next = at + PAGE_SIZE;
    const host = request.headers.host ?? '';
    const query = request.query.has('since') ? `&since=${request.query.get('since') ?? ''}` : '';
    return {
      headers: {
        link: [
          `<http://${host}/v1/people?from=0>; rel="first"`,
          ...(next < people.length
            ? [`<http://${host}/v1/people?from=${next}${query}>; rel="next"`]
            : []),
        ].join(', '),
      },
      body: people.slice(at, at + PAGE_SIZE),
    };
  },
  nextLink: (people, request) => {
    const at = numberOf(request, 'from', 0);
    const next = at + PAGE_SIZE < people.length ? `/v1/people?from=${at + PAGE_SIZE}` : '';
    return { body: { data: people.slice(at, at + PAGE_SIZE), next } };
  },
  ndjson: (people) => ({ body: people.map((one) => `${JSON.stringify(one)}\n`).join('') }),
  csv: (people) => ({
    body: [
      'id;email;firstName;lastName',
      ...people.map((one) => [one.id, one.email, one.firstName, `"${one.lastName}"`].join(';')),
      '',
    ].join('\r\n'),
  }),
  xml: (people, request) => {
    const at = (numberOf(request, 'page', 1) - 1) * PAGE_SIZE;
    const elements = people
      .slice(at, at + PAGE_SIZE)
      .map(
        (one) =>
          `<p:person id="${one.id}"><email>${one.email}</email><name><first>${one.firstName}</first>` +
          `<last>${one.lastName}</last></name></p:person>`,
      );
    return {
      body: `<?xml version="1.0"?><people xmlns:p="urn:p"><list>${elements.join('')}</list></people>`,
    };
  },
} satisfies Readonly<Record<string, ApiStyle['page']>>;

const bodyCursor = (body: string): number | null =>
  (JSON.parse(body) as { page?: { cursor?: number } }).page?.cursor ?? null;
