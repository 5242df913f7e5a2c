import { Resolver as DnsResolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { FairSlots, type SlotLimits } from '../../pipeline/fair-slots.js';
import { isLocalhost } from './address-guard.js';
import {
  type Hosts,
  HOSTS_PATH,
  hostsKey,
  parseHosts,
  candidatesOf,
  parseSearchList,
  RESOLV_CONF_PATH,
  type SearchList,
  createWatchedFile,
} from './resolver-files.js';

/**
 * Resolves names without the system's getaddrinfo: that one runs on four threads of the process, so
 * that four unresponsive names would stop every tenant's deliveries.
 */
export interface NameResolver {
  /**
   * The addresses of a name, IPv4 first, as text. Rejects with an Error whose code is `ENOTFOUND`
   * where the name has none, else `EAI_AGAIN`. An owner's lookups take only a few of the slots.
   */
  readonly resolve: (hostname: string, owner?: string) => Promise<readonly string[]>;
  /** Aborts lookups in flight; afterwards nothing is resolved. */
  readonly close: () => void;
}

export interface ResolverLimits extends Required<SlotLimits> {
  /** For a whole lookup, including its wait for a slot. */
  readonly timeoutMs: number;
  /** Time-out of a query to a name server; tried twice. */
  readonly serverTimeoutMs: number;
  /** How much longer the addresses of the other family are waited for when those of one are there. */
  readonly otherFamilyMs: number;
  /** Maximum time that a result is cached; its TTL, if shorter. */
  readonly maxTtlMs: number;
  readonly failureTtlMs: number;
  readonly maxCached: number;
  /** Per family; a response may contain thousands. */
  readonly maxAddresses: number;
}

const RESOLVER_LIMITS: ResolverLimits = {
  overall: 64,
  perKey: 4,
  waitingPerKey: 256,
  timeoutMs: 5_000,
  serverTimeoutMs: 1_500,
  otherFamilyMs: 250,
  maxTtlMs: 30_000,
  failureTtlMs: 5_000,
  maxCached: 10_000,
  maxAddresses: 16,
};

export interface NameResolverParts {
  /** Name servers, `127.0.0.1:53`; absent: those of the system. */
  readonly servers?: readonly string[];
  readonly hostsPath?: string;
  readonly resolvConfPath?: string;
  readonly limits?: Partial<ResolverLimits>;
  /** Milliseconds that only ever go forward. */
  readonly now?: () => number;
}

/** The result of a query: addresses, or that the name does not exist. */
interface Found {
  readonly addresses: readonly string[];
  readonly ttlMs: number;
}

type Outcome = { readonly addresses: readonly string[] } | { readonly error: Error };
type CacheEntry = Outcome & { readonly until: number };

/** Words of c-ares for a name that is not there, or is none. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

const nameError = (code: 'ENOTFOUND' | 'EAI_AGAIN', hostname: string, cause?: unknown): Error =>
  Object.assign(
    new Error(
      code === 'ENOTFOUND' ? `${hostname} has no address` : `${hostname} could not be resolved`,
      { cause },
    ),
    { code },
  );

/** Of localhost, for which no name server is queried. */
const LOOPBACK = ['127.0.0.1', '::1'];

/** One per lookup, so that it can be aborted, with a port of its own; created in 60 µs. */
const openDns = ({ servers }: NameResolverParts, timeout: number): DnsResolver => {
  const dns = new DnsResolver({ timeout, tries: 2 });
  if (servers) dns.setServers(servers);
  return dns;
};

/** Both families at once. Undefined where the name has no address; rejects where it may have one. */
const query = async (
  dns: DnsResolver,
  name: string,
  { otherFamilyMs, maxAddresses }: ResolverLimits,
): Promise<Found | undefined> => {
  let late: NodeJS.Timeout | undefined;
  const families = [dns.resolve4(name, { ttl: true }), dns.resolve6(name, { ttl: true })];
  for (const family of families)
    family.then(
      () => (late ??= setTimeout(() => dns.cancel(), otherFamilyMs)),
      () => undefined,
    );
  const results = await Promise.allSettled(families);
  clearTimeout(late);
  const records = results.flatMap((result) =>
    result.status === 'fulfilled' ? result.value.slice(0, maxAddresses) : [],
  );
  if (records.length > 0)
    return {
      addresses: records.map(({ address }) => address),
      ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1_000,
    };
  for (const result of results)
    if (result.status === 'rejected' && !ABSENT.has(codeOf(result.reason))) throw result.reason;
  return undefined;
};

/** The addresses of the first candidate that has some. */
const queryCandidates = async (
  { dns, limits }: { readonly dns: DnsResolver; readonly limits: ResolverLimits },
  hostname: string,
  candidates: readonly string[],
  signal: AbortSignal,
): Promise<Found> => {
  const cancel = (): void => dns.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  let serverFailure: unknown;
  try {
    for (const candidate of candidates) {
      signal.throwIfAborted();
      try {
        const found = await query(dns, candidate, limits);
        if (found) return found;
      } catch (error) {
        // After SERVFAIL for one domain the next may succeed; after a time-out it is not tried.
        if (codeOf(error) !== 'ESERVFAIL') throw error;
        serverFailure = error;
      }
    }
  } catch (error) {
    throw nameError('EAI_AGAIN', hostname, error);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  throw nameError(serverFailure === undefined ? 'ENOTFOUND' : 'EAI_AGAIN', hostname, serverFailure);
};

export const createNameResolver = (parts: NameResolverParts = {}): NameResolver => {
  const { now = () => performance.now() } = parts;
  const limits = { ...RESOLVER_LIMITS, ...parts.limits };
  const readHosts = createWatchedFile<Hosts>(parts.hostsPath ?? HOSTS_PATH, parseHosts, now);
  const readSearchList = createWatchedFile<SearchList>(
    parts.resolvConfPath ?? RESOLV_CONF_PATH,
    parseSearchList,
    now,
  );
  // Unresponsive names must not block the lookups of other owners.
  const slots = new FairSlots(limits);
  const cache = new LRUCache<string, CacheEntry>({ max: limits.maxCached });
  const pending = new Map<string, Promise<readonly string[]>>();
  const closing = new AbortController();

  const store = (name: string, outcome: Outcome, forMs: number): void => {
    if (forMs > 0) cache.set(name, { ...outcome, until: now() + forMs });
  };

  const queryAndStore = async (name: string, signal: AbortSignal): Promise<readonly string[]> => {
    try {
      const candidates = candidatesOf(name, await readSearchList());
      const dns = openDns(parts, limits.serverTimeoutMs);
      const { addresses, ttlMs } = await queryCandidates({ dns, limits }, name, candidates, signal);
      store(name, { addresses }, Math.min(ttlMs, limits.maxTtlMs));
      return addresses;
    } catch (error) {
      if (!closing.signal.aborted) store(name, { error: error as Error }, limits.failureTtlMs);
      throw error;
    }
  };

  const cached = (name: string): CacheEntry | undefined => {
    const entry = cache.get(name);
    return entry && now() < entry.until ? entry : undefined;
  };

  const unwrap = (entry: CacheEntry): readonly string[] => {
    if ('error' in entry) throw entry.error;
    return entry.addresses;
  };

  const lookUp = async (name: string, owner: string): Promise<readonly string[]> => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(limits.timeoutMs)]);
    const release = await slots.take(owner, signal).catch((cause: unknown) => {
      throw nameError('EAI_AGAIN', name, cause);
    });
    try {
      // Another owner may have looked it up while this one waited.
      const entry = cached(name);
      return entry ? unwrap(entry) : await queryAndStore(name, signal);
    } finally {
      release();
    }
  };

  /** Lookups of a name by one owner are shared; another owner's may have to wait longer. */
  const lookUpOnce = (name: string, owner: string): Promise<readonly string[]> => {
    const key = `${name} ${owner}`;
    const lookup = pending.get(key) ?? lookUp(name, owner).finally(() => pending.delete(key));
    pending.set(key, lookup);
    return lookup;
  };

  return {
    resolve: async (hostname, owner = '') => {
      if (isIP(hostname) !== 0) return [hostname];
      const listed = (await readHosts()).get(hostsKey(hostname));
      if (listed) return listed.slice(0, limits.maxAddresses);
      if (isLocalhost(hostname)) return LOOPBACK;
      const name = hostname.toLowerCase();
      const entry = cached(name);
      return entry ? unwrap(entry) : lookUpOnce(name, owner);
    },
    close: () => closing.abort(new Error('The gateway is closing.')),
  };
};
