import got, { RequestError, type Method, type Response } from 'got';
import { z } from 'zod';
import { VERSION } from '../version.js';
import { CommandFailure, EXIT } from './command-failure.js';
import type { GatewayAccess } from './gateway-access.js';

export interface GatewayAnswer {
  readonly status: number;
  /** The body as it came. */
  readonly text: string;
}

export interface RequestParts {
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
}

/** Speaks to one API of one gateway; rejects with a CommandFailure. */
export interface GatewayClient {
  /** The path is relative to the API's own. Resolves for 2xx only. */
  readonly request: (method: Method, path: string, parts?: RequestParts) => Promise<GatewayAnswer>;
}

const TIME_LIMIT_MS = 30_000;

export const OPERATORS_API = '/admin/v1';

export const createGatewayClient = (
  access: GatewayAccess,
  api: string = OPERATORS_API,
): GatewayClient => ({
  request: async (method, path, { query, body } = {}) => {
    const address = `${access.url}${api}${path}`;
    const response = await got(address, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${access.token}`,
        'user-agent': `rollgate-cli/${VERSION}`,
      },
      ...(query && { searchParams: query }),
      ...(body !== undefined && { json: body }),
      // The token goes to the address that was given and to no other.
      followRedirect: false,
      throwHttpErrors: false,
      // Who types a command wants to hear at once; nothing here may be done twice unasked.
      retry: { limit: 0 },
      timeout: { request: TIME_LIMIT_MS },
    }).catch((error: unknown) => {
      throw unreachable(access, error);
    });
    if (response.ok) return { status: response.statusCode, text: response.body };
    throw refusalIn(response, access);
  },
});

const whereFrom = ({ urlFrom }: Pick<GatewayAccess, 'urlFrom'>): string =>
  urlFrom === '--url' ? '--url.' : `${urlFrom}; --url gives another.`;

const unreachable = (access: GatewayAccess, error: unknown): CommandFailure => {
  const cause = error instanceof RequestError ? `${error.code}: ${error.message}` : String(error);
  return new CommandFailure(EXIT.unreachable, `No gateway answers at ${access.url}.`, [
    cause,
    'Is it running? "rollgate serve" starts one.',
    `Is this its address? It comes from ${whereFrom(access)}`,
  ]);
};

/** Every error of the gateway looks like this (decisions.md 2). */
const ErrorBody = z.looseObject({
  error: z.string(),
  message: z.string(),
  details: z.array(z.looseObject({ path: z.string(), message: z.string() })).optional(),
  request_id: z.string().optional(),
});

const refusalIn = (response: Response<string>, access: GatewayAccess): CommandFailure => {
  const body = ErrorBody.safeParse(parseJson(response.body));
  if (!body.success) return notRollgate(access, `status ${response.statusCode}`);
  const { error, message, details = [], request_id } = body.data;
  const more = [
    ...details.map(({ path, message: what }) => (path === '' ? what : `${path}: ${what}`)),
    ...(error === 'TENANT_NOT_FOUND' ? ['"rollgate tenant list" shows all.'] : []),
    ...(request_id === undefined ? [] : [`Request id: ${request_id}`]),
  ];
  if (response.statusCode !== 401)
    return new CommandFailure(EXIT.refused, `${error}: ${message}`, more, response.body);
  const source = `The ${access.tokenIs} comes from ${access.tokenFrom}. Is it this gateway's?`;
  const hints = [source, ...more];
  return new CommandFailure(EXIT.unauthenticated, `${error}: ${message}`, hints, response.body);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const notRollgate = ({ url, urlFrom }: GatewayAccess, what: string): CommandFailure =>
  new CommandFailure(EXIT.unreachable, `What answers at ${url} is not a Rollgate gateway.`, [
    `It answered ${what}.`,
    `The address comes from ${whereFrom({ urlFrom })}`,
  ]);

/** The answer's body as the fields that are shown; whatever else is in it stays unread. */
export const readAnswer = <Output>(
  schema: z.ZodType<Output>,
  { text, status }: GatewayAnswer,
  access: GatewayAccess,
): Output => {
  const result = schema.safeParse(parseJson(text));
  if (result.success) return result.data;
  throw notRollgate(access, `status ${status} with a body that no gateway sends`);
};
