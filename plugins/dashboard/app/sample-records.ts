import { splitCsv } from 'rollgate/client';

/** Of a source, as the gateway previews it. */
export type SampleRecord = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is SampleRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const simplified = (name: string): string => name.toLowerCase().replaceAll(/[\s_.-]/g, '');

/** Columns get the names that the source's fields have, as connectors name them: `Employee ID`. */
const recordsInCsv = (text: string, fields: readonly string[]): readonly SampleRecord[] => {
  const [header, ...lines] = splitCsv(text).map(({ cells }) => cells);
  const usual = new Map(fields.map((name) => [simplified(name), name]));
  const names = (header ?? []).map((name) => usual.get(simplified(name)) ?? name);
  return lines.map((cells) =>
    Object.fromEntries(
      names.flatMap((name, at) => {
        const cell = cells[at] ?? '';
        return name === '' || cell === '' ? [] : [[name, cell]];
      }),
    ),
  );
};

/** A list, the first list in an object, one object, or one object in each line. */
const recordsInJson = (text: string): readonly SampleRecord[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    if (lines.length < 2) throw error;
    value = lines.map((line) => JSON.parse(line) as unknown);
  }
  return recordsIn(value);
};

const recordsIn = (value: unknown): readonly SampleRecord[] => {
  if (Array.isArray(value)) return value.filter(isRecord);
  if (!isRecord(value)) return [];
  const list = Object.values(value).find((one) => Array.isArray(one) && one.some(isRecord));
  return list === undefined ? [value] : recordsIn(list);
};

/** The records of a CSV or JSON file. */
export const readSample = (text: string, fields: readonly string[]): readonly SampleRecord[] =>
  /^\s*[[{]/.test(text) ? recordsInJson(text) : recordsInCsv(text, fields);
