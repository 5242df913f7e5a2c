import { quote, refuseFilter, type Token, tokenise } from './filter-tokens.js';

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
