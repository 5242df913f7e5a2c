import type { AttributeReference } from '../domain/filter.js';
import { refuseToken } from './filter-cursor.js';
import type { Token } from './filter-tokens.js';

/** What attributes are compared with (RFC 7644, 3.4.2.2: compValue). */
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
  return refuseToken(token, 'a value (text in double quotes, a number, true, false or null)');
};

const DATE_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

/** A time as the RFC writes it; without an offset it is UTC, as all of ours are. */
const readDateTime = (text: string): string | undefined => {
  if (!DATE_TIME.test(text)) return undefined;
  const zoned = /T/i.test(text) && !/(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? `${text}Z` : text;
  const time = new Date(zoned);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
};

/** Entra writes booleans as texts, and either in any case (facts on identity providers, 2, 5). */
const readBoolean = (literal: Literal): boolean | undefined => {
  const value = typeof literal === 'string' ? WORDS.get(literal.toLowerCase()) : literal;
  return typeof value === 'boolean' ? value : undefined;
};

/** How an operand is read for each type, and what to say where it cannot be. */
const OPERANDS: Readonly<
  Record<
    AttributeReference['type'],
    { readonly read: (literal: Literal) => Literal | undefined; readonly wanted: string }
  >
> = {
  string: {
    read: (literal) => (typeof literal === 'string' ? literal : undefined),
    wanted: 'a text in double quotes',
  },
  number: {
    read: (literal) => (typeof literal === 'number' ? literal : undefined),
    wanted: 'a number',
  },
  dateTime: {
    read: (literal) => readDateTime(String(literal)),
    wanted: 'a time in double quotes, such as "2026-01-31T12:00:00Z"',
  },
  boolean: { read: readBoolean, wanted: 'true or false' },
  complex: { read: () => undefined, wanted: 'null' },
};

/** The literal as a value of the attribute's type; null is "no value" for every type. */
export const readOperand = (token: Token, { type }: AttributeReference): Literal => {
  const literal = readLiteral(token);
  if (literal === null) return null;
  const { read, wanted } = OPERANDS[type];
  return read(literal) ?? refuseToken(token, wanted);
};
