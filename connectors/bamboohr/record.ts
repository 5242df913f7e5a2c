import { type JsonObject, type JsonValue, z } from '../../src/plugin/api.js';

const Text = z.string().nullable();

/** An employee as the connector yields it: the fields of the dataset, and two that it adds. */
export const BambooRecord = z
  .looseObject({
    eeid: z.string(),
    status: z.string(),
    /**
     * `Active`, `Inactive`, or `Upcoming`: BambooHR counts future hires as inactive.
     */
    state: z.enum(['Active', 'Inactive', 'Upcoming']),
    /** The termination date, unless it belongs to an employment before the last hire. */
    lastDay: Text,
  })
  .transform((record) => record as JsonObject);

/** A row of the dataset. */
export const Row = z.looseObject({
  fields: z.looseObject({ eeid: z.union([z.string(), z.number()]).transform(String) }),
  _restrictedFields: z.array(z.string()).optional(),
});

type Row = z.infer<typeof Row>;

/** The requested fields that the API key may not see of this employee. */
export const hiddenFieldsOf = (row: Row, requested: readonly string[]): readonly string[] => {
  const named = new Set([...(row._restrictedFields ?? []), ...restrictedIn(row.fields)]);
  return requested.filter((field) => named.has(field) || !(field in row.fields));
};

const restrictedIn = (fields: Readonly<Record<string, unknown>>): readonly string[] => {
  const restricted = fields['_restrictedFields'];
  return Array.isArray(restricted) ? restricted.map(String) : [];
};

/** The record of a row. `today` is an ISO date. */
export const recordOf = (
  row: Row,
  requested: readonly string[],
  today: string,
): JsonObject & { readonly eeid: string } => {
  const fields = Object.fromEntries(
    requested.map((field) => [field, present(row.fields[field] as JsonValue)]),
  );
  const { hireDate, terminationDate } = fields;
  const hired = typeof hireDate === 'string' ? hireDate : '';
  const lastDay =
    typeof terminationDate === 'string' && terminationDate >= hired ? terminationDate : null;
  const isUpcoming = fields['status'] !== 'Active' && lastDay === null && hired > today;
  const state = isUpcoming ? 'Upcoming' : fields['status'] === 'Active' ? 'Active' : 'Inactive';
  return { ...fields, eeid: row.fields.eeid, state, lastDay };
};

/** BambooHR also writes "no value" as an empty text and as a date of zeros. */
const present = (value: JsonValue): JsonValue =>
  value === '' || value === '0000-00-00' ? null : value;
