import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createNameResolver,
  type NameResolver,
  type NameResolverParts,
} from '../../src/plugin/outbound/name-resolver.js';
import { type DnsServer, startDnsServer } from '../support/dns-server.js';

const folder = mkdtempSync(join(tmpdir(), 'rollgate-names-'));
const hostsPath = join(folder, 'hosts');
const resolvConfPath = join(folder, 'resolv.conf');
afterAll(() => rmSync(folder, { recursive: true }));

let dns: DnsServer;
let time: number;
const opened: NameResolver[] = [];
beforeAll(async () => {
  dns = await startDnsServer();
});
beforeEach(() => {
  time = 0;
  dns.zone.clear();
  (dns.queries as string[]).length = 0;
  writeFileSync(hostsPath, '');
  writeFileSync(resolvConfPath, '');
});
afterEach(() => opened.splice(0).forEach((resolver) => resolver.close()));

/** Whatever a test is not about takes as long as the machine wants. */
const PATIENT = { tryMs: 60_000, timeoutMs: 120_000, otherFamilyMs: 60_000 };

const open = (limits: NameResolverParts['limits'] = {}): NameResolver => {
  const resolver = createNameResolver({
    servers: [dns.address],
    hostsPath,
    resolvConfPath,
    now: () => time,
    limits: { ...PATIENT, ...limits },
  });
  opened.push(resolver);
  return resolver;
};

const codeOf = (lookup: Promise<unknown>): Promise<string> =>
  lookup.then(
    () => 'resolved',
    (error: unknown) => (error as NodeJS.ErrnoException).code ?? '',
  );

/** How often a name was looked up; each lookup is two queries. */
const timesAsked = (name: string): number => dns.queries.filter((each) => each === name).length / 2;

describe('a name', () => {
  it('has the addresses of both families, IPv4 first', async () => {
    dns.zone.set('hooks.test', { addresses: ['2001:db8::1', '192.0.2.1', '192.0.2.2'] });
    expect(await open().resolve('Hooks.test')).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
  });

  it('may have addresses of one family alone', async () => {
    dns.zone.set('six.test', { addresses: ['2001:db8::1'] });
    expect(await open().resolve('six.test')).toEqual(['2001:db8::1']);
  });

  it('is not delayed by a server that never responds for the other family', async () => {
    dns.zone.set('half.test', { addresses: ['192.0.2.1'], silentFor: 'AAAA' });
    const resolver = open({ otherFamilyMs: 1 });
    expect(await resolver.resolve('half.test')).toEqual(['192.0.2.1']);
  });

  it('has a limited number of addresses', async () => {
    const addresses = Array.from({ length: 25 }, (_, at) => `192.0.2.${at}`);
    dns.zone.set('many.test', { addresses });
    expect(await open().resolve('many.test')).toEqual(addresses.slice(0, 16));
  });

  it('that is an address is that address', async () => {
    expect(await open().resolve('192.0.2.9')).toEqual(['192.0.2.9']);
    expect(dns.queries).toEqual([]);
  });

  it('that does not exist, has no address or gets no response is distinguished', async () => {
    dns.zone.set('empty.test', { addresses: [] });
    dns.zone.set('failing.test', 'failing');
    dns.zone.set('silent.test', 'silent');
    const resolver = open();
    expect(await codeOf(resolver.resolve('absent.test'))).toBe('ENOTFOUND');
    expect(await codeOf(resolver.resolve('empty.test'))).toBe('ENOTFOUND');
    expect(await codeOf(resolver.resolve('failing.test'))).toBe('EAI_AGAIN');
    expect(await codeOf(open({ serverTimeoutMs: 20 }).resolve('silent.test'))).toBe('EAI_AGAIN');
  });

  it('is given up in time, whatever the settings of the name servers', async () => {
    dns.zone.set('silent.test', 'silent');
    const resolver = open({ timeoutMs: 30 });
    expect(await codeOf(resolver.resolve('silent.test'))).toBe('EAI_AGAIN');
  });

  it('is given up at once when the gateway closes', async () => {
    dns.zone.set('silent.test', 'silent');
    const resolver = open({ perKey: 1 });
    const lookups = ['silent.test', 'waiting.test'].map((name) => codeOf(resolver.resolve(name)));
    resolver.close();
    expect(await Promise.all(lookups)).toEqual(['EAI_AGAIN', 'EAI_AGAIN']);
  });
});

describe('the hosts file', () => {
  it('comes before the name servers, in any case and with a dot at the end', async () => {
    writeFileSync(
      hostsPath,
      '# ours\n192.0.2.7\tHooks.test hooks # not this.test\n2001:db8::7 hooks.test\nnonsense x.test\n',
    );
    dns.zone.set('hooks.test', { addresses: ['192.0.2.1'] });
    const resolver = open();
    expect(await resolver.resolve('HOOKS.test.')).toEqual(['192.0.2.7', '2001:db8::7']);
    expect(await resolver.resolve('hooks')).toEqual(['192.0.2.7']);
    expect(dns.queries).toEqual([]);
    expect(await codeOf(resolver.resolve('this.test'))).toBe('ENOTFOUND');
  });

  it('is read again when it has changed', async () => {
    const resolver = open();
    expect(await codeOf(resolver.resolve('new.test'))).toBe('ENOTFOUND');
    writeFileSync(hostsPath, '192.0.2.8 new.test\n');
    time += 2_000;
    expect(await resolver.resolve('new.test')).toEqual(['192.0.2.8']);
    rmSync(hostsPath);
    time += 30_000;
    expect(await codeOf(resolver.resolve('new.test'))).toBe('ENOTFOUND');
  });

  it('is not needed for localhost, which is loopback without a query', async () => {
    const resolver = open();
    expect(await resolver.resolve('localhost')).toEqual(['127.0.0.1', '::1']);
    expect(await resolver.resolve('hooks.localhost.')).toEqual(['127.0.0.1', '::1']);
    writeFileSync(hostsPath, '127.0.0.1 localhost\n');
    time += 2_000;
    expect(await resolver.resolve('localhost')).toEqual(['127.0.0.1']);
    expect(dns.queries).toEqual([]);
  });
});

