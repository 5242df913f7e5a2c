import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAddressGuard, isAddressRange } from '../../src/plugin/outbound/address-guard.js';

const guard = createAddressGuard([]);

const HOSTILE = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
  'link-local and metadata': ['169.254.169.254', '169.254.0.1', 'fd00:ec2::254', 'fe80::1'],
  'shared address space': ['100.64.0.1', '100.100.100.200', '100.127.255.255'],
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  'documentation and benchmarks': [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '2001:db8::1',
    '3fff::1',
  ],
  'protocol assignments': ['192.0.0.8', '192.88.99.1', '5f00::1', '100::1'],
  'multicast, reserved and broadcast': ['224.0.0.1', '240.0.0.1', '255.255.255.255', 'ff02::1'],
  'IPv4 written as IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '0:0:0:0:0:ffff:a00:1',
    '::127.0.0.1',
    '::7f00:1',
  ],
  'IPv4 behind a translation': [
    '64:ff9b::7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::808:808',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
  ],
  'site-local': ['fec0::1'],
  'an address with a zone': ['fe80::1%eth0', '::1%lo', '2606:4700:4700::1111%eth0'],
  'what is no plain address': [
    '',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '2130706433',
    '[::1]',
    '1.2.3.4.5',
  ],
};

describe('the address guard', () => {
  for (const [kind, addresses] of Object.entries(HOSTILE)) {
    it.each(addresses)(`refuses ${kind}: "%s"`, (address) => {
      expect(guard.allows(address)).toBe(false);
    });
  }

  it.each(['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8', '2a00:1450:4001::1'])(
    'lets the public address %s pass',
    (address) => {
      expect(guard.allows(address)).toBe(true);
    },
  );

  it('refuses every IPv4 address as IPv6 that it refuses as IPv4', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
        const address = octets.join('.');
        expect(guard.allows(`::ffff:${address}`)).toBe(guard.allows(address));
        expect(guard.allows(`::${address}`)).toBe(false);
        expect(guard.allows(`64:ff9b::${address}`)).toBe(false);
      }),
    );
  });
});

describe('the operator’s list', () => {
  it('admits the ranges it names and no others', () => {
    const { allows } = createAddressGuard(['127.0.0.0/8', ' 10.1.0.0/16 ', 'fd12::/16', '::1']);
    expect(
      ['127.0.0.1', '::ffff:127.0.0.1', '10.1.9.9', 'fd12::9', '::1'].map(allows),
    ).not.toContain(false);
    expect(['10.2.0.1', '192.168.1.1', 'fd13::1', '::2'].map(allows)).not.toContain(true);
  });

  it.each([
    ['169.254.169.254', ['0.0.0.0/0', '169.254.0.0/16', '169.254.169.254/31']],
    ['fd00:ec2::254', ['::/0', 'fd00::/8', 'fd00:ec2::/32']],
    ['2002:7f00:1::', ['::/0', '2002::/16']],
    ['2001:0:7f00:1::', ['::/0', '2001::/32']],
    ['::ffff:0:7f00:1', ['::/0', '::ffff:0:0:0/96']],
    ['64:ff9b:1::a00:1', ['::/0', '64:ff9b:1::/48']],
    ['::7f00:1', ['::/0', '::/96']],
  ])('keeps %s denied unless it is listed as a single address', (address, ranges) => {
    expect(createAddressGuard(ranges).allows(address)).toBe(false);
    expect(createAddressGuard([address]).allows(address)).toBe(true);
    const width = address.includes(':') ? 128 : 32;
    expect(createAddressGuard([`${address}/${width}`]).allows(address)).toBe(true);
  });

  it('admits a listed NAT64 range only as far as the address behind it is admitted', () => {
    const { allows } = createAddressGuard(['64:ff9b::/96', '10.0.0.0/8']);
    expect(allows('64:ff9b::8.8.8.8')).toBe(true);
    expect(allows('64:ff9b::10.1.2.3')).toBe(true);
    expect(allows('64:ff9b::127.0.0.1')).toBe(false);
    expect(allows('64:ff9b::169.254.169.254')).toBe(false);
  });

  it.each([
    '10.0.0.0/33',
    'fd00::/129',
    '10/8',
    'localhost',
    '',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '::ffff:10.0.0.0/104',
    'fe80::1%eth0/64',
  ])('refuses "%s", which is no address range', (range) => {
    expect(isAddressRange(range)).toBe(false);
    expect(() => createAddressGuard([range])).toThrow('is no address range');
  });
});

describe('the check of a URL', () => {
  const local = createAddressGuard(['127.0.0.0/8']);

  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'javascript:alert(1)',
    'example.com',
    '',
    '//example.com',
    'https://',
    'https://exa mple.com/',
    'https://example.com:0/',
  ])('refuses "%s", which is no https URL', (url) => {
    expect(guard.check(url)).toMatchObject({ fault: 'url' });
  });

  it.each([
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://:pass@example.com/',
  ])('refuses user info: %s', (url) => {
    expect(guard.check(url)).toEqual({
      fault: 'url',
      message: 'The URL must not contain a user name or a password.',
    });
  });

  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0177.1/',
    'https://0x7f000001/',
    'https://127.1:8443/x',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]:444/',
  ])('refuses the literal address in %s', (url) => {
    expect(guard.check(url)).toMatchObject({ fault: 'blocked' });
  });

  it('lets names, public addresses and listed ones pass', () => {
    for (const url of [
      'https://example.com/hook?a=1',
      'https://1.1.1.1/',
      'https://[2606:4700:4700::1111]/',
    ])
      expect(guard.check(url)).toEqual({ url: new URL(url) });
    expect(local.check('https://127.0.0.1:9443/hook')).toHaveProperty('url');
  });
});
