import { isIP } from 'node:net';

/** Addresses by name, in lower case and without a dot at the end. */
export type Hosts = ReadonlyMap<string, readonly string[]>;

/** Where the system keeps it (hosts(5)). */
export const HOSTS_PATH =
  process.platform === 'win32'
    ? `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`
    : '/etc/hosts';

/** A name as it is looked up in the hosts file: `Example.COM.` is `example.com`. */
export const hostsKey = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Lines of an address and its names; other lines are skipped, as by the system. */
export const parseHosts = (text: string): Hosts => {
  const hosts = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map(hostsKey)) {
      const known = hosts.get(name);
      if (!known) hosts.set(name, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return hosts;
};
