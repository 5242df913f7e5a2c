import type { Pieces } from '../domain/in-pieces.js';

/**
 * The guard before any library: names that every object has by inheritance are never paths
 * (decisions.md 2). scimmy walks attribute names as properties, so `constructor.keys` in a filter
 * would replace `Object.keys` for the whole process, and `name.__proto__.x` in a body would add to
 * every object (scimmy facts, S1 and S2). Our own readers look names up in tables and need no
 * guard; it stays so that no later use of the library opens the hole again.
 */
const NAMES = [
  ...new Set([...Object.getOwnPropertyNames(Object.prototype), '__proto__', 'prototype']),
].join('|');

const IN_EXPRESSION = new RegExp(`(?:^|[^A-Za-z0-9_$])(?:${NAMES})(?![A-Za-z0-9_$])`, 'i');
const IN_KEY = new RegExp(`(?:^|[.:])(?:${NAMES})(?=$|[.:])`, 'i');

const CONTROL = /[\u0000-\u001f\u007f]/;
const LONGEST = 8192;
const MOST_CONNECTIVES = 100;
const DEEPEST = 32;

/** The expression with blanks for its quoted texts; undefined where one has no end. One pass. */
const withoutTexts = (expression: string): string | undefined => {
  let left = '';
  let inText = false;
  for (let at = 0; at < expression.length; at += 1) {
    const character = expression.charAt(at);
    if (character === '"') {
      inText = !inText;
      left += ' ';
    } else if (inText && character === '\\') at += 1;
    else if (!inText) left += character;
  }
  return inText ? undefined : left;
};

/** What is wrong with a filter, a path or a list of attribute names; undefined where nothing is. */
export const screenExpression = (expression: string): string | undefined => {
  if (expression.length > LONGEST) return `it is longer than ${LONGEST} characters`;
  if (CONTROL.test(expression)) return 'it holds control characters';
  const left = withoutTexts(expression);
  if (left === undefined) return 'a text in it has no closing quote';
  if (IN_EXPRESSION.test(left)) return 'it names what is no attribute';
  const connectives = left.match(/\b(?:and|or)\b/gi)?.length ?? 0;
  return connectives > MOST_CONNECTIVES ? 'it has more than 100 conditions' : undefined;
};

export interface ScreenFault {
  readonly where: 'key' | 'path';
  readonly why: string;
}

const screenKey = (key: string): ScreenFault | undefined => {
  if (IN_KEY.test(key)) return { where: 'key', why: 'a name in it is no attribute' };
  const why = /[[\]"]/.test(key) ? screenExpression(key) : undefined;
  return why === undefined ? undefined : { where: 'key', why };
};

const screenMember = function* (
  key: string,
  value: unknown,
  depth: number,
): Pieces<ScreenFault | undefined> {
  const fault = screenKey(key);
  if (fault) return fault;
  // The path of a PATCH operation, wherever it stands: a Bulk request holds PATCH bodies.
  const why =
    key.toLowerCase() === 'path' && typeof value === 'string' ? screenExpression(value) : undefined;
  return why === undefined ? yield* screenBody(value, depth) : { where: 'path', why };
};

/** Members or elements that are gone through between two yields. */
const PIECE = 128;

const screenElements = function* (
  elements: readonly unknown[],
  depth: number,
): Pieces<ScreenFault | undefined> {
  for (const [at, element] of elements.entries()) {
    const fault = yield* screenBody(element, depth);
    if (fault) return fault;
    if (at % PIECE === PIECE - 1) yield;
  }
  return undefined;
};

/** Without a list of all members: how many there are is the affair of who parsed them. */
const screenMembers = function* (
  object: Readonly<Record<string, unknown>>,
  depth: number,
): Pieces<ScreenFault | undefined> {
  let seen = 0;
  for (const key in object) {
    if (!Object.hasOwn(object, key)) continue;
    const fault = yield* screenMember(key, object[key], depth);
    if (fault) return fault;
    seen += 1;
    if (seen % PIECE === 0) yield;
  }
  return undefined;
};

/** What is wrong with the names and paths in a body; undefined where nothing is. */
export const screenBody = function* (value: unknown, depth = 0): Pieces<ScreenFault | undefined> {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= DEEPEST) return { where: 'key', why: `it nests deeper than ${DEEPEST} levels` };
  return Array.isArray(value)
    ? yield* screenElements(value, depth + 1)
    : yield* screenMembers(value as Readonly<Record<string, unknown>>, depth + 1);
};
