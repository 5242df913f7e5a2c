/** A request to another server. */
export interface OutboundRequest {
  /** https only. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** None for a GET. */
  readonly body?: string | Uint8Array;
  /** Time limit for name resolution, connection, TLS and response together. */
  readonly timeoutMs: number;
  /** How many bytes of the response body are kept; the rest is cut off. */
  readonly bodyLimit: number;
  /**
   * Connections and TLS sessions are shared within a pool only. Name it after the tenant, so that
   * tenants share none. Absent: one pool for all of the plugin's requests.
   */
  readonly pool?: string;
}

/** What outbound requests may reach and trust. Set by the operator, never by a tenant. */
export interface OutboundPolicy {
  /**
   * Non-public address ranges (CIDR) that may be reached. 169.254.0.0/16 and
   * fd00:ec2::254 (cloud metadata) are reached only if listed as single addresses.
   */
  readonly allow?: readonly string[];
  /** A PEM file of CAs to trust in addition to the system's. */
  readonly ca?: string;
}

/** The response, or why there is none. */
export type OutboundResponse =
  | {
      readonly kind: 'responded';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Decompressed and decoded by its charset; cut at bodyLimit. */
      readonly body: string;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'unreachable';
      /** What failed, as a class: decides whether trying again can help. */
      readonly fault: 'blocked' | 'url' | 'dns' | 'connect' | 'tls' | 'timeout' | 'broken';
      /** For the tenant, in plain words; no address that the name resolved to. */
      readonly message: string;
      readonly durationMs: number;
    };

/**
 * Sends outbound requests past the address guard: targets that resolve to loopback, private,
 * link-local or metadata addresses are refused on the address being dialled, whatever the name
 * resolved to before (decisions.md 7). Redirects are responses, never followed. Never rejects.
 */
export interface HttpSender {
  readonly post: (request: OutboundRequest, signal?: AbortSignal) => Promise<OutboundResponse>;
  readonly get: (
    request: Omit<OutboundRequest, 'body'>,
    signal?: AbortSignal,
  ) => Promise<OutboundResponse>;
}

/** Longer pauses are mistakes of the server, such as a moment in place of a number of seconds. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

/** Of the three forms, two have a zone; that of asctime is UTC (RFC 9110, 5.6.7). */
const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i;
const ZONE = / (gmt|utc)$/i;

/**
 * How long a server wants no requests, by its `Retry-After`: a number of seconds or an HTTP date
 * (RFC 9110, 10.2.3). In milliseconds, at most a day. Undefined: it has no valid value, or the date is
 * over.
 */
export const retryAfterMs = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, MAX_RETRY_AFTER_MS);
  if (!HTTP_DATE.test(text)) return undefined;
  const ms = Date.parse(ZONE.test(text) ? text : `${text} GMT`) - now.getTime();
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
};
