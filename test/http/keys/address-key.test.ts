import { describe, expect, it } from 'vitest';
import { addressKeyOf, createClientAddress } from '../../../src/http/access/refuse-credentials.js';

describe('addressKeyOf', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['not an address', 'unknown'],
    [undefined, 'unknown'],
  ])('counts %s under %s', (address, key) => {
    expect(addressKeyOf(address)).toBe(key);
  });
});

describe('the address of a client', () => {
  const via = (
    proxies: readonly string[],
    remoteAddress: string | undefined,
    forwarded?: string | string[],
  ) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded as string };
    return createClientAddress(proxies)({ headers, socket: { remoteAddress } });
  };
  const PROXIES = ['10.0.0.0/8', 'fd00::/8', '192.0.2.1'];

  it.each<
    [
      string,
      readonly string[],
      string | undefined,
      string | string[] | undefined,
      string | undefined,
    ]
  >([
    ['the socket without proxies', [], '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['the socket beside the proxies', PROXIES, '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['the proxy without the header', PROXIES, '10.0.0.1', undefined, '10.0.0.1'],
    ['in the header of a proxy', PROXIES, '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['of a single trusted address', PROXIES, '192.0.2.1', '203.0.113.7', '203.0.113.7'],
    ['of a proxy as a mapped address', PROXIES, '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['of a proxy over IPv6', PROXIES, 'fd00::1', '2001:db8::7', '2001:db8::7'],
    ['behind two proxies', PROXIES, '10.0.0.1', '203.0.113.7, 10.1.1.1', '203.0.113.7'],
    ['in two headers', PROXIES, '10.0.0.1', ['203.0.113.7', '10.1.1.1'], '203.0.113.7'],
    ['not claimed by the client', PROXIES, '10.0.0.1', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
    [
      'not claimed as a proxy',
      PROXIES,
      '10.0.0.1',
      '1.1.1.1, 10.0.0.9, 203.0.113.7',
      '203.0.113.7',
    ],
    ['a proxy if there is no other', PROXIES, '10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['with a port', PROXIES, '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['over IPv6 with a port', PROXIES, '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['the proxy if the header is none', PROXIES, '10.0.0.1', 'unknown', '10.0.0.1'],
    ['unknown on a closed socket', PROXIES, undefined, '203.0.113.7', undefined],
  ])('is %s', (_what, proxies, remote, forwarded, expected) => {
    expect(via(proxies, remote, forwarded)).toBe(expected);
  });
});
