import type { Pieces } from '../../domain/in-pieces.js';
import { raise } from '../../domain/refusals.js';
import { Cutter, type CutValue } from './cut-json.js';
import { refuseMalformed } from './refuse-malformed.js';

export interface JsonRules {
  /** How many arrays and objects may stand inside each other. */
  readonly depth: number;
  /** How many names one object may have. */
  readonly names: number;
  /** How many values the whole text may hold: texts, numbers, arrays, objects and so on. */
  readonly values: number;
  /** Names that no object may have; empty where another guard looks after them (SCIM). */
  readonly refusedKeys: ReadonlySet<string>;
}

/** An array or object that is open at the place being read. */
interface Level {
  /** The names seen so far; null in an array. */
  readonly keys: Set<string> | null;
  /** The place in it: the name of the member, or the number of the element. */
  at: string | number;
  wantsKey: boolean;
  readonly start: number;
  readonly cutter: Cutter;
}

interface Screening {
  readonly text: string;
  readonly rules: JsonRules;
  readonly levels: Level[];
  /** Whether strings without an escape may hold something bad too. */
  readonly suspicious: boolean;
  /** The last backslash that was looked for; Infinity where there are no more. */
  backslash: number;
  /** Values counted so far: one for each comma, and one for each container that is not empty. */
  values: number;
  /** The outermost array or object, once it is closed. */
  root: Root | undefined;
}

interface Root {
  readonly start: number;
  readonly end: number;
  readonly value: CutValue | undefined;
}

