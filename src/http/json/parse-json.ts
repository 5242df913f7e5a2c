import type { Chunked } from '../../domain/kernel/chunked.js';
import type { JsonValue } from '../../domain/kernel/json.js';
import { type Segment, type SplitValue, refuseMalformed } from './split-json.js';
import { type JsonRules, checkJson } from './check-json.js';

/** Limits of every body (decisions.md 2 and 3): 100,000 members with two fields each fit. */
const BOUNDS = { depth: 32, names: 1_000, values: 320_000 } as const;

/** Names that could change the prototype of all objects if they were assigned carelessly. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export const NATIVE_RULES: JsonRules = { ...BOUNDS, refusedKeys: RESERVED };

/** SCIM refuses names by its own check. */
export const SCIM_RULES: JsonRules = { ...BOUNDS, refusedKeys: new Set() };

const parse = (text: string): JsonValue => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return refuseMalformed();
  }
};

type Members = Record<string, JsonValue>;

/** Defines an own property: assigning `__proto__` would not. */
const defineMember = (object: Members, key: string, value: JsonValue): void => {
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
};

const isBlank = (text: string): boolean => !/[^ \t\n\r]/.test(text);

const joinObject = function* (text: string, segments: readonly Segment[]): Chunked<JsonValue> {
  const object: Members = {};
  for (const segment of segments) {
    if (segment.kind === 'value') {
      defineMember(object, String(segment.key), yield* join(text, segment.value));
      continue;
    }
    const slice = text.slice(segment.from, segment.to);
    if (segment.kind === 'blank' ? !isBlank(slice) : isBlank(slice)) refuseMalformed();
    if (segment.kind === 'blank') continue;
    const members = parse(`{${slice}${segment.kind === 'lead' ? 'null' : ''}}`) as Members;
    for (const [key, value] of Object.entries(members)) defineMember(object, key, value);
    yield;
  }
  return object;
};

const joinArray = function* (text: string, segments: readonly Segment[]): Chunked<JsonValue> {
  const array: JsonValue[] = [];
  for (const segment of segments) {
    if (segment.kind === 'value') {
      array.push(yield* join(text, segment.value));
      continue;
    }
    const slice = text.slice(segment.from, segment.to);
    if (segment.kind === 'blank') {
      if (!isBlank(slice)) refuseMalformed();
      continue;
    }
    const isLead = segment.kind === 'lead';
    if (!isLead && isBlank(slice)) refuseMalformed();
    const elements = parse(`[${slice}${isLead ? 'null' : ''}]`) as JsonValue[];
    if (isLead) elements.pop();
    for (const element of elements) array.push(element);
    yield;
  }
  return array;
};

/** Parses a split value segment by segment. */
const join = function* (text: string, { isObject, end, segments }: SplitValue): Chunked<JsonValue> {
  if (text[end] !== (isObject ? '}' : ']')) refuseMalformed();
  return isObject ? yield* joinObject(text, segments) : yield* joinArray(text, segments);
};

/**
 * Parses a JSON text. Throws RefusalError INVALID_JSON, INVALID_REQUEST or PAYLOAD_TOO_LARGE
 * (decisions.md 2 and 3).
 */
export const parseJson = function* (text: string, rules: JsonRules): Chunked<JsonValue> {
  const split = yield* checkJson(text, rules);
  return split ? yield* join(text, split) : parse(text);
};
