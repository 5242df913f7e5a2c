import { codeOf } from './reason-of.js';

export interface GatewayAnswer {
  readonly status: number;
  /** Undefined where it is no JSON. */
  readonly body: unknown;
}

/** What there was instead of an answer: `ECONNREFUSED`, `TimeoutError` … */
export interface NoAnswer {
  readonly fault: string;
}

const PATIENCE_MS = 5_000;

/** One GET. What it carries goes to the address that was named, and to no other. */
export const askGateway = async (
  address: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<GatewayAnswer | NoAnswer> => {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(address, { headers, signal, redirect: 'manual' });
    return { status: response.status, body: parse(await response.text()) };
  } catch (error) {
    return { fault: faultOf(error) };
  }
};

/** fetch hides the reason behind "fetch failed". */
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
