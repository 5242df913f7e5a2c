import { createHash, hash } from 'node:crypto';
import { z } from 'zod';
import { SourceError } from './connector-contract.js';

const text = z.string().trim().min(1).max(256);

/** The setting for which groups of a directory are read. `named`: what identifies a group. */
export const groupsField = (named: string) =>
  z
    .strictObject({
      names: z.array(text).max(1_000).default([]).describe(`Groups to read, by ${named}.`),
      prefix: text.optional().describe(`Reads all groups whose ${named} begins with this.`),
    })
    .refine(({ names, prefix }) => names.length > 0 || prefix !== undefined, {
      error: 'expected names or a prefix',
    })
    .optional();

/** Which groups to read. */
export type GroupSelection = NonNullable<z.infer<ReturnType<typeof groupsField>>>;

/**
 * The selected groups, in the order of their names. Throws a SourceError if one is missing, because its
 * members would leave its room, or if a name is not unique.
 */
export const selectGroups = <Group extends { readonly id: string; readonly name: string }>(
  groups: Iterable<Group>,
  { names, prefix }: GroupSelection,
  source: string,
): readonly Group[] => {
  const missing = new Map(names.map((name) => [name.toLowerCase(), name]));
  const wanted = new Set(missing.keys());
  const selected = new Map<string, Group>();
  for (const group of groups) {
    const name = group.name.toLowerCase();
    const isPrefixed = prefix !== undefined && name.startsWith(prefix.toLowerCase());
    if (!isPrefixed && !wanted.has(name) && !wanted.has(group.id.toLowerCase())) continue;
    if (selected.has(name)) throw new SourceError('config', ambiguous(source, group.name));
    missing.delete(name);
    missing.delete(group.id.toLowerCase());
    selected.set(name, group);
  }
  const [first] = missing.values();
  if (first !== undefined || selected.size === 0)
    throw new SourceError('config', notFound(source, first ?? `${prefix}…`));
  return [...selected.keys()].sort().map((name) => selected.get(name) as Group);
};

const ambiguous = (source: string, name: string): string =>
  `${source} has several groups named "${name}". Rename one of them, or list groups by id.`;

const notFound = (source: string, name: string): string =>
  `${source} shows no group "${name}". Correct the setting groups, or let the credentials read the group.`;

/** Who is in which of the groups. */
export interface Memberships {
  /** The names of a person's groups, sorted. */
  readonly groupsOf: (memberId: string) => readonly string[];
  /** Changes if a membership changes. */
  readonly digest: string;
}

/** Collects memberships. */
export interface MembershipCollector {
  readonly add: (group: string, memberId: string) => void;
  /** Called once, after the last one. */
  readonly finish: () => Memberships;
}

const MAX_GROUPS = 65_536;

/** The halves of each hash, and the group; `finish` sorts them by hash, for the binary search. */
interface Columns {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly group: Uint16Array;
}

const allocate = (capacity: number): Columns => ({
  high: new Uint32Array(capacity),
  low: new Uint32Array(capacity),
  group: new Uint16Array(capacity),
});

const doubled = ({ high, low, group }: Columns): Columns => {
  const columns = allocate(high.length * 2);
  columns.high.set(high);
  columns.low.set(low);
  columns.group.set(group);
  return columns;
};

const sorted = ({ high, low, group }: Columns, size: number): Columns => {
  let order = new Uint32Array(size).map((_, at) => at);
  order = sortedBy(order, group, 0);
  for (const key of [low, high]) for (const shift of [0, 16]) order = sortedBy(order, key, shift);
  const from =
    (keys: Uint32Array | Uint16Array) =>
    (_: number, at: number): number =>
      keys[order[at] ?? 0] ?? 0;
  return {
    high: new Uint32Array(size).map(from(high)),
    low: new Uint32Array(size).map(from(low)),
    group: new Uint16Array(size).map(from(group)),
  };
};

/** The numbers of a member's groups, in columns that are sorted. */
function* groupsIn({ high, low, group }: Columns, memberId: string): Generator<number> {
  const hashed = hashOf(memberId);
  const [wantedHigh, wantedLow] = [hashed.readUInt32LE(0), hashed.readUInt32LE(4)];
  let from = 0;
  let to = high.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const atHigh = high[middle] ?? 0;
    const isBefore =
      atHigh < wantedHigh || (atHigh === wantedHigh && (low[middle] ?? 0) < wantedLow);
    if (isBefore) from = middle + 1;
    else to = middle;
  }
  for (let at = from; high[at] === wantedHigh && low[at] === wantedLow; at += 1)
    yield group[at] ?? 0;
}

/**
 * Memberships of large groups in 10 bytes each: a hash of 64 bits of the member's id and the number of
 * the group, found by binary search.
 */
export const collectMemberships = (): MembershipCollector => {
  const names: string[] = [];
  const numbers = new Map<string, number>();
  let columns = allocate(1_024);
  let size = 0;

  const numberOf = (name: string): number => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    if (names.length === MAX_GROUPS)
      throw new SourceError('config', `More than ${MAX_GROUPS} groups are selected. Select fewer.`);
    numbers.set(name, names.length);
    return names.push(name) - 1;
  };

  return {
    add: (name, memberId) => {
      const number = numberOf(name);
      if (size === columns.high.length) columns = doubled(columns);
      const digest = hashOf(memberId);
      columns.high[size] = digest.readUInt32LE(0);
      columns.low[size] = digest.readUInt32LE(4);
      columns.group[size] = number;
      size += 1;
    },
    finish: () => {
      columns = sorted(columns, size);
      const digest = createHash('sha256').update(JSON.stringify(names));
      const { high, low, group } = columns;
      for (const column of [high, low, group]) digest.update(column);
      return {
        groupsOf: (memberId) => {
          const found = [...groupsIn(columns, memberId)].map((number) => names[number] ?? '');
          return [...new Set(found)].sort();
        },
        digest: digest.digest('base64url'),
      };
    },
  };
};

/**
 * Positions, sorted by 16 bits of their keys without changing the order of equal ones (radix sort): a
 * comparison of half a million would stop the process for seconds.
 */
const sortedBy = (
  order: Uint32Array,
  keys: Uint32Array | Uint16Array,
  shift: number,
): Uint32Array<ArrayBuffer> => {
  const starts = new Uint32Array(65_537);
  const digitOf = (at: number): number => ((keys[at] ?? 0) >>> shift) & 0xffff;
  for (const at of order) starts[digitOf(at) + 1] = (starts[digitOf(at) + 1] ?? 0) + 1;
  for (let digit = 1; digit < starts.length; digit += 1)
    starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0);
  const sorted = new Uint32Array(order.length);
  for (const at of order) {
    const start = starts[digitOf(at)] ?? 0;
    sorted[start] = at;
    starts[digitOf(at)] = start + 1;
  }
  return sorted;
};

const hashOf = (id: string): Buffer => hash('sha256', id, 'buffer');
