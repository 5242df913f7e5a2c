import { type JsonValue, toE164, type Transform } from '../../../src/plugin/api.js';
import { compileDateFormat, isNoDate } from '../iso-date.js';
import { hasValue, keyIn } from './read-path.js';

/** Undefined: no value is left. Throws a MappingError if the value does not fit. */
export type Step = (value: JsonValue) => JsonValue | undefined;

/** A record cannot be mapped; the message is for operators. */
export class MappingError extends Error {
  override readonly name = 'MappingError';
}

const textOf = (value: JsonValue): string | undefined => {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
};

/** Applies it to a text, or to each text of a list. */
const each =
  (change: (text: string) => JsonValue | undefined): Step =>
  (value) => {
    if (Array.isArray(value))
      return value.flatMap((item: JsonValue) => {
        const text = textOf(item);
        const changed = text === undefined ? item : change(text);
        return changed === undefined ? [] : [changed];
      });
    const text = textOf(value);
    return text === undefined ? value : change(text);
  };

const lookUp = (
  table: Readonly<Record<string, JsonValue>>,
  otherwise: JsonValue | undefined,
): Step =>
  each((text) => {
    const key = keyIn(table, text.trim());
    return key === undefined ? otherwise : table[key];
  });

const dateStep = (format: string): Step => {
  const read = compileDateFormat(format);
  return each((text) => {
    if (text.trim() === '' || isNoDate(text)) return undefined;
    const date = read(text);
    if (date === undefined) throw new MappingError(`"${text}" is not a date of the form ${format}`);
    return date;
  });
};

/** A number that cannot be one is left out: it must not keep a person from their account. */
const phoneStep = (country: string): Step => each((text) => toE164(text, country.toUpperCase()));

/** Throws a RangeError with a sentence for operators. */
const compileStep = (transform: Transform): Step => {
  if (transform === 'trim') return each((text) => text.trim());
  if (transform === 'lower') return each((text) => text.toLowerCase());
  if (transform === 'upper') return each((text) => text.toUpperCase());
  if ('map' in transform) return lookUp(transform.map, transform.otherwise);
  if ('date' in transform) return dateStep(transform.date);
  if ('phone' in transform) return phoneStep(transform.phone);
  if ('split' in transform)
    return (value) =>
      typeof value === 'string'
        ? value
            .split(transform.split)
            .map((part) => part.trim())
            .filter((part) => part !== '')
        : value;
  return (value) =>
    Array.isArray(value)
      ? value.flatMap((item: JsonValue) => textOf(item) ?? []).join(transform.join)
      : value;
};

/** All steps after one another, until no value is left. */
export const compileTransforms = (transforms: readonly Transform[] = []): Step => {
  const steps = transforms.map(compileStep);
  return (value) => {
    let current: JsonValue | undefined = value;
    for (const step of steps) {
      if (!hasValue(current)) return undefined;
      current = step(current);
    }
    return hasValue(current) ? current : undefined;
  };
};
