import { quote, refuseFilter, type Token, tokenise } from './filter-tokens.js';

interface Bounds {
  readonly characters: number;
  readonly terms: number;
}

/** A hundred look-ups by id fit; a longer filter is no question of a person or an IdP. */
const FILTER: Bounds = { characters: 8192, terms: 100 };
/** A path is compared with every element for every operation of a PATCH, inside the lane. */
const PATH: Bounds = { characters: 1024, terms: 10 };
const DEEPEST = 20;

/** A place in a filter while it is being read, and what it has cost so far. */
export interface Cursor {
  readonly tokens: readonly Token[];
  readonly mostTerms: number;
  index: number;
  terms: number;
  depth: number;
}

const openCursor = (text: string, { characters, terms }: Bounds): Cursor => {
  if (text.length > characters) {
    refuseFilter(characters + 1, `it may have ${characters} characters at most`);
  }
  return { tokens: tokenise(text), mostTerms: terms, index: 0, terms: 0, depth: 0 };
};

export const openFilter = (text: string): Cursor => openCursor(text, FILTER);

export const openPath = (text: string): Cursor => openCursor(text, PATH);

const END: Token = { kind: 'end', text: '', at: 0 };

export const peek = ({ tokens, index }: Cursor, ahead = 0): Token =>
  tokens[Math.min(index + ahead, tokens.length - 1)] ?? END;

export const take = (cursor: Cursor): Token => {
  const token = peek(cursor);
  cursor.index += 1;
  return token;
};

const describe = (token: Token): string =>
  token.kind === 'end' ? 'the filter ends' : `there is ${quote(token)}`;

/** Refuses what stands at a token: what was expected there, what was found. */
export const refuseToken = (token: Token, expected: string): never =>
  refuseFilter(token.at, `expected ${expected}, but ${describe(token)}`);

export const expect = (cursor: Cursor, kind: Token['kind'], expected: string): Token => {
  const token = take(cursor);
  return token.kind === kind ? token : refuseToken(token, expected);
};

/** Whether the next token is this word, in any case. */
export const isNext = (cursor: Cursor, word: string): boolean => {
  const { kind, text } = peek(cursor);
  return kind === 'word' && text.toLowerCase() === word;
};

/** Counts a comparison; too many are refused, for each costs the database a look. */
export const countTerm = (cursor: Cursor, token: Token): void => {
  const { mostTerms } = cursor;
  cursor.terms += 1;
  if (cursor.terms > mostTerms)
    refuseFilter(token.at, `it may have ${mostTerms} conditions at most`);
};

/** Reads what stands between brackets or parentheses, at most 20 deep. */
export const nested = <T>(cursor: Cursor, read: () => T): T => {
  cursor.depth += 1;
  if (cursor.depth > DEEPEST) {
    refuseFilter(peek(cursor).at, `it may nest ${DEEPEST} levels deep at most`);
  }
  const result = read();
  cursor.depth -= 1;
  return result;
};
