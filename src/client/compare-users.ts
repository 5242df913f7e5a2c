import type { RollgateClient } from './client.js';
import { splitCsv, withoutGuard } from './csv.js';
import { nameKey } from './name-key.js';
import type { components } from './generated/openapi.js';

/** By which the user of a row is found, strongest first. */
const KEYS = ['external_id', 'user_name', 'email'] as const;
/** What is read from an export. */
export const COMPARED_FIELDS = [...KEYS, 'display_name', 'active'] as const;
export type ComparedField = (typeof COMPARED_FIELDS)[number];

/** A user here, as far as it is compared. */
export type UserHere = Pick<components['schemas']['User'], 'id' | ComparedField>;

/** A user of the export; what it does not say is absent. */
export interface UserThere {
  /** In the file, from 1. */
  readonly line: number;
  readonly external_id?: string;
  readonly user_name?: string;
  readonly email?: string;
  readonly display_name?: string;
  readonly active?: boolean;
}

/** The header of the column of each field. A display name may have two: first and last name. */
export type ExportColumns = Readonly<Partial<Record<ComparedField, readonly string[]>>>;

/** A line that could not be read, or only in part. */
export interface BadExportLine {
  readonly line: number;
  readonly message: string;
}

export interface ProviderExport {
  readonly header: readonly string[];
  readonly columns: ExportColumns;
  readonly users: readonly UserThere[];
  readonly bad_lines: readonly BadExportLine[];
}

export interface UserDifference {
  readonly user: UserHere;
  readonly line: number;
  readonly changes: readonly {
    readonly field: ComparedField;
    readonly here: string | boolean | null;
    readonly there: string | boolean;
  }[];
}

export interface UserComparison {
  /** How many users are the same. Deactivated here, and disabled or absent there, is the same. */
  readonly same: number;
  /** How many rows found their user by which field. */
  readonly found_by: Readonly<Record<(typeof KEYS)[number], number>>;
  readonly only_here: readonly UserHere[];
  readonly only_there: readonly UserThere[];
  readonly different: readonly UserDifference[];
  readonly bad_lines: readonly BadExportLine[];
}

export const MAX_EXPORT_BYTES = 32 * 1_024 * 1_024;
const MAX_ROWS = 100_000;
const MAX_SHOWN_COLUMNS = 40;

/** Names of columns, simplified, best first: Rollgate's own, Okta's, Entra's, Google's, an HR system's. */
const KNOWN: Readonly<Record<Exclude<ComparedField, 'display_name'>, readonly string[]>> = {
  external_id: ['externalid', 'objectid', 'id', 'userid', 'employeeid', 'employeenumber'],
  user_name: ['username', 'userprincipalname', 'upn', 'login'],
  email: ['email', 'mail', 'emailaddress', 'primaryemail', 'workemail'],
  active: ['active', 'accountenabled', 'enabled', 'status', 'accountstatus'],
};
const DISPLAY_NAMES = ['displayname', 'fullname', 'name'];
const FIRST_NAMES = ['firstname', 'givenname'];
const LAST_NAMES = ['lastname', 'surname', 'familyname', 'sn'];
/** What a member of an Entra group is. */
const KINDS = ['objecttype', 'membertype'];

/** `profile.firstName`, `First Name [Required]` and `first_name` are `firstname`. */
const simplify = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\[[^\]]*\]?/g, '')
    .replace(/^(user\.)?profile\./, '')
    .replace(/[\s_.-]/g, '');

/** The columns that exports of providers are known to have. */
const recogniseColumns = (header: readonly string[]): ExportColumns => {
  const find = (names: readonly string[]): string | undefined =>
    names
      .map((name) => header.find((title) => simplify(title) === name))
      .find((title) => title !== undefined);
  const display = find(DISPLAY_NAMES);
  const [first, last] = [find(FIRST_NAMES), find(LAST_NAMES)];
  const named = display !== undefined ? [display] : first && last ? [first, last] : undefined;
  const others = Object.entries(KNOWN).flatMap(([field, names]) => {
    const title = find(names);
    return title === undefined ? [] : [[field, [title]] as const];
  });
  return { ...Object.fromEntries(others), ...(named && { display_name: named }) };
};