describe('the search list', () => {
  beforeEach(() =>
    writeFileSync(
      resolvConfPath,
      'nameserver 192.0.2.53\nsearch ns.svc.test svc.test. ; ours\noptions timeout:1 ndots:2\n',
    ),
  );

  it('completes short names', async () => {
    dns.zone.set('hooks.svc.test', { addresses: ['192.0.2.1'] });
    expect(await open().resolve('hooks')).toEqual(['192.0.2.1']);
    expect(new Set(dns.queries)).toEqual(new Set(['hooks.ns.svc.test', 'hooks.svc.test']));
  });

  it('comes after the name itself if that has enough dots, and never with a trailing dot', async () => {
    dns.zone.set('a.b.test', { addresses: ['192.0.2.1'] });
    dns.zone.set('x.y.z.svc.test', { addresses: ['192.0.2.2'] });
    const resolver = open();
    expect(await resolver.resolve('a.b.test')).toEqual(['192.0.2.1']);
    expect(new Set(dns.queries)).toEqual(new Set(['a.b.test']));
    expect(await resolver.resolve('x.y.z')).toEqual(['192.0.2.2']);
    expect(await codeOf(resolver.resolve('hooks.'))).toBe('ENOTFOUND');
  });

  it('continues after a server’s failure, and reports that the name may exist', async () => {
    dns.zone.set('hooks.ns.svc.test', 'failing');
    dns.zone.set('hooks.svc.test', { addresses: ['192.0.2.1'] });
    dns.zone.set('other.ns.svc.test', 'failing');
    const resolver = open();
    expect(await resolver.resolve('hooks')).toEqual(['192.0.2.1']);
    expect(await codeOf(resolver.resolve('other'))).toBe('EAI_AGAIN');
  });
});

describe('the cache', () => {
  it('keeps an answer for its time to live, at most half a minute', async () => {
    dns.zone.set('short.test', { addresses: ['192.0.2.1'], ttl: 3 });
    dns.zone.set('long.test', { addresses: ['192.0.2.2'], ttl: 86_400 });
    dns.zone.set('none.test', { addresses: ['192.0.2.3'], ttl: 0 });
    const resolver = open();
    const askAll = async () => {
      for (const name of ['short.test', 'long.test', 'none.test']) await resolver.resolve(name);
      return ['short.test', 'long.test', 'none.test'].map(timesAsked);
    };
    expect(await askAll()).toEqual([1, 1, 1]);
    time = 2_999;
    expect(await askAll()).toEqual([1, 1, 2]);
    time = 3_000;
    expect(await askAll()).toEqual([2, 1, 3]);
    time = 30_000;
    expect(await askAll()).toEqual([3, 2, 4]);
  });

  it('keeps a failure for a few seconds', async () => {
    const resolver = open();
    expect(await codeOf(resolver.resolve('late.test'))).toBe('ENOTFOUND');
    dns.zone.set('late.test', { addresses: ['192.0.2.1'] });
    time = 4_999;
    expect(await codeOf(resolver.resolve('late.test', 'another'))).toBe('ENOTFOUND');
    time = 5_000;
    expect(await resolver.resolve('late.test')).toEqual(['192.0.2.1']);
  });

  it('needs one look-up for simultaneous requests of one owner', async () => {
    dns.zone.set('hooks.test', { addresses: ['192.0.2.1'], ttl: 0 });
    const resolver = open();
    await Promise.all(Array.from({ length: 20 }, () => resolver.resolve('hooks.test', 'a')));
    expect(timesAsked('hooks.test')).toBe(1);
  });
});

describe('names of one owner that get no response', () => {
  it('take only that owner’s slots, even for the same name', async () => {
    const dead = Array.from({ length: 100 }, (_, at) => `dead-${at}.test`);
    for (const name of dead) dns.zone.set(name, 'silent');
    dns.zone.set('hooks.test', { addresses: ['192.0.2.1'] });
    const resolver = open();
    const lost = [...dead, 'hooks.test'].map((name) => codeOf(resolver.resolve(name, 'bad')));
    expect(await resolver.resolve('hooks.test', 'good')).toEqual(['192.0.2.1']);
    expect(new Set(dns.queries.filter((name) => name !== 'hooks.test')).size).toBeLessThanOrEqual(
      4,
    );
    resolver.close();
    await Promise.all(lost);
  });

  it('wait in a bounded queue, and owners take turns', async () => {
    dns.zone.set('dead.test', 'held');
    for (const name of ['a1', 'a2', 'b1'])
      dns.zone.set(`${name}.test`, { addresses: ['192.0.2.1'], ttl: 0 });
    const resolver = open({ perKey: 1, overall: 1, waitingPerKey: 2 });
    const order: string[] = [];
    const ask = (name: string, owner: string): Promise<string> =>
      codeOf(resolver.resolve(`${name}.test`, owner)).finally(() => order.push(name));
    const dead = ask('dead', 'a');
    const lookups = [ask('a1', 'a'), ask('a2', 'a'), ask('b1', 'b')];
    expect(await ask('a3', 'a')).toBe('EAI_AGAIN');
    await dns.failHeld('dead.test');
    expect(await dead).toBe('EAI_AGAIN');
    expect(await Promise.all(lookups)).toEqual(['resolved', 'resolved', 'resolved']);
    expect(order).toEqual(['a3', 'dead', 'a1', 'b1', 'a2']);
  });
});
