import { codeOf } from './check.js';

export interface GatewayResponse {
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
}

/** Why there is no response: `ECONNREFUSED`, `TimeoutError` … */
export interface NoResponse {
  readonly fault: string;
}

const TIMEOUT_MS = 5_000;

/** One GET; redirects are not followed, so that credentials stay with this address. */
export const requestGateway = async (
  address: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<GatewayResponse | NoResponse> => {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(address, { headers, signal, redirect: 'manual' });
    return { status: response.status, body: parse(await response.text()) };
  } catch (error) {
    return { fault: faultOf(error) };
  }
};

/** fetch reports "fetch failed" and puts the reason into the cause. */
const faultOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.name : codeOf(error.cause);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
