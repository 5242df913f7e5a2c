import type { JsonObject } from '../../../src/plugin/api.js';
import { hasValue, readPath } from '../mapping/read-path.js';

/** Which of the mapped fields a read has lost. */
export interface FieldLosses {
  /** In how many linked records a field had a value before and has none now. */
  readonly lost: Readonly<Partial<Record<string, number>>>;
  /** Fields without a value in any record of the read. */
  readonly empty: readonly string[];
}

/** Compares the mapped fields of the records that were read with what is stored of them. */
export interface FieldWatch {
  readonly read: (data: JsonObject) => void;
  /** Other records of the read, by the fields without a value in any of them. */
  readonly readOthers: (empty: readonly string[]) => void;
  /** A linked record that has changed. */
  readonly compare: (before: JsonObject, data: JsonObject) => void;
  readonly losses: () => FieldLosses;
}

export const createFieldWatch = (fields: readonly string[]): FieldWatch => {
  const unseen = new Set(fields);
  const lost: Record<string, number> = {};
  const isIn = (data: JsonObject, field: string): boolean => hasValue(readPath(data, field));
  return {
    read: (data) => {
      for (const field of unseen) if (isIn(data, field)) unseen.delete(field);
    },
    readOthers: (empty) => {
      for (const field of unseen) if (!empty.includes(field)) unseen.delete(field);
    },
    compare: (before, data) => {
      for (const field of fields)
        if (isIn(before, field) && !isIn(data, field)) lost[field] = (lost[field] ?? 0) + 1;
    },
    losses: () => ({ lost, empty: [...unseen] }),
  };
};
