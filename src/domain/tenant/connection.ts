import { durationInWords, timeInWords } from '../kernel/in-words.js';
import { type ApiKey, hasExpired } from './tenant.js';

/** Requests of an API key with gaps of less than two minutes. */
export interface ConnectionCycle {
  readonly from: Date;
  readonly until: Date;
  readonly requests: number;
  readonly refused: number;
  /** Of one gateway, each counted once; of several gateways, their sum. */
  readonly usersChanged: number;
}

/** The last request that was refused, in words. */
export interface ConnectionRefusal {
  readonly at: Date;
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
}

/** What is known of the requests with an API key. */
export interface Connection {
  readonly userAgent: string | null;
  readonly lastRequestAt: Date | null;
  readonly lastSuccessAt: Date | null;
  readonly lastRefusal: ConnectionRefusal | null;
  /** Of the last 24 hours, to the hour. */
  readonly requests: number;
  readonly refused: number;
  /** The last of them, oldest first; the last one may not have ended. */
  readonly cycles: readonly ConnectionCycle[];
}

/** Of a key that sent no request. */
export const NO_CONNECTION: Connection = {
  userAgent: null,
  lastRequestAt: null,
  lastSuccessAt: null,
  lastRefusal: null,
  requests: 0,
  refused: 0,
  cycles: [],
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A longer pause ends a cycle. */
export const CYCLE_GAP_MS = 2 * MINUTE_MS;
/** A client that never pauses gets a new cycle each hour. */
export const MAX_CYCLE_MS = HOUR_MS;
/** Cycles that are kept of a key. */
export const MAX_CYCLES = 200;
/** Cycles from which the usual interval is computed. */
export const RECENT_CYCLES = 12;

/** What identity providers name themselves; the order matters. */
const CLIENTS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/azure|entra|microsoft/i, 'Microsoft Entra'],
  [/okta/i, 'Okta'],
  [/onelogin/i, 'OneLogin'],
  [/jumpcloud/i, 'JumpCloud'],
  [/authentik/i, 'authentik'],
  [/keycloak/i, 'Keycloak'],
  [/google/i, 'Google Workspace'],
  [/ping(one|federate|identity)/i, 'Ping Identity'],
  [/rippling/i, 'Rippling'],
  [/sailpoint/i, 'SailPoint'],
  [/cyberark|idaptive/i, 'CyberArk'],
  [/zitadel/i, 'Zitadel'],
];

/**
 * The client that sends this `User-Agent`: an identity provider, or else the first product in it
 * (RFC 9110, 10.1.5). Null without one: Entra's generic application sends none.
 */
export const clientOf = (userAgent: string | null): string | null => {
  if (userAgent === null) return null;
  const known = CLIENTS.find(([pattern]) => pattern.test(userAgent));
  return known ? known[1] : (/^[^\s/(]+/.exec(userAgent)?.[0] ?? null);
};

const MIN_INTERVALS = 5;
/** The share of intervals that are from half to twice the usual one. */
const MIN_REGULAR = 0.8;

const medianOf = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/**
 * From the start of a cycle to that of the next one, usually: the median. Null if there are few
 * cycles, or if they are irregular, as those of Okta are, which sends each change at once.
 */
export const usualIntervalMs = (cycles: readonly ConnectionCycle[]): number | null => {
  const starts = cycles.map(({ from }) => from.getTime());
  const intervals = starts.slice(1).map((start, at) => start - (starts[at] ?? start));
  if (intervals.length < MIN_INTERVALS) return null;
  const usual = medianOf(intervals);
  const regular = intervals.filter((one) => one >= usual / 2 && one <= usual * 2);
  return regular.length >= MIN_REGULAR * intervals.length ? usual : null;
};

const MIN_SILENCE_MS = 2 * HOUR_MS;

/** How long a client with a usual interval has sent nothing, if that is unusual. */
export const unusualSilenceMs = (
  { lastRequestAt, cycles }: Pick<Connection, 'lastRequestAt' | 'cycles'>,
  now: Date,
): number | null => {
  const usual = usualIntervalMs(cycles);
  if (usual === null || lastRequestAt === null) return null;
  const silent = now.getTime() - lastRequestAt.getTime();
  return silent > Math.max(3 * usual, MIN_SILENCE_MS) ? silent : null;
};

const MIN_REFUSED = 10;
const MIN_REFUSED_SHARE = 0.2;

/** Whether an unusual share of its requests was refused in the last 24 hours. */
export const isOftenRefused = ({
  requests,
  refused,
}: Pick<Connection, 'requests' | 'refused'>): boolean =>
  refused >= MIN_REFUSED && refused >= MIN_REFUSED_SHARE * requests;

export const CONNECTION_STATES = ['never_used', 'silent', 'refused', 'active'] as const;

interface ConnectionState {
  readonly state: (typeof CONNECTION_STATES)[number];
  /** A sentence. */
  readonly text: string;
}

/** `silent for 6 h, usually every 40 min` */
export const silenceInWords = (silentMs: number, cycles: readonly ConnectionCycle[]): string =>
  `silent for ${durationInWords(silentMs)}, usually every ${durationInWords(usualIntervalMs(cycles) ?? 0)}`;

const isAfter = (one: Date | undefined, other: Date | null): boolean =>
  one !== undefined && (other === null || one > other);

/** How a connection is now, and why. */
export const connectionState = (
  connection: Connection,
  key: Pick<ApiKey, 'expiresAt'>,
  now: Date,
): ConnectionState => {
  if (key.expiresAt && hasExpired(key, now.getTime()))
    return {
      state: 'refused',
      text: `The key expired on ${timeInWords(key.expiresAt)}: requests with it are refused.`,
    };
  const { lastRequestAt, lastSuccessAt, lastRefusal, requests, refused, cycles } = connection;
  if (lastRequestAt === null) return { state: 'never_used', text: 'No request yet.' };
  const silent = unusualSilenceMs(connection, now);
  if (silent !== null)
    return { state: 'silent', text: `S${silenceInWords(silent, cycles).slice(1)}.` };
  if (isOftenRefused(connection))
    return { state: 'refused', text: `${refused} of ${requests} requests refused in 24 h.` };
  if (lastRefusal && isAfter(lastRefusal.at, lastSuccessAt))
    return { state: 'refused', text: `The last request was refused: ${lastRefusal.message}` };
  const usual = usualIntervalMs(cycles);
  const ago = durationInWords(Math.max(0, now.getTime() - lastRequestAt.getTime()));
  return {
    state: 'active',
    text: `Last request ${ago} ago${usual === null ? '' : `, usually every ${durationInWords(usual)}`}.`,
  };
};
