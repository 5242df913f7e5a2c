import { BlockList, isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A URL that is allowed so far, or why it is not; the message is shown to the tenant. */
export type UrlCheckResult =
  { readonly url: URL } | { readonly fault: 'url' | 'blocked'; readonly message: string };

/**
 * Decides which targets outbound requests may have. Public addresses pass; all others are denied
 * unless the operator lists them; what cannot be read is denied (decisions.md 7).
 */
export interface AddressGuard {
  /** Whether this address may be dialled. Pass the address being dialled, never a name. */
  readonly allows: (address: string) => boolean;
  /** Checks a URL before its name is resolved: its form, and a literal address in it. */
  readonly check: (url: string) => UrlCheckResult;
}

/** Names what the URL names: the addresses of a name are not for a tenant. */
export const notAllowed = (host: string): string =>
  `This destination is not allowed: ${host} ${isIP(host) === 0 ? 'has' : 'is'} a non-public ` +
  'address, and requests are sent to public addresses only.';

/** The host to resolve or dial: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

const blockListOf = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) addRange(list, readRange(range));
  return list;
};

const addRange = (list: BlockList, { address, bits }: Range): void =>
  list.addSubnet(address.toString(), bits, address.kind());

const holds = (list: BlockList, address: Address): boolean =>
  list.check(address.toString(), address.kind());

interface Range {
  readonly address: Address;
  readonly bits: number;
}

/** An address range as an operator writes it; throws an Error that says how to write it. */
const readRange = (text: string): Range => {
  const [base = '', prefix, ...rest] = text.trim().split('/');
  const address = readAddress(base);
  const width = address?.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? width : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1;
  const isMapped = base.includes(':') && width === 32;
  if (!address || isMapped || rest.length > 0 || bits < 0 || bits > width)
    throw new Error(
      `"${text}" is no address range. Write it like 10.0.0.0/8 or fd00::/8, or as one address.`,
    );
  return { address, bits };
};

/** Whether a text is an IP address or a range in CIDR notation. */
export const isAddressRange = (text: string): boolean => {
  try {
    readRange(text);
    return true;
  } catch {
    return false;
  }
};

/** Mapped IPv6 becomes the IPv4 that it means; undefined where the text is no plain address. */
const readAddress = (text: string): Address | undefined => {
  if (text.includes('%')) return undefined;
  if (isIP(text) === 4) return ipaddr.IPv4.parse(text);
  return isIP(text) === 6 ? ipaddr.process(inHexadecimal(text)) : undefined;
};

/** Without a dotted tail: ipaddr.js reads `::1.2.3.4` as if it were `::ffff:1.2.3.4`. */
const inHexadecimal = (text: string): string => hostOf(new URL(`https://[${text}]`));

/** Not public, though `range()` calls some of them unicast or by a name of their own. */
const SPECIAL = blockListOf([
  '0.0.0.0/8',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '240.0.0.0/4',
  '100::/64',
  'fec0::/10',
  '3fff::/20',
  '5f00::/16',
]);

/** Cloud metadata: handing it out is handing out the machine's own credentials. */
const METADATA = blockListOf(['169.254.0.0/16', 'fd00:ec2::254']);

/** Each stands for an IPv4 address, so that a range of them may stand for any, private ones too. */
const TRANSLATED = blockListOf([
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b:1::/48',
  '2002::/16',
  '2001::/32',
]);

/** RFC 6052, 2.1: what an IPv6-only network dials to reach IPv4; the last 32 bits say which. */
const NAT64 = blockListOf(['64:ff9b::/96']);

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' &&
  ![SPECIAL, METADATA, TRANSLATED, NAT64].some((list) => holds(list, address));

const behindNat64 = (address: Address): Address =>
  ipaddr.fromByteArray(address.toByteArray().slice(-4));

/**
 * Creates a guard for outbound connections.
 *
 * @param allow - ranges that may be reached though they are not public. Metadata and translated
 *   addresses are admitted by an entry for the single address only; a NAT64 address where its
 *   range is listed and the IPv4 address behind it is admitted as well.
 */
export const createAddressGuard = (allow: readonly string[]): AddressGuard => {
  const ranges = blockListOf(allow);
  const singles = blockListOf(allow.filter(isSingle));

  const isListed = (address: Address): boolean => {
    if (holds(singles, address)) return true;
    if (holds(METADATA, address) || holds(TRANSLATED, address)) return false;
    if (!holds(ranges, address)) return false;
    return !holds(NAT64, address) || isAdmitted(behindNat64(address));
  };
  const isAdmitted = (address: Address): boolean => isPublic(address) || isListed(address);

  const allows = (text: string): boolean => {
    const address = readAddress(text);
    return address !== undefined && isAdmitted(address);
  };
  return { allows, check: (url) => checkUrl(url, allows) };
};

const isSingle = (range: string): boolean => {
  const { address, bits } = readRange(range);
  return bits === (address.kind() === 'ipv4' ? 32 : 128);
};

/** `URL` has normalised the host: 2130706433 and 0177.1 are 127.0.0.1 by now. */
const checkUrl = (text: string, allows: AddressGuard['allows']): UrlCheckResult => {
  if (!URL.canParse(text)) return { fault: 'url', message: 'Not a valid URL.' };
  const url = new URL(text);
  if (url.protocol !== 'https:')
    return { fault: 'url', message: 'The URL must begin with https://' };
  if (url.username !== '' || url.password !== '')
    return { fault: 'url', message: 'The URL must not contain a user name or a password.' };
  if (url.port === '0') return { fault: 'url', message: 'The URL must not have the port 0.' };
  const host = hostOf(url);
  if (isIP(host) !== 0 && !allows(host)) return { fault: 'blocked', message: notAllowed(host) };
  return { url };
};

/** The addresses of a name, as text; rejects with codes as `dns.lookup` does. */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

/** The guard refused an address that was about to be dialled. It does not say which. */
export class BlockedAddressError extends Error {
  override readonly name = 'BlockedAddressError';
}

/** The addresses of a name, all of them allowed. One forbidden address refuses the whole result. */
export const checkedAddresses = async (
  guard: AddressGuard,
  resolve: Resolver,
  hostname: string,
): Promise<readonly string[]> => {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw notFound(hostname);
  const allowed = addresses.filter(guard.allows);
  if (allowed.length === 0) throw new BlockedAddressError();
  if (allowed.length < addresses.length && !isLocalhost(hostname)) throw new BlockedAddressError();
  return allowed;
};

/**
 * What sockets look names up with: the addresses they dial are the very ones that were checked, so
 * a name that resolves differently between a check and the connection (DNS rebinding) gains nothing.
 */
export const guardLookup =
  (guard: AddressGuard, resolve: Resolver): LookupFunction =>
  (hostname, options, callback) => {
    checkedAddresses(guard, resolve, hostname).then(
      (addresses) => {
        const [first = ''] = addresses;
        if (options.all) callback(null, addresses.map(withFamily));
        else callback(null, first, isIP(first));
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    );
  };

/** Loopback by definition (RFC 6761, 6.3): allowing 127.0.0.0/8 allows it, with or without ::1. */
export const isLocalhost = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);

const withFamily = (address: string): { address: string; family: number } => ({
  address,
  family: isIP(address),
});

const notFound = (hostname: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
