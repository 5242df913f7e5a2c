import type { AttributeReference } from '../domain/kernel/filter.js';
import { refuseToken } from './token-cursor.js';
import type { Token } from './filter-tokens.js';

/** A value in a filter (RFC 7644, 3.4.2.2: compValue). */
export type Literal = string | number | boolean | null;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

const WORDS: ReadonlyMap<string, Literal> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

const readLiteral = (token: Token): Literal => {
  if (token.kind === 'string') return token.text;
  const word = WORDS.get(token.text.toLowerCase());
  if (token.kind === 'word' && word !== undefined) return word;
  if (token.kind === 'word' && NUMBER.test(token.text)) return Number(token.text);
  return refuseToken(token, 'a value (a string in double quotes, a number, true, false or null)');
};

const DATE_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

/** An RFC 3339 date and time, or a date. Without an offset it is UTC. */
const readDateTime = (text: string): string | undefined => {
  if (!DATE_TIME.test(text)) return undefined;
  const zoned = /T/i.test(text) && !/(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? `${text}Z` : text;
  const time = new Date(zoned);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
};

/** Entra sends booleans also as strings, in any case (facts on identity providers, 2, 5). */
const readBoolean = (literal: Literal): boolean | undefined => {
  const value = typeof literal === 'string' ? WORDS.get(literal.toLowerCase()) : literal;
  return typeof value === 'boolean' ? value : undefined;
};

/** Reads an operand of each type; `expected` describes it in errors. */
const OPERANDS: Readonly<
  Record<
    AttributeReference['type'],
    { readonly read: (literal: Literal) => Literal | undefined; readonly expected: string }
  >
> = {
  string: {
    read: (literal) => (typeof literal === 'string' ? literal : undefined),
    expected: 'a string in double quotes',
  },
  number: {
    read: (literal) => (typeof literal === 'number' ? literal : undefined),
    expected: 'a number',
  },
  dateTime: {
    read: (literal) => readDateTime(String(literal)),
    expected: 'a date and time in double quotes, such as "2026-01-31T12:00:00Z"',
  },
  boolean: { read: readBoolean, expected: 'true or false' },
  complex: { read: () => undefined, expected: 'null' },
};

/** The literal as a value of the attribute's type; null means "no value" for every type. */
export const readOperand = (token: Token, { type }: AttributeReference): Literal => {
  const literal = readLiteral(token);
  if (literal === null) return null;
  const { read, expected } = OPERANDS[type];
  return read(literal) ?? refuseToken(token, expected);
};