const YES = ['true', 'yes', 'y', '1', 'enabled', 'active', 'provisioned', 'recovery'];
const YES_OF_OKTA = ['password_expired', 'password expired', 'locked_out', 'locked out'];
/** Okta provisions no staged users. */
const NO = [
  'false',
  'no',
  'n',
  '0',
  'disabled',
  'inactive',
  'suspended',
  'deprovisioned',
  'staged',
];
const NO_OF_OTHERS = ['deactivated', 'archived', 'blocked', 'terminated', 'left', 'deleted'];

const STATES: ReadonlyMap<string, boolean> = new Map([
  ...[...YES, ...YES_OF_OKTA].map((text) => [text, true] as const),
  ...[...NO, ...NO_OF_OTHERS].map((text) => [text, false] as const),
]);

/**
 * Reads an export of users or of a group. Throws a RangeError with a sentence for people if it is no
 * such file. `columns`: instead of those that are recognised.
 */
export const readProviderExport = (text: string, columns?: ExportColumns): ProviderExport => {
  if (text.length > MAX_EXPORT_BYTES) throw new RangeError('The file is larger than 32 MiB.');
  const [head, ...rows] = splitCsv(text.replace(/^\uFEFF/, ''));
  if (!head) throw new RangeError('The file is empty.');
  if (rows.length > MAX_ROWS) throw new RangeError('The file has more than 100,000 rows.');
  const header = head.cells;
  const used = columns ?? recogniseColumns(header);
  if (!used.external_id && !used.user_name && !used.email)
    throw new RangeError(
      'The file has no known column with external IDs, user names or email addresses. ' +
        `Its columns: ${header.slice(0, MAX_SHOWN_COLUMNS).join(', ')}.`,
    );
  const placesOf = (field: ComparedField): readonly number[] =>
    (used[field] ?? []).map((title) => header.indexOf(title)).filter((at) => at !== -1);
  const places = COMPARED_FIELDS.map((field) => [field, placesOf(field)] as const);
  const kindAt = header.findIndex((title) => KINDS.includes(simplify(title)));
  const users: UserThere[] = [];
  const bad: BadExportLine[] = [];
  const seen = new Map<string, number>();
  for (const { line, cells, isCut } of rows) {
    const reject = (message: string) => void bad.push({ line, message });
    const cellAt = (at: number): string => withoutGuard(cells[at] ?? '');
    const kind = kindAt === -1 ? '' : cellAt(kindAt);
    const values = Object.fromEntries(
      places.map(([field, at]) => [field, at.map(cellAt).join(' ').trim()]),
    ) as Record<ComparedField, string>;
    const { external_id: externalId, user_name: userName, email } = values;
    const keys = [`id ${externalId}`, `name ${nameKey(userName)}`].filter(
      (key) => !key.endsWith(' '),
    );
    const twin = keys.map((key) => seen.get(key)).find((other) => other !== undefined);
    if (isCut) reject('A quote is not closed: the file may have been cut.');
    else if (cells.length !== header.length)
      reject(`The line has ${cells.length} cells, the header has ${header.length}.`);
    else if (/group|device|contact|service|application/i.test(kind)) reject('It is not a user.');
    else if (externalId + userName + email === '')
      reject('It has no external ID, user name or email address.');
    else if (twin !== undefined) reject(`It has the external ID or user name of line ${twin}.`);
    else {
      for (const key of keys) seen.set(key, line);
      const { active: state, ...texts } = values;
      const active = STATES.get(state.toLowerCase());
      if (state !== '' && active === undefined)
        reject('Its status is not known, and was not compared.');
      const given = Object.entries(texts).filter(([, value]) => value !== '');
      users.push({
        line,
        ...Object.fromEntries(given),
        ...(active !== undefined && { active }),
      });
    }
  }
  return { header, columns: used, users, bad_lines: bad };
};

