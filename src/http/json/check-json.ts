import type { Chunked } from '../../domain/kernel/chunked.js';
import { raise } from '../../domain/kernel/refusals.js';
import { plainPath } from '../plain-names.js';
import { Splitter, type SplitValue, refuseMalformed } from './split-json.js';

export interface JsonRules {
  /** Maximum nesting of arrays and objects. */
  readonly depth: number;
  /** Maximum number of names in an object. */
  readonly names: number;
  /** Maximum number of values in the whole text, arrays and objects included. */
  readonly values: number;
  /** Names that are not allowed; empty for SCIM, which has its own check. */
  readonly refusedKeys: ReadonlySet<string>;
}

/** An array or object that is not closed yet. */
interface Level {
  /** Names seen so far; null for an array. */
  readonly keys: Set<string> | null;
  /** The current name or index. */
  at: string | number;
  expectsKey: boolean;
  readonly start: number;
  readonly splitter: Splitter;
}

interface JsonCheck {
  readonly text: string;
  readonly rules: JsonRules;
  readonly levels: Level[];
  /** Whether strings without escapes can contain invalid text, too. */
  readonly suspicious: boolean;
  /** Position of the next backslash, found once; Infinity if there is none. */
  backslash: number;
  /** Counted so far: one per comma, and one per non-empty array or object. */
  values: number;
  /** The outermost array or object, once closed. */
  root: Root | undefined;
}

interface Root {
  readonly start: number;
  readonly end: number;
  readonly value: SplitValue | undefined;
}

/** Control characters (general category Cc) other than tab, line feed and carriage return. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const PATH_LENGTH = 200;

const pathOf = (levels: readonly Level[]): ReturnType<typeof plainPath> => {
  const { text, isWhole } = plainPath(levels.map(({ at }) => at));
  return { text: text.slice(0, PATH_LENGTH), isWhole };
};

const refuseText = ({ levels }: JsonCheck, message: string): never =>
  raise('INVALID_REQUEST', `The body contains invalid text: it ${message}.`, {
    details: [{ path: pathOf(levels).text, message }],
  });

const checkText = (check: JsonCheck, value: string): void => {
  if (!value.isWellFormed()) refuseText(check, 'must not contain unpaired surrogates');
  if (CONTROL.test(value)) refuseText(check, 'must not contain control characters');
};

const checkKey = (check: JsonCheck, level: Level, key: string): void => {
  level.at = key;
  level.expectsKey = false;
  if (check.rules.refusedKeys.has(key)) refuseText(check, 'must not be a reserved name');
  if (level.keys?.has(key)) refuseDuplicate(check);
  level.keys?.add(key);
  if ((level.keys?.size ?? 0) > check.rules.names) refuseNames(check);
};

const refuseDuplicate = ({ levels }: JsonCheck): never => {
  const { text, isWhole } = pathOf(levels);
  const where = text === '' ? '' : ` in "${text}"`;
  return raise(
    'INVALID_JSON',
    isWhole
      ? `The body has the name "${text}" more than once.`
      : `The body has a name more than once${where}.`,
  );
};

const refuseNames = ({ levels, rules }: JsonCheck): never =>
  raise('INVALID_REQUEST', `An object in the body has more than ${rules.names} names.`, {
    details: [
      { path: pathOf(levels.slice(0, -1)).text, message: `has more than ${rules.names} names` },
    ],
  });

/** Counted before parsing: a value of two characters takes about 60 bytes in memory. */
const countValue = (check: JsonCheck): void => {
  check.values += 1;
  if (check.values > check.rules.values) {
    raise(
      'PAYLOAD_TOO_LARGE',
      `The body has more than ${check.rules.values} values. Split it into several requests.`,
    );
  }
};

const unescape = (literal: string): string | undefined => {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return undefined;
  }
};

/** The next backslash at or after a position. */
const nextBackslash = (check: JsonCheck, from: number): number => {
  if (check.backslash < from) {
    const found = check.text.indexOf('\\', from);
    check.backslash = found < 0 ? Infinity : found;
  }
  return check.backslash;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The end of a string with escapes: the first unescaped quote. */
const endOfEscaped = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
};

/** The end of the string at `start`, negative if it has none, and whether it has escapes. */
const endOfString = (
  check: JsonCheck,
  start: number,
): { readonly end: number; readonly escaped: boolean } => {
  const end = check.text.indexOf('"', start + 1);
  if (end < 0 || nextBackslash(check, start) > end) return { end, escaped: false };
  return { end: endOfEscaped(check.text, start), escaped: true };
};

