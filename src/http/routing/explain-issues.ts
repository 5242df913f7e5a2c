import type { z } from 'zod';
import { type core } from 'zod';
import type { Pieces } from '../../domain/in-pieces.js';
import { isJsonObject, type JsonObject } from '../../domain/json.js';
import { refuse, type RefusalDetail, RefusalError } from '../../domain/refusals.js';

/** What is told of a request at most; a list of ten thousand faults helps nobody. */
const MOST = 100;

const NOUNS: Readonly<Record<string, string>> = {
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

const amount = (word: string, limit: number | bigint, origin: string): string => {
  const unit = UNITS[origin];
  if (!unit) return `must be ${word} ${limit}`;
  return limit === 1 && word === 'at least'
    ? 'must not be empty'
    : `must have ${word} ${limit} ${unit}`;
};

/** What is wrong, as the end of a sentence that begins with the field's name. */
const explain: core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return amount('at least', issue.minimum, issue.origin);
    case 'too_big':
      return amount('at most', issue.maximum, issue.origin);
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

const pathOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');

/** What can be told without repeating what may be anything: a phone number, a password. */
const NAME = /^[A-Za-z_][\w.:$-]{0,63}$/;

const unknownKey = (path: readonly PropertyKey[], key: string, message: string): RefusalDetail =>
  NAME.test(key)
    ? { path: pathOf([...path, key]), message }
    : { path: pathOf(path), message: 'contains an unknown field' };

/** A name that the client was free to choose, and chose badly. */
const refusedName = ({ path, message }: core.$ZodIssue): RefusalDetail =>
  NAME.test(String(path.at(-1)))
    ? { path: pathOf(path), message }
    : {
        path: pathOf(path.slice(0, -1)),
        message: `contains an invalid name: it ${message}`,
      };

/** One detail a fault; a fault that names several fields is told of each. */
const detailsOf = (issue: core.$ZodIssue): readonly RefusalDetail[] => {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey(issue.path, key, issue.message));
  if (issue.code === 'invalid_key') return [refusedName(issue)];
  return [{ path: pathOf(issue.path), message: issue.message }];
};

/** What is first wrong with each field: the faults that follow from it would only confuse. */
const oneAPath = (details: readonly RefusalDetail[]): readonly RefusalDetail[] =>
  details.filter(({ path }, at) => details.findIndex((other) => other.path === path) === at);

const summarise = (what: string, details: readonly RefusalDetail[]): string => {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : '';
  return `The ${what} is not valid: ${first?.path || 'it'} ${first?.message ?? ''}${more}.`;
};

/** The refusal INVALID_REQUEST for faults of form, told in words that a person can act on. */
export const invalidRequest = (
  what: 'body' | 'query',
  details: readonly RefusalDetail[],
): RefusalError =>
  new RefusalError(
    refuse('INVALID_REQUEST', summarise(what, details), { details: details.slice(0, MOST) }),
  );

const refuseIssues = (what: 'body' | 'query', issues: readonly core.$ZodIssue[]): never => {
  const details = issues.slice(0, MOST).flatMap(detailsOf).slice(0, MOST);
  throw invalidRequest(what, oneAPath(details));
};

/** The value as the schema gives it. Throws RefusalError INVALID_REQUEST with its details. */
export const parseWith = <Schema extends z.ZodType>(
  schema: Schema,
  what: 'body' | 'query',
  value: unknown,
): z.output<Schema> => {
  const parsed = schema.safeParse(value, { error: explain });
  return parsed.success ? parsed.data : refuseIssues(what, parsed.error.issues);
};

/** Entries that are checked between two yields. */
const PIECE = 256;

/** What is wrong with entries that stand this much further back in the list than was said. */
const movedBy = (issues: readonly core.$ZodIssue[], by: number): readonly core.$ZodIssue[] =>
  issues.flatMap(({ path, ...issue }) => {
    const [list, at, ...rest] = path;
    // What is wrong with the rest of the body was told with the first entries.
    if (typeof at !== 'number') return by === 0 ? [{ ...issue, path }] : [];
    return [{ ...issue, path: [list, at + by, ...rest] } as core.$ZodIssue];
  });

/**
 * The same for a body whose list of this name may be very long: its entries are checked some at a
 * time, each by itself, so the schema must not look at the list as a whole.
 */
export const parseLongList = function* (
  schema: z.ZodType,
  list: string,
  value: unknown,
): Pieces<unknown> {
  const entries = isJsonObject(value) ? value[list] : undefined;
  if (!Array.isArray(entries) || entries.length <= PIECE) return parseWith(schema, 'body', value);
  const issues: core.$ZodIssue[] = [];
  const read: unknown[] = [];
  for (let at = 0; at < entries.length && issues.length < MOST; at += PIECE) {
    const some = { ...(value as object), [list]: entries.slice(at, at + PIECE) };
    const parsed = schema.safeParse(some, { error: explain });
    if (parsed.success) read.push(...((parsed.data as JsonObject)[list] as unknown[]));
    else issues.push(...movedBy(parsed.error.issues, at));
    yield;
  }
  return issues.length > 0 ? refuseIssues('body', issues) : { ...(value as object), [list]: read };
};

/** No list of a body has more entries, but the one that may be as long as the body. */
const MOST_ENTRIES = 1_000;

/**
 * A schema looks at every entry before it says that there are too many, and makes an issue of each:
 * a second and 150 MB for the 300,000 of a hostile body. So they are counted first.
 */
const refuseLongLists = (value: unknown, longList: string | undefined): void => {
  if (Array.isArray(value) && value.length > MOST_ENTRIES) throw tooManyEntries('');
  if (!isJsonObject(value)) return;
  for (const [name, list] of Object.entries(value)) {
    if (name !== longList && Array.isArray(list) && list.length > MOST_ENTRIES)
      throw tooManyEntries(NAME.test(name) ? name : '');
  }
};

const tooManyEntries = (path: string): RefusalError =>
  invalidRequest('body', [{ path, message: amount('at most', MOST_ENTRIES, 'array') }]);

/**
 * A body as the schema gives it, in pieces where a list of this name may be very long. Throws
 * RefusalError INVALID_REQUEST with its details.
 */
export const parseBody = function* (
  schema: z.ZodType,
  value: unknown,
  longList?: string,
): Pieces<unknown> {
  refuseLongLists(value, longList);
  return longList === undefined
    ? parseWith(schema, 'body', value)
    : yield* parseLongList(schema, longList, value);
};
