import type { Entry } from 'ldapts';
import {
  type JsonObject,
  type Lifecycle,
  type Mapping,
  SourceError,
  z,
} from '../../src/plugin/api.js';
import type { LdapSettings } from './settings.js';

/** Attributes by name: text, or a list of texts for `lists` and `groups`. */
export const LdapRecord = z
  .object({
    /** entryUUID or objectGUID. */
    id: z.guid(),
    dn: z.string(),
    /** The id of the manager; absent if the manager is not in this directory. */
    managerId: z.guid().optional(),
    /** In Active Directory. */
    accountStatus: z.enum(['enabled', 'disabled']).optional(),
    /** In Active Directory: the last day. */
    endDate: z.iso.date().optional(),
  })
  .catchall(z.union([z.string(), z.array(z.string())]));

export const mapping: Mapping = {
  externalId: { path: 'id', required: true },
  userName: {
    path: 'userPrincipalName | uid | mail',
    transform: ['trim', 'lower'],
    required: true,
  },
  'name.givenName': 'givenName',
  'name.familyName': 'sn',
  displayName: 'displayName | cn',
  email: { path: 'mail', transform: ['trim', 'lower'] },
  'phoneNumbers.work': 'telephoneNumber',
  'phoneNumbers.mobile': 'mobile',
  title: 'title',
  preferredLanguage: 'preferredLanguage',
  'enterprise.employeeNumber': 'employeeNumber | employeeID',
  'enterprise.department': 'department | departmentNumber | ou',
  'enterprise.organization': 'company | o',
  manager: 'managerId',
};

export const lifecycle: Lifecycle = {
  end: 'endDate',
  status: { path: 'accountStatus', inactive: ['disabled'] },
};

const USUAL = [
  ...['uid', 'cn', 'sn', 'givenName', 'displayName', 'mail', 'telephoneNumber', 'mobile', 'title'],
  ...['preferredLanguage', 'employeeNumber', 'employeeType', 'departmentNumber', 'ou', 'o', 'l'],
  'manager',
];

const OPENLDAP = ['entryUUID', 'modifyTimestamp'];

const ACTIVE_DIRECTORY = [
  ...['objectGUID', 'uSNChanged', 'sAMAccountName', 'userPrincipalName', 'userAccountControl'],
  ...['accountExpires', 'employeeID', 'department', 'company'],
];

/** What differs between kinds of directories. */
export interface Dialect {
  readonly idAttribute: string;
  readonly changeAttribute: string;
  readonly people: string;
  readonly groups: string;
  readonly attributes: readonly string[];
}

export const dialectOf = ({ directory }: Pick<LdapSettings, 'directory'>): Dialect =>
  directory === 'active-directory'
    ? {
        idAttribute: 'objectGUID',
        changeAttribute: 'uSNChanged',
        people: '(&(objectCategory=person)(objectClass=user))',
        groups: '(objectClass=group)',
        attributes: [...USUAL, ...ACTIVE_DIRECTORY],
      }
    : {
        idAttribute: 'entryUUID',
        changeAttribute: 'modifyTimestamp',
        people: '(objectClass=person)',
        groups:
          '(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))',
        attributes: [...USUAL, ...OPENLDAP],
      };

/** All values as texts; one value and several look the same. */
export const valuesOf = (entry: Entry, name: string): readonly string[] => {
  const key = name in entry ? name : keyLike(entry, name);
  const value = key === undefined ? undefined : entry[key];
  if (value === undefined) return [];
  const values: readonly (string | Buffer)[] = Array.isArray(value) ? value : [value];
  return values.map((one) => one.toString()).filter((one) => one !== '');
};

/** Names of attributes ignore case. */
const keyLike = (entry: Entry, name: string): string | undefined =>
  Object.keys(entry).find((key) => key.toLowerCase() === name.toLowerCase());

