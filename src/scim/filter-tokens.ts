import { raise } from '../domain/refusals.js';

export interface Token {
  readonly kind: 'word' | 'string' | '(' | ')' | '[' | ']' | 'end';
  /** A word as written; the value of a string. */
  readonly text: string;
  /** The place of its first character, counted from 1. */
  readonly at: number;
}

/** Refuses a filter with INVALID_FILTER: what is wrong, and where. */
export const refuseFilter = (at: number, what: string): never =>
  raise('INVALID_FILTER', `The filter cannot be read at character ${at}: ${what}.`);

const QUOTABLE = 60;

/** A token as a message may show it. */
export const quote = ({ text }: Token): string =>
  `"${text.length > QUOTABLE ? `${text.slice(0, QUOTABLE)}…` : text}"`;

const PUNCTUATION: ReadonlySet<string> = new Set(['(', ')', '[', ']']);

const WORD = /[^\s()[\]"]+/y;

/** Characters that no kept text holds, and that a database may choke on. */
const UNKEPT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Where the string that begins at `start` has its closing quote. */
const endOfString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
  return refuseFilter(start + 1, 'the text has no closing quote');
};

/** The text of a JSON string literal (RFC 7644, 3.4.2.2: compValue is JSON). */
const unquote = (literal: string, at: number): string => {
  try {
    const value = JSON.parse(literal) as string;
    if (value.isWellFormed() && !UNKEPT.test(value)) return value;
  } catch {
    // told below
  }
  return refuseFilter(at, 'the text in quotes is not written as JSON wants it');
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
  const word = WORD.exec(text)?.[0] ?? refuseFilter(start + 1, 'separate the words by spaces');
  return { token: { kind: 'word', text: word, at: start + 1 }, next: start + word.length };
};

/** The parts of a filter, in one pass over its characters; ends with a token of kind `end`. */
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
