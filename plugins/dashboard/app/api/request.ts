import { asApiError, errorOf } from './api-error.ts';
import { csrfToken, endSession } from '../session.ts';
import { confirmIdentity } from '../step-up.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface RequestOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Previews a write: the answer is a `DryRun`. */
  readonly isDryRun?: boolean;
  /** The ETag of the version that a write changes. */
  readonly ifMatch?: string;
}

/** An address with its parameters; empty ones are left out. */
export const withQuery = (path: string, query: Query = {}): string => {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
};

const send = async (method: Method, path: string, options: RequestOptions): Promise<Response> => {
  const { query, body, signal, isDryRun = false, ifMatch } = options;
  const headers = new Headers({ accept: 'application/json' });
  if (method !== 'GET') {
    headers.set('content-type', 'application/json');
    headers.set('x-csrf-token', csrfToken());
  }
  if (isDryRun) headers.set('prefer', 'dry-run');
  if (ifMatch !== undefined) headers.set('if-match', ifMatch);
  return await fetch(withQuery(`/admin/v1${path}`, query), {
    method,
    headers,
    credentials: 'same-origin',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
};

/**
 * Sends a request to the operators' API; the path begins behind `/admin/v1`. Rejects with an
 * ApiError, or with the AbortError of the signal. If the gateway asks for a fresh sign-in, so does
 * the dashboard, and then sends the request again.
 */
export const request = async <Body = unknown>(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<Body> => {
  try {
    const response = await send(method, path, options);
    if (response.status === 204) return undefined as Body;
    if (response.ok) return (await response.json()) as Body;
    throw await errorOf(response);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    const problem = asApiError(error);
    if (problem.status === 401 && path !== '/session') endSession();
    if (problem.code === 'STEP_UP_REQUIRED' && (await confirmIdentity()))
      return await request<Body>(method, path, options);
    throw problem;
  }
};

/** A path inside a tenant. */
export const inTenant = (slug: string, path = ''): string =>
  `/tenants/${encodeURIComponent(slug)}${path}`;
