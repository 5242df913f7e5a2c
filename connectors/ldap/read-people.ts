import type { Entry, Filter } from 'ldapts';
import {
  type ConnectorHost,
  type JsonValue,
  type ReadMessage,
  type ReadRequest,
  SourceError,
  z,
} from '../../src/plugin/api.js';
import { type Connection, loadLdapts, openConnection } from './connect.js';
import { type GroupsOf, haveGroupsChanged, normaliseDn, readGroups } from './read-groups.js';
import {
  type Dialect,
  dialectOf,
  alternativesOf,
  guidToBytes,
  idOf,
  toRecord,
  valuesOf,
} from './record.js';
import { findEntry, search } from './search.js';
import type { LdapSettings } from './settings.js';

type Host = ConnectorHost<LdapSettings>;

/** Where a delta starts: a change number of one domain controller, or a time of the server. */
const Cursor = z.union([
  z.strictObject({ usn: z.string().regex(/^\d+$/), server: z.string() }),
  z.strictObject({ since: z.iso.datetime() }),
]);
type Cursor = z.output<typeof Cursor>;

/** Reads everybody, what changed, or single people. */
export async function* readPeople(host: Host, request: ReadRequest): AsyncGenerator<ReadMessage> {
  const { settings } = host;
  const { signal, pageSize, ids } = request;
  signal.throwIfAborted();
  const startedAt = host.clock.now();
  const connection = await openConnection(settings, host, signal);
  try {
    const next = await nextCursor(connection, settings);
    const { groups } = settings;
    const groupReading = groups && { settings, groups, pageSize };
    const change =
      request.mode === 'delta'
        ? await changedSince(connection, request.cursor, { next, host, groupReading })
        : undefined;
    const groupsOf = groupReading && (await readGroups(connection, groupReading));
    const managers = createManagers(connection, settings);
    let newest = '';
    for (const filter of await filtersOf(settings, ids, change)) {
      const pages = search(
        connection,
        { base: settings.base, filter, attributes: attributesOf(settings), pageSize },
        settings,
      );
      for await (const page of pages) {
        signal.throwIfAborted();
        newest = newestOf(newest, page);
        yield* toMessages(page, { settings, groupsOf, managers });
      }
    }
    yield {
      type: 'complete',
      cursor: ids ? null : (next ?? timeCursor(request.cursor, newest, startedAt)),
    };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await connection.close();
  }
}

export const attributesOf = (settings: LdapSettings): readonly string[] => [
  ...new Set([...dialectOf(settings).attributes, ...settings.attributes, ...settings.lists]),
];

const peopleFilter = (settings: LdapSettings): string =>
  settings.filter ?? dialectOf(settings).people;

const IDS_PER_SEARCH = 50;

/** The filters of the searches that find these people. */
const filtersOf = async (
  settings: LdapSettings,
  ids: readonly string[] | undefined,
  change = '',
): Promise<readonly (Filter | string)[]> => {
  const people = peopleFilter(settings);
  if (!ids) return [change === '' ? people : `(&${people}${change})`];
  const { AndFilter, EqualityFilter, FilterParser, OrFilter } = await loadLdapts();
  const { idAttribute } = dialectOf(settings);
  // Nothing else can be the id of an entry here.
  const wanted = ids.filter((id) => z.guid().safeParse(id).success);
  const terms = wanted.map((id) => {
    const value = settings.directory === 'active-directory' ? guidToBytes(id) : id;
    return new EqualityFilter({ attribute: idAttribute, value });
  });
  return Array.from({ length: Math.ceil(terms.length / IDS_PER_SEARCH) }, (_, at) => {
    const some = terms.slice(at * IDS_PER_SEARCH, (at + 1) * IDS_PER_SEARCH);
    const filters = [FilterParser.parseString(people), new OrFilter({ filters: some })];
    return new AndFilter({ filters });
  });
};

interface Reading {
  readonly settings: LdapSettings;
  readonly groupsOf: GroupsOf | undefined;
  readonly managers: Managers;
}

async function* toMessages(
  page: readonly Entry[],
  { settings, groupsOf, managers }: Reading,
): AsyncGenerator<ReadMessage> {
  const dialect = dialectOf(settings);
  await managers.prepare(page);
  for (const entry of page) {
    const id = idOf(entry, dialect);
    if (id === undefined) throw missingId(entry, dialect);
    const [manager] = valuesOf(entry, 'manager');
    const managerId = manager === undefined ? undefined : managers.idOf(manager);
    const groups = groupsOf?.(entry);
    const related = { ...(managerId !== undefined && { managerId }), ...(groups && { groups }) };
    const data = toRecord(entry, id, related, settings);
    yield { type: 'record', id, data, alternatives: alternativesOf(entry, settings) };
  }
}

