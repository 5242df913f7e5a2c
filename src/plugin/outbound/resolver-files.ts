import { isIP } from 'node:net';
import { readFile, stat } from 'node:fs/promises';

/** How long a file is assumed to be unchanged after a check. */
const CHECK_MS = 1_000;

/**
 * The content of a system file, read again when it has changed. A missing file is empty; if it
 * cannot be read at the moment, the previous content is returned.
 */
export const createWatchedFile = <Content>(
  path: string,
  parse: (text: string) => Content,
  now: () => number = () => performance.now(),
): (() => Promise<Content>) => {
  let content = parse('');
  let state = 'absent';
  let checkedAt = -Infinity;
  let refreshing: Promise<Content> | undefined;

  const refresh = async (): Promise<Content> => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const seen = `${mtimeMs} ${size} ${ino}`;
      if (seen !== state) content = parse(await readFile(path, 'utf8'));
      state = seen;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        content = parse('');
        state = 'absent';
      }
    }
    return content;
  };

  return () => {
    if (refreshing) return refreshing;
    if (now() - checkedAt < CHECK_MS) return Promise.resolve(content);
    refreshing = refresh().finally(() => {
      checkedAt = now();
      refreshing = undefined;
    });
    return refreshing;
  };
};

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

/** How short names are made whole (resolv.conf(5)). */
export interface SearchList {
  readonly domains: readonly string[];
  /** A name with at least this many dots is first looked up as it is. */
  readonly ndots: number;
}

export const RESOLV_CONF_PATH = '/etc/resolv.conf';

/** The traditional bound; Kubernetes writes three to six. */
const MAX_DOMAINS = 6;
const MAX_NDOTS = 15;

/** The last `search` or `domain` line counts, and of the options `ndots` alone: c-ares reads the rest. */
export const parseSearchList = (text: string): SearchList => {
  let domains: readonly string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    if (keyword === 'search') domains = words;
    else if (keyword === 'domain') domains = words.slice(0, 1);
    else if (keyword === 'options') ndots = ndotsIn(words) ?? ndots;
  }
  const whole = domains.map((domain) => domain.replace(/^\.+|\.+$/g, ''));
  return { domains: whole.filter((domain) => domain !== '').slice(0, MAX_DOMAINS), ndots };
};

const ndotsIn = (options: readonly string[]): number | undefined => {
  const [, digits] = options.map((option) => /^ndots:(\d{1,3})$/.exec(option)).find(Boolean) ?? [];
  return digits === undefined ? undefined : Math.min(Number(digits), MAX_NDOTS);
};

/** Candidates for a name, in the order of lookup. A trailing dot makes a name absolute. */
export const candidatesOf = (
  name: string,
  { domains, ndots }: SearchList,
): readonly [string, ...string[]] => {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const found = domains.map((domain) => `${name}.${domain}`);
  const [first, ...others] = found;
  const dots = name.split('.').length - 1;
  return first === undefined || dots >= ndots ? [name, ...found] : [first, ...others, name];
};
