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