const missingId = ({ dn }: Entry, { idAttribute }: Dialect): SourceError =>
  new SourceError(
    'permission',
    `The entry ${dn} has no ${idAttribute}, which identifies a person. Allow this user to read it, or check ` +
      '`directory`.',
  );

/** Finds the ids of entries by their names. */
interface Managers {
  /** Looks up the managers of these people, as far as they are not among them. */
  readonly prepare: (page: readonly Entry[]) => Promise<void>;
  readonly idOf: (dn: string) => string | undefined;
}

const MAX_KNOWN = 50_000;

/** Managers are referred to by name, which changes when they are renamed. */
const createManagers = (connection: Connection, settings: LdapSettings): Managers => {
  const dialect = dialectOf(settings);
  const known = new Map<string, string | undefined>();
  const lookUp = async (dn: string): Promise<void> => {
    const entry = await findEntry(connection, dn, [dialect.idAttribute], settings);
    known.set(normaliseDn(dn), entry && idOf(entry, dialect));
  };
  return {
    prepare: async (page) => {
      if (known.size > MAX_KNOWN) known.clear();
      for (const entry of page) known.set(normaliseDn(entry.dn), idOf(entry, dialect));
      const missing = new Map<string, string>();
      for (const entry of page) {
        const [dn] = valuesOf(entry, 'manager');
        if (dn !== undefined && !known.has(normaliseDn(dn))) missing.set(normaliseDn(dn), dn);
      }
      await Promise.all([...missing.values()].map(lookUp));
    },
    idOf: (dn) => known.get(normaliseDn(dn)),
  };
};

const OVERLAP_MS = 5 * 60_000;
/** Change numbers are given before a change is visible. */
const OVERLAP_CHANGES = 100n;

interface DeltaContext {
  readonly next: Cursor | undefined;
  readonly host: Host;
  readonly groupReading:
    | {
        readonly settings: LdapSettings;
        readonly groups: NonNullable<LdapSettings['groups']>;
        readonly pageSize: number;
      }
    | undefined;
}

/** A filter for what changed; undefined if everybody must be read. */
const changedSince = async (
  connection: Connection,
  given: JsonValue,
  { next, host: { log, settings }, groupReading }: DeltaContext,
): Promise<string | undefined> => {
  const parsed = Cursor.safeParse(given);
  if (!parsed.success) return undefined;
  const cursor = parsed.data;
  if ('usn' in cursor && !(next && 'usn' in next && next.server === cursor.server)) {
    log.info({}, 'Another domain controller responds: reading everybody');
    return undefined;
  }
  const change =
    'usn' in cursor
      ? `(uSNChanged>=${cursor.usn})`
      : `(${dialectOf(settings).changeAttribute}>=${toGeneralizedTime(cursor.since)})`;
  // A person who joins a group does not change.
  if (groupReading && (await haveGroupsChanged(connection, groupReading, change))) {
    log.info({}, 'A group has changed: reading everybody');
    return undefined;
  }
  return change;
};

/** Of Active Directory: its change numbers, which are different in each domain controller. */
const nextCursor = async (
  connection: Connection,
  settings: LdapSettings,
): Promise<Cursor | undefined> => {
  if (settings.directory !== 'active-directory') return undefined;
  const root = await findEntry(connection, '', ['highestCommittedUSN', 'dsServiceName'], settings);
  const [usn] = root ? valuesOf(root, 'highestCommittedUSN') : [];
  const [server] = root ? valuesOf(root, 'dsServiceName') : [];
  if (usn === undefined || server === undefined || !/^\d+$/.test(usn)) return undefined;
  const overlapping = BigInt(usn) - OVERLAP_CHANGES;
  return { usn: String(overlapping > 0n ? overlapping : 0n), server };
};

/**
 * The earlier of the start of the read and the newest change that it saw, in case the server's clock
 * is behind, minus an overlap. Never before the last cursor.
 */
const timeCursor = (given: JsonValue, newest: string, startedAt: Date): Cursor => {
  const seen = fromGeneralizedTime(newest);
  const until = Math.min(startedAt.getTime(), seen ?? startedAt.getTime());
  const since = new Date(until - OVERLAP_MS).toISOString();
  const last = Cursor.safeParse(given).data;
  return last && 'since' in last && last.since > since ? last : { since };
};

const newestOf = (newest: string, page: readonly Entry[]): string => {
  for (const entry of page) {
    const [at = ''] = valuesOf(entry, 'modifyTimestamp');
    if (at > newest) newest = at;
  }
  return newest;
};

/** RFC 4517, 3.3.13: `20261122171500Z`. */
const toGeneralizedTime = (iso: string): string => `${iso.slice(0, 19).replace(/[-:T]/g, '')}Z`;

const fromGeneralizedTime = (text: string): number | undefined => {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
};
