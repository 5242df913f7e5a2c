import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressGuard, NOT_ALLOWED } from './address-guard.js';

/** The addresses of a name, as text; rejects like `dns.lookup` does. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** The guard refused an address that was about to be dialled. It does not say which. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  constructor() {
    super(NOT_ALLOWED);
  }
}

/** The system's resolver, with its hosts file and its search list. */
export const resolveBySystem: Resolver = async (hostname) => {
  const answers = await systemLookup(hostname, { all: true, verbatim: true });
  return answers.map(({ address }) => address);
};

/**
 * Shares the answer among those who ask for the same name while it is being looked up: the system's
 * resolver has four threads for the whole process, and a name that is slow to resolve must not take
 * them all.
 */
export const shareLookups = (resolve: Resolver): Resolver => {
  const pending = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const known = pending.get(hostname);
    if (known) return known;
    const asked = resolve(hostname).finally(() => pending.delete(hostname));
    pending.set(hostname, asked);
    return asked;
  };
};

/**
 * What sockets look names up with: the addresses they dial are the very ones that were checked, so
 * a name that changes its answer between a check and the connection (DNS rebinding) gains nothing.
 * One address that may not be dialled refuses the whole answer.
 */
export const guardLookup =
  (guard: AddressGuard, resolve: Resolver): LookupFunction =>
  (hostname, options, callback) => {
    const answer = async (): Promise<readonly string[]> => {
      const addresses = await resolve(hostname);
      if (addresses.length === 0) throw notFound(hostname);
      const allowed = addresses.filter(guard.allows);
      if (allowed.length === 0) throw new BlockedAddressError();
      if (allowed.length < addresses.length && !isLocalhost(hostname))
        throw new BlockedAddressError();
      return allowed;
    };
    answer().then(
      (addresses) => {
        const [first = ''] = addresses;
        if (options.all) callback(null, addresses.map(withFamily));
        else callback(null, first, isIP(first));
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    );
  };

/** Loopback by definition (RFC 6761, 6.3): whoever allows 127.0.0.0/8 means it, ::1 beside or not. */
const isLocalhost = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

const withFamily = (address: string): { address: string; family: number } => ({
  address,
  family: isIP(address),
});

const notFound = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
