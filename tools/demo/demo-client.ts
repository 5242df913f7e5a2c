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

/** Sends requests with one key and prints them. A status other than the expected one ends the demo. */
export type DemoClient = (
  method: Method,
  path: string,
  expected: number,
  describe: string | ((response: ResponseBody) => string),
  body?: object,
) => Promise<ResponseBody>;

const SCIM_HEADERS = {
  accept: 'application/scim+json',
  'content-type': 'application/scim+json; charset=utf-8',
};

/** `base` is the URL of all its paths; `count` counts the requests of all clients. */
export const createDemoClient = (
  { name, base, token }: { readonly name: string; readonly base: string; readonly token: string },
  output: Output,
  count: { requests: number },
): DemoClient => {
  const client = createApiClient(() => base, token);
  const isScim = base.endsWith('/scim/v2');
  const headers = { 'user-agent': `rollgate-demo (${name})`, ...(isScim && SCIM_HEADERS) };
  return async (method, path, expected, describe, body) => {
    const response = await client.send(method, path, { body, headers }).catch((error: unknown) => {
      throw new DemoError(`No response from ${base}: ${String(error)}`);
    });
    count.requests += 1;
    const { status, text } = response;
    const json = text === '' ? {} : (response.json() as ResponseBody);
    const description = typeof describe === 'string' ? describe : describe(json);
    output.request({
      ...{ client: name, method, path: decodeURIComponent(path), status },
      ms: Math.round(response.ms),
      outcome: status === expected ? description : `expected ${expected}`,
    });
    if (status === expected) return json;
    throw new DemoError(`${method} ${path}: expected ${expected}, got ${text.slice(0, 400)}`);
  };
};
