import type { Pieces } from '../../domain/in-pieces.js';
import { raise } from '../../domain/refusals.js';

export interface JsonRules {
  /** How many arrays and objects may stand inside each other. */
  readonly depth: number;
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
}

interface Screening {
  readonly text: string;
  readonly rules: JsonRules;
  readonly levels: Level[];
  /** Whether strings without an escape may hold something bad too. */
  readonly suspicious: boolean;
  /** The last backslash that was looked for; Infinity where there are no more. */
  backslash: number;
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
  raise('INVALID_REQUEST', `The body holds text that cannot be kept: ${message}.`, {
    details: [{ path: pathOf(levels), message }],
  });

const screenText = (screening: Screening, value: string): void => {
  if (!value.isWellFormed()) refuseText(screening, 'half of a surrogate pair stands alone');
  if (CONTROL.test(value)) refuseText(screening, 'control characters are not allowed');
};

const screenKey = (screening: Screening, level: Level, key: string): void => {
  level.at = key;
  level.wantsKey = false;
  if (screening.rules.refusedKeys.has(key)) refuseText(screening, 'this name is reserved');
  if (level.keys?.has(key)) {
    raise('INVALID_JSON', `The body names "${pathOf(screening.levels)}" twice.`);
  }
  level.keys?.add(key);
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

const open = ({ levels, rules }: Screening, isObject: boolean): void => {
  if (levels.length >= rules.depth) {
    raise('INVALID_JSON', `The body nests deeper than ${rules.depth} levels.`);
  }
  levels.push({ keys: isObject ? new Set() : null, at: isObject ? '' : 0, wantsKey: isObject });
};

const advance = (level: Level | undefined): void => {
  if (typeof level?.at === 'number') level.at += 1;
  else if (level) level.wantsKey = true;
};

/** Takes one character; answers the place of the last one that is dealt with, negative to stop. */
const step = (screening: Screening, at: number): number => {
  switch (screening.text[at]) {
    case '"':
      return screenString(screening, at);
    case '{':
      open(screening, true);
      return at;
    case '[':
      open(screening, false);
      return at;
    case ',':
      advance(screening.levels.at(-1));
      return at;
    case '}':
    case ']':
      return screening.levels.pop() ? at : -1;
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
    if (last < 0) return screening.text.length;
    at = last + 1;
  }
  return at;
};

/**
 * Refuses, in one pass and before anything is built, what `JSON.parse` would take: nesting without
 * end, a name given twice (the last would win), half surrogates, control characters, and names
 * that reach into prototypes. It leaves the grammar to `JSON.parse`: on text that is no JSON it
 * simply stops. Time is linear in the length of the text. (decisions.md 2, RFC 8259, 4)
 */
export const screenJson = function* (text: string, rules: JsonRules): Pieces<void> {
  const suspicious = !text.isWellFormed() || CONTROL.test(text);
  const screening: Screening = { text, rules, levels: [], suspicious, backslash: -1 };
  let at = 0;
  while (at < text.length) {
    at = screenFrom(screening, at, Math.min(at + PIECE, text.length));
    yield;
  }
};
