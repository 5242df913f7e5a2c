import ipaddr from 'ipaddr.js';

/**
 * What failures of one peer are counted under: the IPv4 address, or the /64 that an IPv6 host may
 * choose its addresses from. It is the address of the socket; `X-Forwarded-For` is not believed,
 * for anybody can write one.
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
