import type { Chunked } from '../../domain/kernel/chunked.js';
import { isJsonObject, type JsonValue } from '../../domain/kernel/json.js';

/** `bulkId:qwerty`: the resource that the operation with this bulkId creates (RFC 7644, 3.7.2). */
const REFERENCE = /^bulkId:(.+)$/s;
/** A reference inside a path or a filter. */
const EMBEDDED = /bulkId:([^"'/\]\s)]+)/g;

/** Elements of a list resolved between two yields. */
const CHUNK_SIZE = 128;

/** The id of the resource that an operation creates; undefined if none has this bulkId. */
export type Resolve = (bulkId: string) => string | undefined;

export interface Resolved<Value> {
  readonly value: Value;
  /** The bulkIds that were found, known or not. */
  readonly references: ReadonlySet<string>;
}

/** Longer paths are refused later, so their references are not resolved. */
const MAX_PATH_LENGTH = 8192;

/** Resolves references anywhere in a text: an operation's path, or a path in a PATCH. */
export const resolveInPath = (text: string, resolve: Resolve): Resolved<string> => {
  const references = new Set<string>();
  if (text.length > MAX_PATH_LENGTH) return { value: text, references };
  const value = text.replace(EMBEDDED, (whole, bulkId: string) => {
    references.add(bulkId);
    return resolve(bulkId) ?? whole;
  });
  return { value, references };
};

/** Members whose text may contain a reference: a PATCH's `path`, a URL in `$ref`. */
const holdsPath = (name = ''): boolean => ['path', '$ref'].includes(name.toLowerCase());

/** Replaces every string in the data that is a reference by its id. */
export const resolveInData = function* (
  data: JsonValue | undefined,
  resolve: Resolve,
): Chunked<Resolved<JsonValue | undefined>> {
  const references = new Set<string>();

  const resolveText = (text: string): string => {
    const [, bulkId] = REFERENCE.exec(text) ?? [];
    if (bulkId === undefined) return text;
    references.add(bulkId);
    return resolve(bulkId) ?? text;
  };

  const resolvePath = (text: string): string => {
    const resolved = resolveInPath(text, resolve);
    for (const bulkId of resolved.references) references.add(bulkId);
    return resolved.value;
  };

  const resolveList = function* (list: readonly JsonValue[]): Chunked<JsonValue> {
    const resolved: JsonValue[] = [];
    // In chunks: a list may contain all values of the body.
    for (let at = 0; at < list.length; at += CHUNK_SIZE) {
      for (const value of list.slice(at, at + CHUNK_SIZE))
        resolved.push((yield* resolveValue(value)) ?? null);
      yield;
    }
    return resolved;
  };

  const resolveValue = function* (
    value: JsonValue | undefined,
    name?: string,
  ): Chunked<JsonValue | undefined> {
    if (typeof value === 'string') return holdsPath(name) ? resolvePath(value) : resolveText(value);
    if (Array.isArray(value)) return yield* resolveList(value as readonly JsonValue[]);
    if (!isJsonObject(value)) return value;
    const members: [string, JsonValue | undefined][] = [];
    for (const [key, member] of Object.entries(value))
      members.push([key, yield* resolveValue(member, key)]);
    return Object.fromEntries(members);
  };

  return { value: yield* resolveValue(data), references };
};
