import {
  type ConnectorHost,
  createAccessTokens,
  readSourceJson,
  SourceError,
  type SourceRequest,
  type SourceResponse,
  z,
} from '../../src/plugin/api.js';
import { Employment, Person } from './record.js';
import type { PersonioSettings } from './settings.js';

const SOURCE = 'Personio';
const MAX_PAGE = 50;

/** A page of persons. */
export interface PersonPage {
  readonly persons: readonly Person[];
  /** Undefined on the last page. */
  readonly next: string | undefined;
  /** When Personio sent it, by its own clock. */
  readonly sentAt: Date | undefined;
}

/** Which page of persons to read. */
export interface PersonQuery {
  readonly cursor?: string | undefined;
  /** Only persons who were updated after this moment. */
  readonly updatedAfter?: string | undefined;
  readonly pageSize: number;
}

/** The requests to Personio that the connector uses. */
export interface PersonioClient {
  readonly persons: (query: PersonQuery, signal: AbortSignal) => Promise<PersonPage>;
  /** Undefined: there is no such person. */
  readonly person: (id: string, signal: AbortSignal) => Promise<Person | undefined>;
  /** Undefined: there is no such person. */
  readonly employments: (
    personId: string,
    signal: AbortSignal,
  ) => Promise<readonly Employment[] | undefined>;
}

const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    _data: z.array(item),
    _meta: z
      .object({
        links: z.object({ next: z.object({ href: z.string().nullish() }).nullish() }).nullish(),
      })
      .nullish(),
  });

const Persons = listOf(Person);
const Employments = listOf(Employment);

export const createClient = (host: ConnectorHost<PersonioSettings>): PersonioClient => {
  const { http, settings } = host;
  const base = settings.baseUrl.replace(/\/$/, '');
  const pace = createPace(host);
  const headers = {
    accept: 'application/json',
    'x-personio-app-id': settings.appId,
    ...(settings.partnerId !== undefined && { 'x-personio-partner-id': settings.partnerId }),
  };

  const withToken = createAccessTokens(host, {
    source: SOURCE,
    request: async (signal) => {
      await pace(signal);
      return {
        url: `${base}/v2/auth/token`,
        headers,
        form: {
          grant_type: 'client_credentials',
          client_id: settings.clientId,
          client_secret: settings.clientSecret.reveal(),
        },
      };
    },
    refused: ({ status }) =>
      new SourceError(
        'auth',
        `Personio refused the API credentials (${status}). Check clientId and clientSecret.`,
      ),
  });

  const get = (
    path: string,
    query: NonNullable<SourceRequest['query']>,
    signal: AbortSignal,
  ): Promise<SourceResponse> =>
    withToken(async (bearer) => {
      await pace(signal);
      return http.get({ url: `${base}/v2${path}`, query, headers, auth: { bearer }, signal });
    }, signal);

  return {
    persons: async ({ cursor, updatedAfter, pageSize }, signal) => {
      const query = {
        limit: Math.min(pageSize, MAX_PAGE),
        ...(cursor !== undefined && { cursor }),
        ...(updatedAfter !== undefined && { 'updated_at.gt': updatedAfter }),
      };
      const response = await get('/persons', query, signal);
      const { _data: persons, _meta: meta } = readSourceJson(
        response,
        Persons,
        contextOf(response),
      );
      const sent = new Date(response.headers['date'] ?? '');
      return {
        persons,
        next: cursorOf(meta?.links?.next?.href),
        sentAt: Number.isNaN(sent.getTime()) ? undefined : sent,
      };
    },
    person: async (id, signal) => {
      const response = await get(`/persons/${encodeURIComponent(id)}`, {}, signal);
      if (response.status === 404) return undefined;
      const one = z.union([Person, z.object({ _data: Person }).transform(({ _data }) => _data)]);
      return readSourceJson(response, one, contextOf(response));
    },
    employments: async (personId, signal) => {
      const path = `/persons/${encodeURIComponent(personId)}/employments`;
      const all: Employment[] = [];
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
        const query = { limit: MAX_PAGE, ...(cursor !== undefined && { cursor }) };
        const response = await get(path, query, signal);
        if (response.status === 404) return undefined;
        const page = readSourceJson(response, Employments, contextOf(response));
        all.push(...page._data);
        const next = cursorOf(page._meta?.links?.next?.href);
        if (next !== undefined && next === cursor) throw stuck();
        cursor = next;
      }
      return all;
    },
  };
};

/** The pages do not advance. */
export const stuck = (): SourceError =>
  new SourceError('schema', 'Personio sent the same page twice: its cursor does not advance.');

/**
 * The cursor of a link to the next page. The rest of the link is not used: it may be relative, and its
 * path may be wrong. A `+` stays one: cursors are base64.
 */
const cursorOf = (href: string | null | undefined): string | undefined => {
  const query = href?.split('#', 1)[0]?.split('?', 2)[1] ?? '';
  const value = query.split('&').find((parameter) => parameter.startsWith('cursor='));
  return value === undefined ? undefined : decodeURIComponent(value.slice('cursor='.length));
};

/** Waits until the next request is within the rate. */
const createPace = ({ clock, settings }: ConnectorHost<PersonioSettings>) => {
  const interval = 60_000 / settings.requestsPerMinute;
  let next = 0;
  return async (signal: AbortSignal | undefined): Promise<void> => {
    const now = clock.now().getTime();
    const wait = next - now;
    next = Math.max(now, next) + interval;
    // A clock that was set back must not stop it.
    if (wait > 0) await clock.sleep(Math.min(wait, interval), signal);
  };
};

/** The longest error that is looked at, in characters. */
const MAX_PROBLEM = 65_536;

const Problem = z.object({
  personio_trace_id: z.string().optional(),
  errors: z.array(z.object({ title: z.string().optional() })).optional(),
});

const contextOf = ({ status, body }: SourceResponse) => {
  const detail = status >= 400 ? detailOf(body) : undefined;
  return {
    source: SOURCE,
    hints: {
      403: 'Give the API credentials read access to employees and the attributes of the mapping.',
    },
    ...(detail !== undefined && { detail }),
  };
};

/** The title of an error and the id that Personio's support asks for. */
const detailOf = (body: string): string | undefined => {
  if (body.length > MAX_PROBLEM) return undefined;
  try {
    const { personio_trace_id: trace, errors } = Problem.parse(JSON.parse(body));
    return [errors?.[0]?.title, trace && `trace ${trace}`].filter(Boolean).join(', ') || undefined;
  } catch {
    return undefined;
  }
};
