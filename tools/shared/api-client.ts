import { request } from 'undici';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiResponse {
  readonly status: number;
  /** The body as received. */
  readonly text: string;
  /** Parses the body; throws if it is not JSON. */
  readonly json: () => unknown;
  readonly ms: number;
}

interface RequestOptions {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends JSON with one bearer token. */
export interface ApiClient {
  readonly token: string;
  /** Resolves with any status; rejects if there was no response. */
  readonly send: (method: Method, path: string, options?: RequestOptions) => Promise<ApiResponse>;
  /** Rejects if the status is not this one. */
  readonly expect: (
    status: number,
    method: Method,
    path: string,
    body?: object,
  ) => Promise<ApiResponse>;
  /** POSTs something new; resolves with its id. */
  readonly create: (path: string, body: object) => Promise<string>;
}

const TIMEOUT_MS = 120_000;

/** `base` is read for each request, since a gateway that was replaced has another port. */
export const createApiClient = (base: () => string, token: string): ApiClient => {
  const send: ApiClient['send'] = async (method, path, { body, headers } = {}) => {
    const began = performance.now();
    const response = await request(base() + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const text = await response.body.text();
    return {
      status: response.statusCode,
      text,
      json: () => JSON.parse(text) as unknown,
      ms: performance.now() - began,
    };
  };
  const expect: ApiClient['expect'] = async (status, method, path, body) => {
    const response = await send(method, path, { body });
    if (response.status === status) return response;
    throw new Error(
      `${method} ${path}: expected ${status}, got ${response.status} ${response.text}`,
    );
  };
  return {
    token,
    send,
    expect,
    create: async (path, body) => {
      const created = await expect(201, 'POST', path, body);
      return (created.json() as { readonly id: string }).id;
    },
  };
};
