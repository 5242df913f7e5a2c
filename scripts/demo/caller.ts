import got, { type Method } from 'got';
import { DemoFailure } from './demo-failure.js';
import type { Stage } from './stage.js';

/** An answer's JSON, as far as the demo looks into it. */
export interface Answered {
  readonly id?: string;
  readonly slug?: string;
  readonly key?: string;
  readonly secret?: string;
  readonly error?: string;
  readonly active?: boolean;
  readonly displayName?: string;
  readonly display_name?: string;
  readonly totalResults?: number;
  readonly total?: number;
  readonly Resources?: readonly Answered[];
  readonly seat_capacity?: number | null;
  readonly seats_provisioned?: number;
  readonly delivered?: boolean;
  readonly commands?: readonly { readonly events: { readonly last_seq: number } | null }[];
  readonly [field: string]: unknown;
}

export interface Asking {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Any other status ends the demo. */
  readonly expect: number;
  readonly say: (answer: Answered) => string;
}

/** Somebody who sends requests with one key. */
export type Caller = (method: Method, path: string, asking: Asking) => Promise<Answered>;

export interface CallerIdentity {
  readonly name: string;
  /** What all its paths are relative to. */
  readonly base: string;
  readonly token: string;
  readonly isScim?: boolean;
}

/** Counts what all callers of a run have sent. */
export interface Tally {
  requests: number;
}

export const createCaller = (
  { name, base, token, isScim = false }: CallerIdentity,
  stage: Stage,
  tally: Tally,
): Caller => {
  const client = got.extend({
    headers: {
      authorization: `Bearer ${token}`,
      'user-agent': `rollgate-demo (${name})`,
      accept: isScim ? 'application/scim+json' : 'application/json',
      ...(isScim && { 'content-type': 'application/scim+json; charset=utf-8' }),
    },
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    timeout: { request: 15_000 },
  });
  return async (method, path, { body, query, expect, say }) => {
    const began = performance.now();
    const response = await client(`${base}${path}`, {
      method,
      ...(body !== undefined && { json: body }),
      ...(query && { searchParams: query }),
    }).catch((error: unknown) => {
      throw new DemoFailure(`No answer from ${base}: ${String(error)}`);
    });
    const answer = readJson(response.body);
    const shown = `${path}${query ? `?${asTyped(query)}` : ''}`;
    const ms = Math.round(performance.now() - began);
    tally.requests += 1;
    const { statusCode: status } = response;
    const outcome = status === expect ? say(answer) : `expected ${expect}`;
    stage.request({ who: name, method, path: shown, status, ms, outcome });
    if (status !== expect) throw unexpected(`${method} ${path}`, expect, response.body);
    return answer;
  };
};

/** As a person reads it, not as it travels. */
const asTyped = (query: Readonly<Record<string, string | number>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

const readJson = (text: string): Answered => {
  if (text === '') return {};
  try {
    return JSON.parse(text) as Answered;
  } catch {
    throw new DemoFailure(`The gateway answered what is no JSON: ${text.slice(0, 200)}`);
  }
};

const unexpected = (what: string, expected: number, body: string): DemoFailure =>
  new DemoFailure(`${what} should have been answered with ${expected}: ${body.slice(0, 400)}`);