/** Compares users with an export. Keeps in memory the export and what differs, not all users. */
export const compareUsers = async (
  users: AsyncIterable<UserHere>,
  { users: there, bad_lines }: Pick<ProviderExport, 'users' | 'bad_lines'>,
): Promise<UserComparison> => {
  const rowsBy = KEYS.map((key) => {
    const rows = new Map<string, UserThere>();
    for (const row of there) {
      const value = nameKey(row[key] ?? '');
      if (value !== '' && !rows.has(value)) rows.set(value, row);
    }
    return rows;
  });
  const matches = new Map<UserThere, { readonly user: UserHere; readonly by: number }>();
  const onlyHere: UserHere[] = [];
  const findRow = (user: UserHere): void => {
    for (const [by, key] of KEYS.entries()) {
      const row = rowsBy[by]?.get(nameKey(user[key] ?? ''));
      const earlier = row && matches.get(row);
      if (!row || (earlier && earlier.by <= by)) continue;
      matches.set(row, { user, by });
      // A record that a weaker key had matched looks for another row, by a still weaker one.
      if (earlier) findRow(earlier.user);
      return;
    }
    if (user.active) onlyHere.push(user);
  };
  for await (const user of users) findRow(user);

  const foundBy = { external_id: 0, user_name: 0, email: 0 };
  for (const { by } of matches.values()) foundBy[KEYS[by] ?? 'email'] += 1;
  const different: UserDifference[] = [];
  const onlyThere: UserThere[] = [];
  let same = 0;
  for (const row of there) {
    const user = matches.get(row)?.user;
    if (user) {
      const changes = changesOf(user, row);
      if (changes.length === 0) same += 1;
      else different.push({ user, line: row.line, changes });
    } else if (row.active === false) same += 1;
    else onlyThere.push(row);
  }
  return {
    ...{ same, found_by: foundBy, only_here: onlyHere, only_there: onlyThere },
    ...{ different, bad_lines },
  };
};

/** Providers send ids of their own or none: an external ID only finds users. */
const changesOf = (user: UserHere, row: UserThere): UserDifference['changes'] => {
  // Who has left is often renamed or emptied in the directory.
  if (!user.active && row.active === false) return [];
  return COMPARED_FIELDS.flatMap((field) => {
    const [here, there] = [user[field], row[field]];
    if (field === 'external_id' || there === undefined) return [];
    const isSame =
      field === 'display_name'
        ? String(here).trim() === there
        : nameKey(String(here ?? '')) === nameKey(String(there));
    return isSame ? [] : [{ field, here, there }];
  });
};

/** All users of a tenant, or the members of a group or room. */
export async function* usersToCompare(
  api: RollgateClient,
  slug: string,
  of: { readonly group?: string; readonly room?: string } = {},
): AsyncGenerator<UserHere> {
  const query = { limit: 500 };
  const members = new Set<string>();
  const { group, room } = of;
  if (group !== undefined) {
    const path = { slug, id: group };
    const read = api.list('/admin/v1/tenants/{slug}/groups/{id}/members', { path, query });
    for await (const { user_id: id } of read) members.add(id);
    if (members.size === 0) return;
  }
  const given = { path: { slug }, query: { ...query, ...(room !== undefined && { room }) } };
  for await (const user of api.list('/admin/v1/tenants/{slug}/users', given)) {
    if (group !== undefined && !members.delete(user.id)) continue;
    const { id, external_id, user_name, email, display_name, active } = user;
    yield { id, external_id, user_name, email, display_name, active };
    if (group !== undefined && members.size === 0) return;
  }
}

/** A line of the result as a table: one for each user, or for each field that differs. */
export interface ComparedRow {
  readonly result: 'only here' | 'only there' | 'different' | 'not read';
  readonly user_name: string;
  readonly email: string;
  readonly external_id: string;
  readonly display_name: string;
  readonly field: string;
  readonly here: string;
  readonly there: string;
  readonly line: string;
  readonly id: string;
}

const EMPTY: ComparedRow = {
  result: 'not read',
  ...{ user_name: '', email: '', external_id: '', display_name: '' },
  ...{ field: '', here: '', there: '', line: '', id: '' },
};

export const rowsOfComparison = (found: UserComparison): readonly ComparedRow[] => {
  const about = (user: UserHere | UserThere) => ({
    ...{ user_name: user.user_name ?? '', email: user.email ?? '' },
    ...{ external_id: user.external_id ?? '', display_name: user.display_name ?? '' },
    ...('id' in user ? { id: user.id } : { line: String(user.line) }),
  });
  return [
    ...found.only_here.map((user) => ({ ...EMPTY, ...about(user), result: 'only here' as const })),
    ...found.only_there.map((user) => ({
      ...{ ...EMPTY, ...about(user), result: 'only there' as const },
    })),
    ...found.different.flatMap(({ user, line, changes }) =>
      changes.map(({ field, here, there }) => ({
        ...{ ...EMPTY, ...about(user), result: 'different' as const },
        ...{ field, here: String(here ?? ''), there: String(there), line: String(line) },
      })),
    ),
    ...found.bad_lines.map(({ line, message }) => ({
      ...{ ...EMPTY, line: String(line), there: message },
    })),
  ];
};
