import type { z } from 'zod';
import { type core } from 'zod';
import type { Chunked } from '../../domain/kernel/chunked.js';
import { isJsonObject, type JsonObject } from '../../domain/kernel/json.js';
import { plainPath } from '../plain-names.js';
import { refuse, type RefusalDetail, RefusalError } from '../../domain/kernel/refusals.js';

/** Maximum number of details in a refusal. */
const MAX_DETAILS = 100;

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
  datetime: 'must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z',
  url: 'must be a URL',
};

const UNITS: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
};

const UNKNOWN_FIELD = 'is not a known field';

const sizeMessage = (word: string, limit: number | bigint, origin: string): string => {
  const unit = UNITS[origin];
  if (!unit) return `must be ${word} ${limit}`;
  return limit === 1 && word === 'at least'
    ? 'must not be empty'
    : `must have ${word} ${limit} ${unit}`;
};

/** The message for an issue; follows the name of the field. */
const messageOf: core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return sizeMessage('at least', issue.minimum, issue.origin);
    case 'too_big':
      return sizeMessage('at most', issue.maximum, issue.origin);
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'has an invalid format';
    case 'unrecognized_keys':
      return UNKNOWN_FIELD;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a valid name';
    case 'invalid_union':
      return 'has none of the allowed formats';
    default:
      return 'is not valid';
  }
};

/** About a field, or about what contains it if its name is not repeated. */
export const detailAt = (
  path: readonly PropertyKey[],
  message: string,
  ofContainer = `contains a field that ${message}`,
): RefusalDetail => {
  const { text, isWhole } = plainPath(path);
  return { path: text, message: isWhole ? message : ofContainer };
};

/** The details of an issue: one per field. */
const detailsOf = (issue: core.$ZodIssue): readonly RefusalDetail[] => {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) =>
      detailAt([...issue.path, key], issue.message, 'contains an unknown field'),
    );
  // An invalid name in an object whose names the client chooses.
  if (issue.code === 'invalid_key')
    return [detailAt(issue.path, issue.message, `contains an invalid name: it ${issue.message}`)];
  return [detailAt(issue.path, issue.message)];
};

/** The first detail for each path: the others usually follow from it. */
const firstPerPath = (details: readonly RefusalDetail[]): readonly RefusalDetail[] =>
  details.filter(({ path }, at) => details.findIndex((other) => other.path === path) === at);

const summarise = (what: string, details: readonly RefusalDetail[]): string => {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : '';
  return `The ${what} is not valid: ${first?.path || 'it'} ${first?.message ?? ''}${more}.`;
};

/** The refusal INVALID_REQUEST with these details. */
export const invalidRequest = (
  what: 'body' | 'query',
  details: readonly RefusalDetail[],
): RefusalError =>
  new RefusalError(
    refuse('INVALID_REQUEST', summarise(what, details), { details: details.slice(0, MAX_DETAILS) }),
  );

const refuseIssues = (what: 'body' | 'query', issues: readonly core.$ZodIssue[]): never => {
  const details = issues.slice(0, MAX_DETAILS).flatMap(detailsOf).slice(0, MAX_DETAILS);
  throw invalidRequest(what, firstPerPath(details));
};

/** Parses a value. Throws RefusalError INVALID_REQUEST with details. */
export const parseWith = <Schema extends z.ZodType>(
  schema: Schema,
  what: 'body' | 'query',
  value: unknown,
): z.output<Schema> => {
  const parsed = schema.safeParse(value, { error: messageOf });
  return parsed.success ? parsed.data : refuseIssues(what, parsed.error.issues);
};

/** Items that are parsed between two yields. */
const CHUNK_ITEMS = 256;

/** Issues of a chunk with the indexes of the whole array. */
const shiftIndexes = (issues: readonly core.$ZodIssue[], by: number): readonly core.$ZodIssue[] =>
  issues.flatMap(({ path, ...issue }) => {
    const [list, at, ...rest] = path;
    // Other issues of the body were reported with the first chunk.
    if (typeof at !== 'number') return by === 0 ? [{ ...issue, path }] : [];
    return [{ ...issue, path: [list, at + by, ...rest] } as core.$ZodIssue];
  });

/**
 * Parses a body with an array that may be very long, in chunks. Each item is checked on its own, so
 * the schema must not check the array as a whole.
 */
const parseLongList = function* (
  schema: z.ZodType,
  list: string,
  value: unknown,
): Chunked<unknown> {
  const items = isJsonObject(value) ? value[list] : undefined;
  if (!Array.isArray(items) || items.length <= CHUNK_ITEMS) return parseWith(schema, 'body', value);
  const issues: core.$ZodIssue[] = [];
  const read: unknown[] = [];
  for (let at = 0; at < items.length && issues.length < MAX_DETAILS; at += CHUNK_ITEMS) {
    const chunk = { ...(value as object), [list]: items.slice(at, at + CHUNK_ITEMS) };
    const parsed = schema.safeParse(chunk, { error: messageOf });
    if (parsed.success) read.push(...((parsed.data as JsonObject)[list] as unknown[]));
    else issues.push(...shiftIndexes(parsed.error.issues, at));
    yield;
  }
  return issues.length > 0 ? refuseIssues('body', issues) : { ...(value as object), [list]: read };
};

/** Maximum length of arrays in a body, except for the one that may be as long as the body. */
const MAX_ITEMS = 1_000;

/**
 * Counts items before parsing: a schema checks all items before it reports that there are too many,
 * which takes 1 s and 150 MB for the 300,000 items of a hostile body.
 */
const refuseLongArrays = (value: unknown, longList: string | undefined): void => {
  if (Array.isArray(value) && value.length > MAX_ITEMS) throw tooManyItems([]);
  if (!isJsonObject(value)) return;
  for (const [name, list] of Object.entries(value)) {
    if (name !== longList && Array.isArray(list) && list.length > MAX_ITEMS)
      throw tooManyItems([name]);
  }
};

const tooManyItems = (path: readonly string[]): RefusalError =>
  invalidRequest('body', [detailAt(path, sizeMessage('at most', MAX_ITEMS, 'array'))]);

/**
 * Parses a body, in chunks if it has a long array. Throws RefusalError INVALID_REQUEST with
 * details.
 */
export const parseBody = function* (
  schema: z.ZodType,
  value: unknown,
  longList?: string,
): Chunked<unknown> {
  refuseLongArrays(value, longList);
  return longList === undefined
    ? parseWith(schema, 'body', value)
    : yield* parseLongList(schema, longList, value);
};
