import type { JsonValue } from '../../../domain/json.js';

/** A value as a reader sees it: texts as they are, all else as JSON, nothing as nothing. */
export const textOf = (value: JsonValue | undefined): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
