import { createSign } from 'node:crypto';
import { z } from 'zod';
import type { JsonObject } from '../../domain/kernel/json.js';
import {
  type ConnectorHost,
  SourceError,
  type SourceRequest,
  type SourceResponse,
} from './connector-contract.js';
import { readSourceJson } from './source-responses.js';

/** How tokens of a source are requested. */
export interface TokenGrant {
  /** The name of the source, as operators know it. */
  readonly source: string;
  /** The request for a token (RFC 6749, 4.4, or RFC 7523, 2.1). */
  readonly request: (
    signal: AbortSignal | undefined,
  ) => Promise<SourceRequest & { readonly form: Readonly<Record<string, string>> }>;
  /** What to report for a response with 400, 401 or 403; no secrets. */
  readonly refused: (response: SourceResponse) => SourceError;
}

/** Sends with a token, and once more with another one if the source refuses it. */
export type WithToken = <Response extends { readonly status: number }>(
  exchange: (bearer: string) => Promise<Response>,
  signal: AbortSignal | undefined,
) => Promise<Response>;

/** How long before its end a token is not used any more: clocks differ. */
const MARGIN_MS = 60_000;
const DEFAULT_SECONDS = 3_600;

const Token = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().nullish(),
});

/** Requests tokens when they are needed, and keeps one until shortly before its end. */
export const createAccessTokens = (
  { http, clock }: Pick<ConnectorHost, 'http' | 'clock'>,
  { source, request, refused }: TokenGrant,
): WithToken => {
  let token: { readonly value: string; readonly until: number } | undefined;

  const requestToken = async (signal: AbortSignal | undefined): Promise<string> => {
    const response = await http.post({ ...(await request(signal)), ...(signal && { signal }) });
    if ([400, 401, 403].includes(response.status)) throw refused(response);
    const { access_token: value, expires_in: seconds } = readSourceJson(response, Token, {
      source,
    });
    const lifetime = (seconds ?? DEFAULT_SECONDS) * 1_000;
    token = { value, until: clock.now().getTime() + Math.max(lifetime - MARGIN_MS, lifetime / 2) };
    return value;
  };

  return async (exchange, signal) => {
    if (!token || token.until <= clock.now().getTime()) return exchange(await requestToken(signal));
    const response = await exchange(token.value);
    // A token can end before its time.
    return response.status === 401 ? exchange(await requestToken(signal)) : response;
  };
};

const ASSERTION_SECONDS = 300;

/** What a JWT says, and the key that signs it. */
export interface Assertion {
  readonly claims: JsonObject;
  /** The private RSA key, in PEM. */
  readonly privateKey: string;
  readonly keyId?: string | undefined;
  readonly now: Date;
  /** The setting with the key, for the error message. */
  readonly setting: string;
}

/** A JWT that is signed with RS256 and valid for five minutes (RFC 7523, 3). */
export const signAssertion = ({ claims, privateKey, keyId, now, setting }: Assertion): string => {
  const iat = Math.floor(now.getTime() / 1_000);
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const header = encode({ alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) });
  const signed = `${header}.${encode({ ...claims, iat, exp: iat + ASSERTION_SECONDS })}`;
  try {
    const signature = createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url');
    return `${signed}.${signature}`;
  } catch (cause) {
    throw new SourceError(
      'config',
      `The setting \`${setting}\` is not a private RSA key in PEM. It begins with ` +
        '"-----BEGIN PRIVATE KEY-----"; keep its line breaks, for example with {file: …}.',
      { cause },
    );
  }
};
