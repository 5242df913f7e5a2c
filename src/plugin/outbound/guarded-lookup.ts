import { isIP, type LookupFunction } from 'node:net';
import { type AddressGuard, NOT_ALLOWED } from './address-guard.js';

/** The addresses of a name, as text; rejects with codes as `dns.lookup` does. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** The guard refused an address that was about to be dialled. It does not say which. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
  constructor() {
    super(NOT_ALLOWED);
  }
}

/**
 * What sockets look names up with: the addresses they dial are the very ones that were checked, so
 * a name that resolves differently between a check and the connection (DNS rebinding) gains nothing.
 * One forbidden address refuses the whole result.
 */
export const guardLookup =
  (guard: AddressGuard, resolve: Resolver): LookupFunction =>
  (hostname, options, callback) => {
    const resolveChecked = async (): Promise<readonly string[]> => {
      const addresses = await resolve(hostname);
      if (addresses.length === 0) throw notFound(hostname);
      const allowed = addresses.filter(guard.allows);
      if (allowed.length === 0) throw new BlockedAddressError();
      if (allowed.length < addresses.length && !isLocalhost(hostname))
        throw new BlockedAddressError();
      return allowed;
    };
    resolveChecked().then(
      (addresses) => {
        const [first = ''] = addresses;
        if (options.all) callback(null, addresses.map(withFamily));
        else callback(null, first, isIP(first));
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    );
  };

/** Loopback by definition (RFC 6761, 6.3): allowing 127.0.0.0/8 allows it, with or without ::1. */
const isLocalhost = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

const withFamily = (address: string): { address: string; family: number } => ({
  address,
  family: isIP(address),
});

const notFound = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
