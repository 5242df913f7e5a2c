import { type Lifecycle, type Mapping, SourceError, z } from '../../src/plugin/api.js';
import type { CsvSettings } from './settings.js';

/** The columns with a value. Their names are those of `columns`, the usual ones, or the header's. */
export const CsvRecord = z.record(z.string(), z.string());

/** The usual columns, which the default mapping reads. */
const FIELDS = [
  'employeeId',
  'userName',
  'firstName',
  'lastName',
  'displayName',
  'email',
  'phone',
  'mobile',
  'title',
  'department',
  'costCenter',
  'organization',
  'manager',
  'startDate',
  'endDate',
  'status',
] as const;

export const mapping: Mapping = {
  externalId: { path: 'employeeId', required: true },
  userName: { path: 'userName | email', transform: ['trim', 'lower'], required: true },
  'name.givenName': 'firstName',
  'name.familyName': 'lastName',
  displayName: 'displayName',
  email: { path: 'email', transform: ['trim', 'lower'] },
  'phoneNumbers.work': 'phone',
  'phoneNumbers.mobile': 'mobile',
  title: 'title',
  'enterprise.employeeNumber': 'employeeId',
  'enterprise.department': 'department',
  'enterprise.costCenter': 'costCenter',
  'enterprise.organization': 'organization',
  manager: 'manager',
};

export const lifecycle: Lifecycle = {
  start: 'startDate',
  end: 'endDate',
  status: {
    path: 'status',
    inactive: ['inactive', 'Inactive', 'terminated', 'Terminated', 'left', 'Left'],
  },
};

const simplify = (name: string): string => name.toLowerCase().replace(/[\s_.-]/g, '');

const USUAL: ReadonlyMap<string, string> = new Map(FIELDS.map((name) => [simplify(name), name]));

/** The names of columns, by their place in the file; an empty one is ignored. */
export const nameColumns = (
  header: readonly string[],
  settings: Pick<CsvSettings, 'columns' | 'required' | 'id'>,
): readonly string[] => {
  const { columns, required, id } = settings;
  if (header.length === 0)
    throw new SourceError('schema', 'The file is empty: it has no header line.');
  const given = new Set(header);
  const missing = [...Object.keys(columns), ...required].filter((name) => !given.has(name));
  if (missing.length > 0)
    throw new SourceError(
      'schema',
      `The file has no column ${missing.join(', ')}. ${describeColumns(header, settings)}`,
    );
  const renamed = new Set(Object.values(columns));
  const names = header.map((name) => {
    const wanted = columns[name];
    if (wanted !== undefined) return wanted;
    // "Employee ID" is employeeId, unless `columns` names another column so.
    const usual = USUAL.get(simplify(name)) ?? name;
    return renamed.has(usual) ? name : usual;
  });
  if (!names.includes(id))
    throw new SourceError(
      'schema',
      `The file has no column ${id}, which identifies a person. ` +
        `${describeColumns(header, settings)} Name the right one in \`columns\`, such as ` +
        `\`{"<header>": ${id}}\`, or in \`id\`.`,
    );
  refuseDuplicates(header, names);
  return names;
};

const refuseDuplicates = (header: readonly string[], names: readonly string[]): void => {
  const same = repeatedIn(header);
  if (same.size > 0)
    throw new SourceError(
      'schema',
      `The header has columns twice: ${quote([...same])}. Rename them in the export.`,
    );
  const twice = repeatedIn(names);
  if (twice.size === 0) return;
  throw new SourceError(
    'schema',
    `Two columns are named ${quote([...twice])}: ` +
      `${quote(header.filter((_, at) => twice.has(names[at] ?? '')))}. Name one of them ` +
      'otherwise in `columns`.',
  );
};

const repeatedIn = (names: readonly string[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  return new Set(names.filter((name) => name !== '' && seen.size === seen.add(name).size));
};

/** A file without any known column may be no export: nothing of it is shown. */
const describeColumns = (
  header: readonly string[],
  { columns, required, id }: Pick<CsvSettings, 'columns' | 'required' | 'id'>,
): string => {
  if (header.filter((name) => name !== '').length === 1)
    return 'Its first line has one value only: it may be a title above the header. Export it without.';
  const known = new Set([...Object.keys(columns), ...required, id]);
  return header.some((name) => known.has(name) || USUAL.has(simplify(name)))
    ? `Its columns: ${quote(header)}.`
    : 'It has no known column at all: it may be no export of people, or its header is missing.';
};

const MAX_QUOTED = 1_000;

const quote = (names: readonly string[]): string => {
  const text = names.join(', ');
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
};

/** The record of a line. */
export const toRecord = (
  names: readonly string[],
  cells: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name, at): [string, string][] => {
      const value = cells[at]?.trim() ?? '';
      return name === '' || value === '' ? [] : [[name, value]];
    }),
  );