/** The id, as lower-case UUID; undefined if this user may not read it. */
export const idOf = (entry: Entry, { idAttribute }: Dialect): string | undefined => {
  const value = entry[keyLike(entry, idAttribute) ?? idAttribute];
  const first = Array.isArray(value) ? value[0] : value;
  if (Buffer.isBuffer(first)) return first.length === 16 ? guidToText(first) : undefined;
  return first === undefined || first === '' ? undefined : first.toLowerCase();
};

/** The first three groups of an objectGUID are little-endian (MS-DTYP, 2.3.4.2). */
const swapGroups = (bytes: Buffer): Buffer => {
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
};

const guidToText = (bytes: Buffer): string =>
  swapGroups(Buffer.from(bytes))
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

export const guidToBytes = (uuid: string): Buffer =>
  swapGroups(Buffer.from(uuid.replaceAll('-', ''), 'hex'));

/** Fields that change without meaning: every sign-in of a user would be a change of the record. */
const INTERNAL = new Set([
  'dn',
  'manager',
  'entryuuid',
  'objectguid',
  'modifytimestamp',
  'usnchanged',
]);

export interface Related {
  readonly managerId?: string;
  readonly groups?: readonly string[];
}

/** The attributes of which a record has one of several values, in the order of the server. */
export const alternativesOf = (
  entry: Entry,
  { lists }: LdapSettings,
): Readonly<Record<string, readonly string[]>> | undefined => {
  const listed = new Set(lists.map((name) => name.toLowerCase()));
  const several = Object.keys(entry)
    .filter((name) => !INTERNAL.has(name.toLowerCase()) && !listed.has(name.toLowerCase()))
    .map((name) => [name, valuesOf(entry, name)] as const)
    .filter(([, values]) => values.length > 1);
  return several.length === 0 ? undefined : Object.fromEntries(several);
};

/** The record of an entry. */
export const toRecord = (
  entry: Entry,
  id: string,
  { managerId, groups }: Related,
  settings: LdapSettings,
): JsonObject => {
  const lists = new Set(settings.lists.map((name) => name.toLowerCase()));
  const record: Record<string, string | string[]> = { id, dn: entry.dn };
  for (const name of Object.keys(entry)) {
    if (INTERNAL.has(name.toLowerCase())) continue;
    const values = valuesOf(entry, name);
    const [first] = values;
    if (lists.has(name.toLowerCase())) record[name] = [...values].sort();
    else if (first !== undefined) record[name] = first;
  }
  if (managerId !== undefined) record.managerId = managerId;
  if (groups) record.groups = [...groups];
  return { ...record, ...accountOf(entry, settings) };
};

const ACCOUNT_DISABLED = 0x2;

/** From userAccountControl and accountExpires. */
const accountOf = (entry: Entry, { directory, timeZone }: LdapSettings): JsonObject => {
  if (directory !== 'active-directory') return {};
  const [control = ''] = valuesOf(entry, 'userAccountControl');
  // Without it, a disabled account would look like one in use.
  if (!/^-?\d+$/.test(control))
    throw new SourceError(
      'permission',
      `The entry ${entry.dn} has no userAccountControl, which says whether the account is disabled. ` +
        'Allow this user to read it, or leave such entries out with `filter`.',
    );
  const [expires] = valuesOf(entry, 'accountExpires');
  const endDate = expires === undefined ? undefined : lastDay(expires, timeZone);
  return {
    accountStatus: (Number(control) & ACCOUNT_DISABLED) === 0 ? 'enabled' : 'disabled',
    ...(endDate !== undefined && { endDate }),
  };
};

const NEVER = new Set(['0', '9223372036854775807']);
const SECONDS_FROM_1601_TO_1970 = 11_644_473_600n;

/** The last day of an account. Active Directory stores the moment after it, in 100 ns since 1601. */
const lastDay = (expires: string, timeZone: string): string | undefined => {
  if (NEVER.has(expires) || !/^\d{1,19}$/.test(expires)) return undefined;
  const ms = Number(BigInt(expires) / 10_000n - SECONDS_FROM_1601_TO_1970 * 1_000n);
  // sv-SE writes dates as ISO does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(ms - 1);
};
