import got, { RequestError, type Method, type Response } from 'got';
import { z } from 'zod';
import { VERSION } from '../version.js';
import { CliError, EXIT } from './cli-error.js';
import type { GatewayAccess } from './gateway-access.js';

export interface GatewayResponse {
  readonly status: number;
  /** The body, unchanged. */
  readonly text: string;
}

export interface RequestParts {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Calls one API of one gateway; rejects with a CliError. */
export interface GatewayClient {
  /** The path is relative to the API's. Resolves for 2xx only. */
  readonly request: (
    method: Method,
    path: string,
    parts?: RequestParts,
  ) => Promise<GatewayResponse>;
}

const TIME_LIMIT_MS = 30_000;

export const createGatewayClient = (access: GatewayAccess, api: string): GatewayClient => ({
  request: async (method, path, { query, body } = {}) => {
    const address = `${access.url}${api}${path}`;
    const response = await got(address, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${access.token}`,
        'user-agent': `rollgate-cli/${VERSION}`,
      },
      ...(query && { searchParams: query as Record<string, string> }),
      ...(body !== undefined && { json: body }),
      // The credential is sent to the given address only.
      followRedirect: false,
      throwHttpErrors: false,
      // Fail at once, and never apply a change twice.
      retry: { limit: 0 },
      timeout: { request: TIME_LIMIT_MS },
    }).catch((error: unknown) => {
      throw unreachable(access, error);
    });
    if (response.ok) return { status: response.statusCode, text: response.body };
    throw refusalIn(response, access);
  },
});

const urlHint = ({ urlSource }: Pick<GatewayAccess, 'urlSource'>): string =>
  urlSource === '--url'
    ? 'Check the address passed with --url.'
    : `The address comes from ${urlSource}; pass another with --url.`;

const unreachable = (access: GatewayAccess, error: unknown): CliError => {
  const cause = error instanceof RequestError ? `${error.code}: ${error.message}` : String(error);
  return new CliError(EXIT.unreachable, `Cannot reach the gateway at ${access.url}.`, [
    cause,
    'If it is not running, start it: rollgate serve',
    urlHint(access),
  ]);
};

/** The body of every error (decisions.md 2). */
const ErrorBody = z.looseObject({
  error: z.string(),
  message: z.string(),
  details: z.array(z.looseObject({ path: z.string(), message: z.string() })).optional(),
  request_id: z.string().optional(),
});

const refusalIn = (response: Response<string>, access: GatewayAccess): CliError => {
  const body = ErrorBody.safeParse(parseJson(response.body));
  if (!body.success) return notRollgate(access, `status ${response.statusCode}`);
  const { error, message, details = [], request_id } = body.data;
  const isUnauthenticated = response.statusCode === 401;
  const hints = [
    ...(isUnauthenticated || error === 'INSUFFICIENT_SCOPE'
      ? [`The ${access.credential} comes from ${access.tokenSource}.`]
      : []),
    ...details.map(({ path, message: what }) => (path === '' ? what : `${path}: ${what}`)),
    ...(error === 'TENANT_NOT_FOUND' ? ['List all tenants: rollgate tenant list'] : []),
    ...(request_id === undefined ? [] : [`Request id: ${request_id}`]),
  ];
  const exitCode = isUnauthenticated ? EXIT.unauthenticated : EXIT.refused;
  return new CliError(exitCode, `${error}: ${message}`, hints, response.body);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const notRollgate = (access: GatewayAccess, what: string): CliError =>
  new CliError(EXIT.unreachable, `The server at ${access.url} is not a Rollgate gateway.`, [
    `It returned ${what}.`,
    urlHint(access),
  ]);

/** The fields of the response that are shown; others are ignored. */
export const readResponse = <Output>(
  schema: z.ZodType<Output>,
  { text, status }: GatewayResponse,
  access: GatewayAccess,
): Output => {
  const result = schema.safeParse(parseJson(text));
  if (result.success) return result.data;
  throw notRollgate(access, `status ${status} with an unknown body`);
};
