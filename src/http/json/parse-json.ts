import type { Pieces } from '../../domain/in-pieces.js';
import type { JsonValue } from '../../domain/json.js';
import type { CutPart, CutValue } from './cut-json.js';
import { refuseMalformed } from './refuse-malformed.js';
import { type JsonRules, screenJson } from './screen-json.js';

/** Bounds of every body (decisions.md 2 and 3): 100,000 members with two fields each fit. */
const BOUNDS = { depth: 32, names: 1_000, values: 320_000 } as const;

/** Names through which a careless assignment would change every object of the process. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export const NATIVE_RULES: JsonRules = { ...BOUNDS, refusedKeys: RESERVED };

/** SCIM bodies: which names are refused there is the affair of SCIM's own screen. */
export const SCIM_RULES: JsonRules = { ...BOUNDS, refusedKeys: new Set() };

const parse = (text: string): JsonValue => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return refuseMalformed();
  }
};

type Members = Record<string, JsonValue>;

/** An own property whatever its name: assigned, `__proto__` would be none. */
const define = (object: Members, key: string, value: JsonValue): void => {
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
};

const isBlank = (text: string): boolean => !/[^ \t\n\r]/.test(text);

const joinObject = function* (text: string, parts: readonly CutPart[]): Pieces<JsonValue> {
  const object: Members = {};
  for (const part of parts) {
    if (part.kind === 'value') {
      define(object, String(part.key), yield* join(text, part.value));
      continue;
    }
    const stretch = text.slice(part.from, part.to);
    if (part.kind === 'blank' ? !isBlank(stretch) : isBlank(stretch)) refuseMalformed();
    if (part.kind === 'blank') continue;
    const members = parse(`{${stretch}${part.kind === 'lead' ? 'null' : ''}}`) as Members;
    for (const [key, value] of Object.entries(members)) define(object, key, value);
    yield;
  }
  return object;
};

const joinArray = function* (text: string, parts: readonly CutPart[]): Pieces<JsonValue> {
  const array: JsonValue[] = [];
  for (const part of parts) {
    if (part.kind === 'value') {
      array.push(yield* join(text, part.value));
      continue;
    }
    const stretch = text.slice(part.from, part.to);
    if (part.kind === 'blank') {
      if (!isBlank(stretch)) refuseMalformed();
      continue;
    }
    const isLead = part.kind === 'lead';
    if (!isLead && isBlank(stretch)) refuseMalformed();
    const elements = parse(`[${stretch}${isLead ? 'null' : ''}]`) as JsonValue[];
    if (isLead) elements.pop();
    for (const element of elements) array.push(element);
    yield;
  }
  return array;
};

/** The value that was cut: its pieces parsed one by one, and put together. */
const join = function* (text: string, { isObject, end, parts }: CutValue): Pieces<JsonValue> {
  if (text[end] !== (isObject ? '}' : ']')) refuseMalformed();
  return isObject ? yield* joinObject(text, parts) : yield* joinArray(text, parts);
};

/**
 * The value of a JSON text. Throws RefusalError INVALID_JSON, INVALID_REQUEST or PAYLOAD_TOO_LARGE
 * (decisions.md 2 and 3).
 */
export const parseJson = function* (text: string, rules: JsonRules): Pieces<JsonValue> {
  const cut = yield* screenJson(text, rules);
  return cut ? yield* join(text, cut) : parse(text);
};
