import type { z } from 'zod';
import {
  type ClientOptions,
  createRollgateClient,
  type Method,
  type RollgateClient,
  RollgateError,
} from '../client/index.js';
import { VERSION } from '../process/program.js';
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

/** The client of the whole API, for commands that a description cannot express. */
export const openClient = (
  access: Pick<GatewayAccess, 'url' | 'token'>,
  options: Partial<ClientOptions> = {},
): RollgateClient =>
  createRollgateClient({
    baseUrl: access.url,
    token: access.token,
    headers: { 'user-agent': `rollgate-cli/${VERSION}` },
    // Fail at once: the operator decides whether to repeat it.
    retries: 0,
    ...options,
  });

export const createGatewayClient = (
  { transport }: RollgateClient,
  access: GatewayAccess,
  api: string,
): GatewayClient => ({
  request: (method, path, parts) =>
    withCliErrors(access, () => transport.send(method, `${api}${path}`, parts)),
});

/** Rejects with a CliError where the client rejects with a RollgateError. */
export const withCliErrors = async <Result>(
  access: GatewayAccess,
  call: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await call();
  } catch (error) {
    throw error instanceof RollgateError ? cliErrorOf(error, access) : error;
  }
};

const urlHint = ({ urlSource }: Pick<GatewayAccess, 'urlSource'>): string =>
  urlSource === '--url'
    ? 'Check the address passed with --url.'
    : `The address comes from ${urlSource}; pass another with --url.`;

const cliErrorOf = (error: RollgateError, access: GatewayAccess): CliError => {
  switch (error.code) {
    case 'UNREACHABLE':
      return new CliError(EXIT.unreachable, `Cannot reach the gateway at ${access.url}.`, [
        error.message.replace(`${access.url}: `, ''),
        'If it is not running, start it: rollgate serve',
        urlHint(access),
      ]);
    case 'UNEXPECTED_RESPONSE':
      return notRollgate(access, `status ${error.status}`);
    default:
      return refusal(error, access);
  }
};

const refusal = (error: RollgateError, access: GatewayAccess): CliError => {
  const { code, message, details, requestId, text } = error;
  const isUnauthenticated = error.status === 401;
  const hints = [
    ...(isUnauthenticated || code === 'INSUFFICIENT_SCOPE'
      ? [`The ${access.credential} comes from ${access.tokenSource}.`]
      : []),
    ...details.map(({ path, message: what }) => (path === '' ? what : `${path}: ${what}`)),
    ...(code === 'TENANT_NOT_FOUND' ? ['List all tenants: rollgate tenant list'] : []),
    ...(requestId === undefined ? [] : [`Request id: ${requestId}`]),
  ];
  const exitCode = isUnauthenticated ? EXIT.unauthenticated : EXIT.refused;
  return new CliError(exitCode, `${code}: ${message}`, hints, text);
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

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
