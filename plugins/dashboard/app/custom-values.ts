import type { Schema } from './api/schema.ts';

type Attribute = Pick<Schema<'CustomAttribute'>, 'type' | 'multi_valued'>;
type Value = NonNullable<Schema<'User'>['custom']>[string];

/** The items of a text that separates them by commas. */
export const itemsIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

export const textOf = (value: Value | undefined): string =>
  Array.isArray(value) ? value.join(', ') : String(value ?? '');

/** What the field of a number takes, for `<input pattern>`; undefined: any text. */
export const patternOf = ({ type, multi_valued: isList }: Attribute): string | undefined => {
  if (isList) return undefined;
  if (type === 'integer') return String.raw`\s*-?\d+\s*`;
  return type === 'decimal' ? String.raw`\s*-?\d+(\.\d+)?(e[+\-]?\d+)?\s*` : undefined;
};

/**
 * The text of a field as the API takes it; null removes the value. A number that cannot be read stays
 * a text, which the API refuses: as NaN it would be null, and remove the value.
 */
export const valueOf = ({ type, multi_valued: isList }: Attribute, text: string): Value | null => {
  const read = (item: string) =>
    (type === 'integer' || type === 'decimal') && Number.isFinite(Number(item))
      ? Number(item)
      : item;
  if (isList) return itemsIn(text).map(read);
  return text === '' ? null : read(text);
};
