import type { Entry } from 'ldapts';
import type { Connection } from './connect.js';
import { dialectOf, valuesOf } from './record.js';
import { search } from './search.js';
import type { LdapSettings } from './settings.js';

/** The groups of a person, sorted by name. */
export type GroupsOf = (person: Entry) => readonly string[];

type GroupSettings = NonNullable<LdapSettings['groups']>;

interface Groups {
  readonly settings: LdapSettings;
  readonly groups: GroupSettings;
  readonly pageSize: number;
}

/** Reads all groups, and who is in them. */
export const readGroups = (connection: Connection, reading: Groups): Promise<GroupsOf> =>
  reading.settings.directory === 'active-directory'
    ? askForMembers(connection, reading)
    : collectMembers(connection, reading);

/** Whether a group has changed since; then everybody's groups may have. */
export const haveGroupsChanged = async (
  connection: Connection,
  { settings, groups, pageSize }: Groups,
  since: string,
): Promise<boolean> => {
  const filter = `(&${filterOf(settings, groups)}${since})`;
  const found = search(
    connection,
    { base: groups.base, filter, attributes: ['1.1'], pageSize },
    settings,
  );
  for await (const page of found) if (page.length > 0) return true;
  return false;
};

const filterOf = (settings: LdapSettings, { filter }: GroupSettings): string =>
  filter ?? dialectOf(settings).groups;

interface Group {
  readonly name: string;
  /** Names of entries. */
  readonly members: readonly string[];
  /** User ids, of a posixGroup. */
  readonly memberUids: readonly string[];
}

/** Follows the members of groups here, for servers that cannot. */
const collectMembers = async (
  connection: Connection,
  { settings, groups, pageSize }: Groups,
): Promise<GroupsOf> => {
  const found = new Map<string, Group>();
  const pages = search(
    connection,
    {
      base: groups.base,
      filter: filterOf(settings, groups),
      attributes: ['cn', 'member', 'uniqueMember', 'memberUid'],
      pageSize,
    },
    settings,
  );
  for await (const page of pages)
    for (const entry of page) {
      const members = [...valuesOf(entry, 'member'), ...valuesOf(entry, 'uniqueMember')];
      found.set(normaliseDn(entry.dn), {
        name: nameOf(entry),
        members: members.map(normaliseDn),
        memberUids: valuesOf(entry, 'memberUid'),
      });
    }
  const parents = new Map<string, string[]>();
  const uidParents = new Map<string, string[]>();
  for (const [dn, { members, memberUids }] of found) {
    for (const member of members) append(parents, member, dn);
    for (const uid of memberUids) append(uidParents, uid, dn);
  }
  return (person) => {
    const direct = [
      ...(parents.get(normaliseDn(person.dn)) ?? []),
      ...valuesOf(person, 'uid').flatMap((uid) => uidParents.get(uid) ?? []),
    ];
    const reached = groups.nested ? closure(direct, parents) : new Set(direct);
    return sortedNames([...reached].map((dn) => found.get(dn)?.name ?? ''));
  };
};

/** Everything above these groups, each once: groups may contain one another. */
const closure = (
  start: readonly string[],
  parents: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> => {
  const reached = new Set(start);
  // A set can grow while it is walked.
  for (const dn of reached) for (const parent of parents.get(dn) ?? []) reached.add(parent);
  return reached;
};

/** LDAP_MATCHING_RULE_IN_CHAIN (MS-ADTS, 3.1.1.3.4.4.3): the server follows nested groups. */
const IN_CHAIN = '1.2.840.113556.1.4.1941';

/** Asks Active Directory for the members of each group: the list in a large group is cut there. */
const askForMembers = async (
  connection: Connection,
  { settings, groups, pageSize }: Groups,
): Promise<GroupsOf> => {
  const namesOf = new Map<string, string[]>();
  const all = { base: groups.base, filter: filterOf(settings, groups), attributes: ['cn'] };
  const found: Entry[] = [];
  for await (const page of search(connection, { ...all, pageSize }, settings)) found.push(...page);
  const rule = groups.nested ? `memberOf:${IN_CHAIN}:` : 'memberOf';
  const people = settings.filter ?? dialectOf(settings).people;
  for (const group of found) {
    const members = search(
      connection,
      {
        base: settings.base,
        filter: `(&${people}(${rule}=${escapeFilter(group.dn)}))`,
        attributes: ['1.1'],
        pageSize,
      },
      settings,
    );
    for await (const page of members)
      for (const { dn } of page) append(namesOf, normaliseDn(dn), nameOf(group));
  }
  return ({ dn }) => sortedNames(namesOf.get(normaliseDn(dn)) ?? []);
};

const append = (map: Map<string, string[]>, key: string, value: string): void => {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
};

const nameOf = (group: Entry): string => valuesOf(group, 'cn')[0] ?? '';

const sortedNames = (names: readonly string[]): readonly string[] =>
  [...new Set(names.filter((name) => name !== ''))].sort();

/** RFC 4515, 3. */
const escapeFilter = (value: string): string =>
  value.replace(/[\\*()\0]/g, (c) => `\\${c.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Servers write the same name in different ways: `CN=Ann, OU=x` and `cn=ann,ou=x`. */
export const normaliseDn = (dn: string): string =>
  dn
    // RFC 4514, 2.4: any byte may be escaped in hex, those of letters too.
    .replace(/\\\\|(?:\\[0-9a-f]{2})+/gi, (escaped) =>
      escaped === '\\\\'
        ? escaped
        : Buffer.from(escaped.replaceAll('\\', ''), 'hex')
            .toString()
            .replace(/[,=+<>#;"\\\s]/g, '\\$&'),
    )
    // Each character is looked at once: a server chooses how many spaces there are.
    .replace(/\\[^]|\s*([,=+])\s*|\s+/g, (whole, separator?: string) => separator ?? whole)
    .toLowerCase();
