import type { Pieces } from '../../domain/in-pieces.js';
import type { JsonValue } from '../../domain/json.js';
import { raise } from '../../domain/refusals.js';
import { type JsonRules, screenJson } from './screen-json.js';

const DEPTH = 32;

/** Names through which a careless assignment would change every object of the process. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export const NATIVE_RULES: JsonRules = { depth: DEPTH, refusedKeys: RESERVED };

/** SCIM bodies: which names are refused there is the affair of SCIM's own screen. */
export const SCIM_RULES: JsonRules = { depth: DEPTH, refusedKeys: new Set() };

const parse = (text: string): JsonValue => {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // V8's message quotes the body, which may hold what must not come back: say where to look only.
    return raise(
      'INVALID_JSON',
      'The body is not well-formed JSON: check quotes, commas and brackets.',
    );
  }
};

/** The value of a JSON text. Throws RefusalError INVALID_JSON or INVALID_REQUEST (decisions.md 2). */
export const parseJson = function* (text: string, rules: JsonRules): Pieces<JsonValue> {
  yield* screenJson(text, rules);
  return parse(text);
};
