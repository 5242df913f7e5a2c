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
  { columns, required, id }: CsvSettings,
): readonly string[] => {
  const missing = [...Object.keys(columns), ...required].filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new SourceError(
      'schema',
      `The file has no column ${missing.join(', ')}. Its columns: ${header.join(', ')}.`,
    );
  const renamed = new Set(Object.values(columns));
  const names = header.map((name) => {
    const given = columns[name];
    if (given !== undefined) return given;
    // "Employee ID" is employeeId, unless `columns` names another column so.
    const usual = USUAL.get(simplify(name)) ?? name;
    return renamed.has(usual) ? name : usual;
  });
  const twice = names.filter((name, at) => name !== '' && names.indexOf(name) < at);
  if (twice.length > 0)
    throw new SourceError(
      'schema',
      `Two columns are named ${twice.join(', ')}: ` +
        `${header.filter((_, at) => twice.includes(names[at] ?? '')).join(', ')}. Name one of them ` +
        'otherwise in `columns`.',
    );
  if (!names.includes(id))
    throw new SourceError(
      'schema',
      `The file has no column ${id}, which identifies a person. Its columns: ` +
        `${header.join(', ')}. Name the right one in \`columns\`, such as ` +
        `\`{"${header[0] ?? ''}": ${id}}\`, or in \`id\`.`,
    );
  return names;
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
