import type { ItemView } from '../../plugins/connectors/operate/views.js';
import { createApiClient, type Method } from '../shared/api-client.js';
import type { Output } from './output.js';

/** The demo cannot continue. The message is for the user; there is no stack trace. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

export const check = (holds: boolean, problem: string): void => {
  if (!holds) throw new DemoError(problem);
};

/** The fields of a JSON response that the demo reads. */
export interface ResponseBody {
  readonly id?: string;
  readonly key?: string;
  readonly secret?: string;
  readonly error?: string;
  readonly active?: boolean;
  readonly role?: string;
  readonly displayName?: string;
  readonly display_name?: string;
  readonly total?: number;
  readonly totalResults?: number;
  readonly Resources?: readonly ResponseBody[];
  readonly rooms?: readonly ResponseBody[];
  readonly members?: readonly { readonly user_id: string; readonly tx_permission: boolean }[];
  readonly member_count?: number;
  readonly seat_capacity?: number | null;
  readonly seats_provisioned?: number;
  readonly delivered?: boolean;
  readonly ok?: boolean;
  readonly items?: readonly ItemView[];
  readonly commands?: readonly { readonly events: { readonly last_seq: number } | null }[];
}

export interface DemoRequest {
  readonly body?: object;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Any other status ends the demo. */
  readonly expect: number;
  readonly describe: (response: ResponseBody) => string;
}

/** Sends requests with one key and prints them. */
export type DemoClient = (
  method: Method,
  path: string,
  request: DemoRequest,
) => Promise<ResponseBody>;

export interface ClientOptions {
  readonly name: string;
  /** The base URL of all its paths. */
  readonly base: string;
  readonly token: string;
  readonly isScim?: boolean;
}

/** Counts the requests of all clients. */
export interface RequestCount {
  requests: number;
}

const SCIM_HEADERS = {
  accept: 'application/scim+json',
  'content-type': 'application/scim+json; charset=utf-8',
};

export const createDemoClient = (
  { name, base, token, isScim = false }: ClientOptions,
  output: Output,
  count: RequestCount,
): DemoClient => {
  const client = createApiClient(() => base, token);
  const headers = { 'user-agent': `rollgate-demo (${name})`, ...(isScim && SCIM_HEADERS) };
  return async (method, path, { body, query, expect, describe }) => {
    const response = await client
      .send(method, query ? `${path}?${encode(query)}` : path, { body, headers })
      .catch((error: unknown) => {
        throw new DemoError(`No response from ${base}: ${String(error)}`);
      });
    count.requests += 1;
    const { status, text } = response;
    const json = text === '' ? {} : (response.json() as ResponseBody);
    const outcome = status === expect ? describe(json) : `expected ${expect}`;
    const readable = query ? `${path}?${format(query)}` : path;
    const ms = Math.round(response.ms);
    output.request({ client: name, method, path: readable, status, ms, outcome });
    if (status === expect) return json;
    throw new DemoError(`${method} ${path}: expected ${expect}, got ${text.slice(0, 400)}`);
  };
};

type Query = NonNullable<DemoRequest['query']>;

const encode = (query: Query): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** For people: not encoded. */
const format = (query: Query): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
