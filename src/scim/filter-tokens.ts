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
const tokenise = (text: string): readonly Token[] => {
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

interface Limits {
  readonly characters: number;
  readonly terms: number;
}

/** Enough for one hundred ids. */
const FILTER_LIMITS: Limits = { characters: 8192, terms: 100 };
/**
 * Lower, because inside the lane every operation of a PATCH compares its path with every element.
 */
const PATH_LIMITS: Limits = { characters: 1024, terms: 10 };
const MAX_DEPTH = 20;

/** The position of the parser in a filter or path, and the counts that are limited. */
export interface TokenCursor {
  readonly tokens: readonly Token[];
  readonly maxTerms: number;
  index: number;
  terms: number;
  depth: number;
}

const createCursor = (text: string, { characters, terms }: Limits): TokenCursor => {
  if (text.length > characters) {
    refuseFilter(characters + 1, `it must have at most ${characters} characters`);
  }
  return { tokens: tokenise(text), maxTerms: terms, index: 0, terms: 0, depth: 0 };
};

export const createFilterCursor = (text: string): TokenCursor => createCursor(text, FILTER_LIMITS);

export const createPathCursor = (text: string): TokenCursor => createCursor(text, PATH_LIMITS);

const END: Token = { kind: 'end', text: '', at: 0 };

export const peek = ({ tokens, index }: TokenCursor, ahead = 0): Token =>
  tokens[Math.min(index + ahead, tokens.length - 1)] ?? END;

export const take = (cursor: TokenCursor): Token => {
  const token = peek(cursor);
  cursor.index += 1;
  return token;
};

const describe = (token: Token): string =>
  token.kind === 'end' ? 'the end of the filter' : quote(token);

/** Refuses a token, with what was expected and what was found. */
export const refuseToken = (token: Token, expected: string): never =>
  refuseFilter(token.at, `expected ${expected}, found ${describe(token)}`);

export const expect = (cursor: TokenCursor, kind: Token['kind'], expected: string): Token => {
  const token = take(cursor);
  return token.kind === kind ? token : refuseToken(token, expected);
};

/** Whether the next token is this word, case-insensitively. */
export const isNext = (cursor: TokenCursor, word: string): boolean => {
  const { kind, text } = peek(cursor);
  return kind === 'word' && text.toLowerCase() === word;
};

/** Counts a condition and limits their number, because each adds to the cost of the query. */
export const countTerm = (cursor: TokenCursor, token: Token): void => {
  const { maxTerms } = cursor;
  cursor.terms += 1;
  if (cursor.terms > maxTerms)
    refuseFilter(token.at, `it must have at most ${maxTerms} conditions`);
};

/** Reads the content of brackets or parentheses, at most 20 levels deep. */
export const nested = <T>(cursor: TokenCursor, read: () => T): T => {
  cursor.depth += 1;
  if (cursor.depth > MAX_DEPTH) {
    refuseFilter(peek(cursor).at, `it must be nested at most ${MAX_DEPTH} levels deep`);
  }
  const result = read();
  cursor.depth -= 1;
  return result;
};
