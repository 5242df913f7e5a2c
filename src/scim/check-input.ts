import type { Chunked } from '../domain/kernel/chunked.js';

/**
 * Checks input before it reaches any library: names that every object inherits are never treated as
 * paths (decisions.md 2). scimmy follows attribute names as properties, so `constructor.keys` in a
 * filter would replace `Object.keys` for the whole process, and `name.__proto__.x` in a body would
 * add to every object (scimmy facts, S1 and S2). The readers in this folder look names up in tables
 * and need no check; it protects against later uses of the library.
 */
const RESERVED_NAMES = [
  ...new Set([...Object.getOwnPropertyNames(Object.prototype), '__proto__', 'prototype']),
].join('|');

const IN_EXPRESSION = new RegExp(`(?:^|[^A-Za-z0-9_$])(?:${RESERVED_NAMES})(?![A-Za-z0-9_$])`, 'i');
const IN_KEY = new RegExp(`(?:^|[.:])(?:${RESERVED_NAMES})(?=$|[.:])`, 'i');

const CONTROL = /[\u0000-\u001f\u007f]/;
const MAX_LENGTH = 8192;
const MAX_CONNECTIVES = 100;
const MAX_DEPTH = 32;

/** The expression without the content of quoted strings; undefined if a quote is not closed. */
const withoutStrings = (expression: string): string | undefined => {
  let rest = '';
  let inString = false;
  for (let at = 0; at < expression.length; at += 1) {
    const character = expression.charAt(at);
    if (character === '"') {
      inString = !inString;
      rest += ' ';
    } else if (inString && character === '\\') at += 1;
    else if (!inString) rest += character;
  }
  return inString ? undefined : rest;
};

/** What is wrong with a filter, a path or a list of attribute names; undefined if nothing is. */
export const checkExpression = (expression: string): string | undefined => {
  if (expression.length > MAX_LENGTH) return `it has more than ${MAX_LENGTH} characters`;
  if (CONTROL.test(expression)) return 'it contains control characters';
  const rest = withoutStrings(expression);
  if (rest === undefined) return 'it contains a string without a closing quote';
  if (IN_EXPRESSION.test(rest)) return 'it contains a reserved name';
  const connectives = rest.match(/\b(?:and|or)\b/gi)?.length ?? 0;
  return connectives > MAX_CONNECTIVES
    ? `it has more than ${MAX_CONNECTIVES} conditions`
    : undefined;
};

export interface InputError {
  readonly where: 'key' | 'path';
  readonly reason: string;
}

const checkKey = (key: string): InputError | undefined => {
  if (IN_KEY.test(key)) return { where: 'key', reason: 'it contains a reserved name' };
  const reason = /[[\]"]/.test(key) ? checkExpression(key) : undefined;
  return reason === undefined ? undefined : { where: 'key', reason };
};

const checkMember = function* (
  key: string,
  value: unknown,
  depth: number,
): Chunked<InputError | undefined> {
  const error = checkKey(key);
  if (error) return error;
  // The path of a PATCH operation, at any depth: Bulk requests contain PATCH bodies.
  const reason =
    key.toLowerCase() === 'path' && typeof value === 'string' ? checkExpression(value) : undefined;
  return reason === undefined ? yield* checkBody(value, depth) : { where: 'path', reason };
};

/** Members or elements checked between two yields. */
const CHUNK_SIZE = 128;

const checkElements = function* (
  elements: readonly unknown[],
  depth: number,
): Chunked<InputError | undefined> {
  for (const [at, element] of elements.entries()) {
    const error = yield* checkBody(element, depth);
    if (error) return error;
    if (at % CHUNK_SIZE === CHUNK_SIZE - 1) yield;
  }
  return undefined;
};

/** Does not build a list of all members: the parser limits their number. */
const checkMembers = function* (
  object: Readonly<Record<string, unknown>>,
  depth: number,
): Chunked<InputError | undefined> {
  let seen = 0;
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue;
    const error = yield* checkMember(key, object[key], depth);
    if (error) return error;
    seen += 1;
    if (seen % CHUNK_SIZE === 0) yield;
  }
  return undefined;
};

/** What is wrong with the names and paths in a body; undefined if nothing is. */
export const checkBody = function* (value: unknown, depth = 0): Chunked<InputError | undefined> {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_DEPTH)
    return { where: 'key', reason: `it is nested more than ${MAX_DEPTH} levels deep` };
  return Array.isArray(value)
    ? yield* checkElements(value, depth + 1)
    : yield* checkMembers(value as Readonly<Record<string, unknown>>, depth + 1);
};