/** Checks one string and returns its end; negative if it is malformed. */
const checkString = (check: JsonCheck, start: number): number => {
  const { end, escaped } = endOfString(check, start);
  const level = check.levels.at(-1);
  const isKey = level?.expectsKey === true;
  if (end < 0 || !(isKey || escaped || check.suspicious)) return end;
  const value = escaped
    ? unescape(check.text.slice(start, end + 1))
    : check.text.slice(start + 1, end);
  if (value === undefined) return -1;
  if (isKey) checkKey(check, level, value);
  if (escaped || check.suspicious) checkText(check, value);
  return end;
};

const open = ({ levels, rules }: JsonCheck, at: number, isObject: boolean): void => {
  if (levels.length >= rules.depth) {
    raise('INVALID_JSON', `The body is nested deeper than ${rules.depth} levels.`);
  }
  levels.push({
    keys: isObject ? new Set() : null,
    at: isObject ? '' : 0,
    expectsKey: isObject,
    start: at,
    splitter: new Splitter(isObject, at + 1),
  });
};

const advance = (check: JsonCheck, at: number): void => {
  countValue(check);
  const level = check.levels.at(-1);
  level?.splitter.comma(at);
  if (typeof level?.at === 'number') level.at += 1;
  else if (level) level.expectsKey = true;
};

const BLANK = /[ \t\n\r]/;

const isEmptyAt = (text: string, start: number, end: number): boolean => {
  let last = end - 1;
  while (last > start && BLANK.test(text.charAt(last))) last -= 1;
  return last === start;
};

const close = (check: JsonCheck, at: number): void => {
  const level = check.levels.pop() ?? refuseMalformed();
  const { start, splitter } = level;
  const isEmpty = isEmptyAt(check.text, start, at);
  if (!isEmpty) countValue(check);
  const value = isEmpty ? undefined : splitter.close(at);
  const outer = check.levels.at(-1);
  if (!outer) check.root ??= { start, end: at + 1, value };
  else if (value) outer.splitter.child(outer.at, { start, end: at + 1, value });
};

/**
 * Processes the character at a position and returns the last position processed; negative to stop.
 */
const step = (check: JsonCheck, at: number): number => {
  switch (check.text[at]) {
    case '"':
      return checkString(check, at);
    case '{':
      open(check, at, true);
      return at;
    case '[':
      open(check, at, false);
      return at;
    case ',':
      advance(check, at);
      return at;
    case '}':
    case ']':
      close(check, at);
      return at;
    default:
      return at;
  }
};

/** Characters between two yields: about 1 ms. */
const CHUNK_LENGTH = 65_536;

/** Checks from a position on and returns the next one, at or after `end`. */
const checkFrom = (check: JsonCheck, from: number, end: number): number => {
  let at = from;
  while (at < end) {
    const last = step(check, at);
    // An unterminated string, or one with an invalid escape.
    if (last < 0) return refuseMalformed();
    at = last + 1;
  }
  return at;
};

/**
 * Refuses, in one pass and before anything is built, what `JSON.parse` would accept: excessive
 * nesting, more names or values than the rules allow, duplicate names (the last would win),
 * unpaired surrogates, control characters and reserved names. Of the syntax it only checks that
 * strings and brackets end. Time is linear in the length of the text, memory is bounded by the
 * rules (decisions.md 2 and 3; RFC 8259, 4).
 *
 * Returns where a long text can be split, so that it can be parsed in segments; undefined for a
 * short text.
 */
export const checkJson = function* (
  text: string,
  rules: JsonRules,
): Chunked<SplitValue | undefined> {
  const suspicious = !text.isWellFormed() || CONTROL.test(text);
  const levels: Level[] = [];
  const check: JsonCheck = {
    text,
    rules,
    levels,
    suspicious,
    backslash: -1,
    values: 0,
    root: undefined,
  };
  let at = 0;
  while (at < text.length) {
    at = checkFrom(check, at, Math.min(at + CHUNK_LENGTH, text.length));
    yield;
  }
  if (levels.length > 0) refuseMalformed();
  const { root } = check;
  if (!root?.value) return undefined;
  const around = text.slice(0, root.start) + text.slice(root.end);
  return /[^ \t\n\r]/.test(around) ? refuseMalformed() : root.value;
};
