import { raise } from '../domain/kernel/refusals.js';

export interface Token {
  readonly kind: 'word' | 'string' | '(' | ')' | '[' | ']' | 'end';
  /** The text of a word, or the value of a string. */
  readonly text: string;
  /** Position of the first character, counted from 1. */
  readonly at: number;
}

/** Refuses a filter with INVALID_FILTER, the position and the reason. */
export const refuseFilter = (at: number, what: string): never =>
  raise('INVALID_FILTER', `The filter is not valid at character ${at}: ${what}.`);

const MAX_QUOTED_LENGTH = 60;

/** A token for use in a message, truncated. */
export const quote = ({ text }: Token): string =>
  `"${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}"`;

const PUNCTUATION: ReadonlySet<string> = new Set(['(', ')', '[', ']']);

const WORD = /[^\s()[\]"]+/y;

/** Control characters, which no stored value contains. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Position of the closing quote of the string that starts at `start`. */
const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return refuseFilter(start + 1, 'the string has no closing quote');
};

/** The text of a JSON string literal (RFC 7644, 3.4.2.2: compValue is JSON). */
const unquote = (literal: string, at: number): string => {
  try {
    const value = JSON.parse(literal) as string;
    if (value.isWellFormed() && !FORBIDDEN.test(value)) return value;
  } catch {
    // refused below
  }
  return refuseFilter(at, 'the string in quotes is not a valid JSON string');
};

const readString = (text: string, start: number): { token: Token; next: number } => {
  const end = endOfString(text, start) + 1;
  const value = unquote(text.slice(start, end), start + 1);
  return { token: { kind: 'string', text: value, at: start + 1 }, next: end };
};

const readToken = (text: string, start: number): { token: Token; next: number } => {
  const character = text.charAt(start);
  if (character === '"') return readString(text, start);
  if (PUNCTUATION.has(character)) {
    const kind = character as Token['kind'];
    return { token: { kind, text: character, at: start + 1 }, next: start + 1 };
  }
  WORD.lastIndex = start;
  const word = WORD.exec(text)?.[0] ?? refuseFilter(start + 1, 'words must be separated by spaces');
  return { token: { kind: 'word', text: word, at: start + 1 }, next: start + word.length };
};

/** Splits a filter into tokens in one pass; the last has the kind `end`. */
export const tokenise = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (text[at] === ' ') {
      at += 1;
      continue;
    }
    const { token, next } = readToken(text, at);
    tokens.push(token);
    at = next;
  }
  return [...tokens, { kind: 'end', text: '', at: text.length + 1 }];
};
