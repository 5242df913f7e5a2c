import type { Pieces } from '../../domain/in-pieces.js';
import { isJsonObject, type JsonValue } from '../../domain/json.js';

/** `bulkId:qwerty`: whatever the operation with this bulkId makes (RFC 7644, 3.7.2). */
const WHOLE = /^bulkId:(.+)$/s;
/** In a path or a filter it is a part of the text. */
const WITHIN = /bulkId:([^"'/\]\s)]+)/g;

/** Elements of a list that are gone through between two yields. */
const PIECE = 128;

/** The id that an operation's resource will have, or undefined where no operation makes one. */
export type Resolve = (bulkId: string) => string | undefined;

export interface Resolved<Value> {
  readonly value: Value;
  /** The bulkIds that were named, known or not, each once. */
  readonly named: ReadonlySet<string>;
}

/** Longer than any path that is taken: what refuses it need not know what it refers to. */
const LONGEST_PATH = 8192;

/** A text in which bulkIds may stand anywhere: an operation's path, or a path in a PATCH. */
export const resolveInPath = (text: string, resolve: Resolve): Resolved<string> => {
  const named = new Set<string>();
  if (text.length > LONGEST_PATH) return { value: text, named };
  const value = text.replace(WITHIN, (whole, bulkId: string) => {
    named.add(bulkId);
    return resolve(bulkId) ?? whole;
  });
  return { value, named };
};

/** Members whose text a reference is a part of: a PATCH's `path`, an address in `$ref`. */
const holdsPath = (name = ''): boolean => ['path', '$ref'].includes(name.toLowerCase());

/** Every text of the data that is a reference becomes the id it stands for. */
export const resolveInData = function* (
  data: JsonValue | undefined,
  resolve: Resolve,
): Pieces<Resolved<JsonValue | undefined>> {
  const named = new Set<string>();

  const resolveText = (text: string): string => {
    const [, bulkId] = WHOLE.exec(text) ?? [];
    if (bulkId === undefined) return text;
    named.add(bulkId);
    return resolve(bulkId) ?? text;
  };

  const resolvePath = (text: string): string => {
    const resolved = resolveInPath(text, resolve);
    for (const bulkId of resolved.named) named.add(bulkId);
    return resolved.value;
  };

  const walkList = function* (list: readonly JsonValue[]): Pieces<JsonValue> {
    const walked: JsonValue[] = [];
    // Some at a time: a list may have as many members as the body holds values.
    for (let at = 0; at < list.length; at += PIECE) {
      for (const value of list.slice(at, at + PIECE)) walked.push((yield* walk(value)) ?? null);
      yield;
    }
    return walked;
  };

  const walk = function* (
    value: JsonValue | undefined,
    name?: string,
  ): Pieces<JsonValue | undefined> {
    if (typeof value === 'string') return holdsPath(name) ? resolvePath(value) : resolveText(value);
    if (Array.isArray(value)) return yield* walkList(value as readonly JsonValue[]);
    if (!isJsonObject(value)) return value;
    const members: [string, JsonValue | undefined][] = [];
    for (const [key, member] of Object.entries(value))
      members.push([key, yield* walk(member, key)]);
    return Object.fromEntries(members);
  };

  return { value: yield* walk(data), named };
};