/** Control characters (general category Cc) other than tab, line feed and carriage return. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
const PATH_LENGTH = 200;

const pathOf = (levels: readonly Level[]): string =>
  levels
    .map(({ keys, at }) => (keys ? `.${at}` : `[${at}]`))
    .join('')
    .replace(/^\./, '')
    .slice(0, PATH_LENGTH);

const refuseText = ({ levels }: Screening, message: string): never =>
  raise('INVALID_REQUEST', `The body contains invalid text: it ${message}.`, {
    details: [{ path: pathOf(levels), message }],
  });

const screenText = (screening: Screening, value: string): void => {
  if (!value.isWellFormed()) refuseText(screening, 'must not contain unpaired surrogates');
  if (CONTROL.test(value)) refuseText(screening, 'must not contain control characters');
};

const screenKey = (screening: Screening, level: Level, key: string): void => {
  level.at = key;
  level.wantsKey = false;
  if (screening.rules.refusedKeys.has(key)) refuseText(screening, 'must not be a reserved name');
  if (level.keys?.has(key)) {
    raise('INVALID_JSON', `The body has the name "${pathOf(screening.levels)}" more than once.`);
  }
  level.keys?.add(key);
  if ((level.keys?.size ?? 0) > screening.rules.names) refuseNames(screening);
};

const refuseNames = ({ levels, rules }: Screening): never =>
  raise('INVALID_REQUEST', `An object in the body has more than ${rules.names} names.`, {
    details: [{ path: pathOf(levels.slice(0, -1)), message: `has more than ${rules.names} names` }],
  });

/** Counted before anything is built: a value of two characters takes some 60 bytes once it is. */
const countValue = (screening: Screening): void => {
  screening.values += 1;
  if (screening.values > screening.rules.values) {
    raise(
      'PAYLOAD_TOO_LARGE',
      `The body has more than ${screening.rules.values} values. Split it into several requests.`,
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

/** Where the next backslash at or after this place is; looked for once, however often it is asked. */
const nextBackslash = (screening: Screening, from: number): number => {
  if (screening.backslash < from) {
    const found = screening.text.indexOf('\\', from);
    screening.backslash = found < 0 ? Infinity : found;
  }
  return screening.backslash;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The end of a string that holds escapes: the first quote that no backslash stands before. */
const endOfEscaped = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at += 1;
  }
  return -1;
};

/** Where the string that begins at `start` ends, negative where it has no end; and if it escapes. */
const endOfString = (
  screening: Screening,
  start: number,
): { readonly end: number; readonly escaped: boolean } => {
  const end = screening.text.indexOf('"', start + 1);
  if (end < 0 || nextBackslash(screening, start) > end) return { end, escaped: false };
  return { end: endOfEscaped(screening.text, start), escaped: true };
};

/** Screens one string; answers where it ends, negative where it is no string. */
const screenString = (screening: Screening, start: number): number => {
  const { end, escaped } = endOfString(screening, start);
  const level = screening.levels.at(-1);
  const isKey = level?.wantsKey === true;
  if (end < 0 || !(isKey || escaped || screening.suspicious)) return end;
  const value = escaped
    ? unescape(screening.text.slice(start, end + 1))
    : screening.text.slice(start + 1, end);
  if (value === undefined) return -1;
  if (isKey) screenKey(screening, level, value);
  if (escaped || screening.suspicious) screenText(screening, value);
  return end;
};

const open = ({ levels, rules }: Screening, at: number, isObject: boolean): void => {
  if (levels.length >= rules.depth) {
    raise('INVALID_JSON', `The body is nested deeper than ${rules.depth} levels.`);
  }
  levels.push({
    keys: isObject ? new Set() : null,
    at: isObject ? '' : 0,
    wantsKey: isObject,
    start: at,
    cutter: new Cutter(isObject, at + 1),
  });
};

const advance = (screening: Screening, at: number): void => {
  countValue(screening);
  const level = screening.levels.at(-1);
  level?.cutter.comma(at);
  if (typeof level?.at === 'number') level.at += 1;
  else if (level) level.wantsKey = true;
};

const BLANK = /[ \t\n\r]/;

const isEmptyAt = (text: string, start: number, end: number): boolean => {
  let last = end - 1;
  while (last > start && BLANK.test(text.charAt(last))) last -= 1;
  return last === start;
};

const close = (screening: Screening, at: number): void => {
  const level = screening.levels.pop() ?? refuseMalformed();
  const { start, cutter } = level;
  const isEmpty = isEmptyAt(screening.text, start, at);
  if (!isEmpty) countValue(screening);
  const value = isEmpty ? undefined : cutter.close(at);
  const outer = screening.levels.at(-1);
  if (!outer) screening.root ??= { start, end: at + 1, value };
  else if (value) outer.cutter.child(outer.at, { start, end: at + 1, value });
};

/** Takes one character; answers the place of the last one that is dealt with, negative to stop. */
const step = (screening: Screening, at: number): number => {
  switch (screening.text[at]) {
    case '"':
      return screenString(screening, at);
    case '{':
      open(screening, at, true);
      return at;
    case '[':
      open(screening, at, false);
      return at;
    case ',':
      advance(screening, at);
      return at;
    case '}':
    case ']':
      close(screening, at);
      return at;
    default:
      return at;
  }
};

/** Characters that are gone through between two yields: about a millisecond's work. */
const PIECE = 65_536;

/** Goes on from a place; answers the next one, which is at or after the end where nothing is left. */
const screenFrom = (screening: Screening, from: number, end: number): number => {
  let at = from;
  while (at < end) {
    const last = step(screening, at);
    // A string without an end, or with an escape that is none.
    if (last < 0) return refuseMalformed();
    at = last + 1;
  }
  return at;
};

/**
 * Refuses, in one pass and before anything is built, what `JSON.parse` would take: nesting without
 * end, more names or values than the rules allow, a name given twice (the last would win), half
 * surrogates, control characters, and names that reach into prototypes. Of the grammar it checks
 * only that strings and brackets end; the rest is left to `JSON.parse`. Time is linear in the length
 * of the text, and what it allocates is bounded by the rules. (decisions.md 2 and 3, RFC 8259, 4)
 *
 * Returns where a long text can be cut, so that it can be parsed in pieces; undefined for a text
 * that is to be parsed whole.
 */
export const screenJson = function* (text: string, rules: JsonRules): Pieces<CutValue | undefined> {
  const suspicious = !text.isWellFormed() || CONTROL.test(text);
  const levels: Level[] = [];
  const screening: Screening = {
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
    at = screenFrom(screening, at, Math.min(at + PIECE, text.length));
    yield;
  }
  if (levels.length > 0) refuseMalformed();
  const { root } = screening;
  if (!root?.value) return undefined;
  const around = text.slice(0, root.start) + text.slice(root.end);
  return /[^ \t\n\r]/.test(around) ? refuseMalformed() : root.value;
};
