import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/kernel/json.js';
import type { SourceField } from './connector-contract.js';

/** A field that some records have. */
export interface FoundField extends Pick<SourceField, 'path'> {
  /** `unknown` if none of them has a value. */
  readonly type: string;
  /** The first value, of fields that are no objects. */
  readonly value?: JsonValue;
}

const MAX_DEPTH = 4;

/** The fields of some records, as a mapping names them: `name.first`, `emails.0.value`. */
export const fieldsOfRecords = (records: readonly JsonObject[]): readonly FoundField[] => {
  const fields = new Map<string, FoundField>();
  const visit = (value: JsonValue, path: string, depth: number): void => {
    const prefix = path === '' ? '' : `${path}.`;
    if (isJsonObject(value) && depth < MAX_DEPTH) {
      for (const [name, inner = null] of Object.entries(value))
        visit(inner, `${prefix}${name}`, depth + 1);
      return;
    }
    if (path === '') return;
    const known = fields.get(path);
    if (value === null) fields.set(path, known ?? { path, type: 'unknown' });
    else if (known?.value === undefined)
      fields.set(path, { path, type: Array.isArray(value) ? 'list' : typeof value, value });
    if (!Array.isArray(value) || depth >= MAX_DEPTH) return;
    const [first = null] = value as readonly JsonValue[];
    if (isJsonObject(first)) visit(first, `${prefix}0`, depth + 1);
  };
  for (const record of records) visit(record, '', 0);
  return [...fields.values()];
};
