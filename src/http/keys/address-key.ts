import ipaddr from 'ipaddr.js';

/**
 * The key under which failures of a client are counted: its IPv4 address, or the /64 of its IPv6
 * address. Taken from the socket: a client can send any `X-Forwarded-For`.
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
