import {
  type JsonObject,
  type JsonValue,
  type Lifecycle,
  type Mapping,
  z,
} from '../../src/plugin/api.js';
import type { Cell, Row } from './database.js';

/** The columns with a value, as text; lists and JSON as they are. */
export const SqlRecord = z.record(z.string(), z.json()) as z.ZodType<JsonObject>;

export const mapping: Mapping = {
  externalId: { path: 'id', required: true },
  userName: { path: 'user_name | email', transform: ['trim', 'lower'], required: true },
  'name.givenName': 'first_name',
  'name.familyName': 'last_name',
  displayName: 'display_name',
  email: { path: 'email', transform: ['trim', 'lower'] },
  'phoneNumbers.work': 'phone',
  'phoneNumbers.mobile': 'mobile',
  title: 'title',
  'enterprise.employeeNumber': 'id',
  'enterprise.department': 'department',
  'enterprise.costCenter': 'cost_center',
  'enterprise.organization': 'organization',
  manager: 'manager_id',
};

export const lifecycle: Lifecycle = {
  start: 'start_date',
  end: 'end_date',
  status: { path: 'status', inactive: ['inactive', 'terminated', 'left'] },
};

/** The record of a row, without the columns that are only used to find the next page. */
export const toRecord = (row: Row, internal: readonly string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, cell]): [string, JsonValue][] => {
      const value = toJson(cell);
      return value === undefined || internal.includes(name) ? [] : [[name, value]];
    }),
  );

/** Numbers and booleans become text, so that both systems show the same. Binary data is left out. */
const toJson = (cell: Cell): JsonValue | undefined => {
  if (cell === null || Buffer.isBuffer(cell)) return undefined;
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'object') return JSON.parse(JSON.stringify(cell)) as JsonValue;
  const text = String(cell);
  return text === '' ? undefined : text;
};
