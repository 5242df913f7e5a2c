import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The key under which failures of a client are counted: its IPv4 address, or the /64 of its IPv6
 * address.
 */
export const addressKeyOf = (address: string | undefined): string => {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return (parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
};

type Family = 'ipv4' | 'ipv6';

interface Received extends Pick<IncomingMessage, 'headers'> {
  readonly socket: Pick<Socket, 'remoteAddress'>;
}

const familyOf = (address: string): Family => (address.includes(':') ? 'ipv6' : 'ipv4');

const blockListOf = (ranges: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
};

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::7]:4711`. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

const addressIn = (hop: string): string | undefined => {
  const [, inBrackets, plain] = WITH_PORT.exec(hop.trim()) ?? [];
  const address = inBrackets ?? plain ?? hop.trim();
  return isIP(address) === 0 ? undefined : address;
};

/**
 * Finds the address of the client: that of the socket, or if it is a trusted proxy, the last one in
 * `X-Forwarded-For` that is not a trusted proxy. What stands before it was sent by the client, which
 * can claim any address; without trusted proxies, the whole header was.
 */
export const createClientAddress = (
  trustedProxies: readonly string[],
): ((request: Received) => string | undefined) => {
  const trusted = blockListOf(trustedProxies);
  const isTrusted = (address: string): boolean => trusted.check(address, familyOf(address));
  return ({ headers, socket }) => {
    let address = socket.remoteAddress;
    const hops = [headers['x-forwarded-for'] ?? []].flat().join().split(',');
    while (address !== undefined && isTrusted(address)) {
      const next = addressIn(hops.pop() ?? '');
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
};
