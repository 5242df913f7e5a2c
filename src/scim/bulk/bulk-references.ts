import type { Chunked } from '../../domain/kernel/chunked.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/kernel/json.js';

/** `bulkId:qwerty`: the resource that the operation with this bulkId creates (RFC 7644, 3.7.2). */
const REFERENCE = /^bulkId:(.+)$/s;
const MARK = 'bulkId:';
/** A reference inside a path or a filter. */
const EMBEDDED = /bulkId:([^"'/\]\s)]+)/g;

/** Elements of a list resolved between two yields. */
const CHUNK_SIZE = 128;

/** The id of the resource that an operation creates; undefined if none has this bulkId. */
export type Resolve = (bulkId: string) => string | undefined;

interface Resolved<Value> {
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

/** Members that refer to a resource, also with a path or URN before them. Others are texts. */
const holdsReference = (name = ''): boolean =>
  /(?:^|[.:])(?:value|id|members|manager)$/i.test(name) || holdsPath(name);

/** The attribute that a member sets: of an operation of a PATCH, `value` sets that of its path. */
const targetOf = (name: string, { path }: JsonObject): string =>
  name === 'value' && typeof path === 'string' ? path : name;

type Scalar = string | number | boolean | null;

const isScalar = (value: JsonValue): value is Scalar => typeof value !== 'object' || value === null;

/** Replaces the references in the data by their ids. Copies only what changes. */
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

  const resolveString = (text: string, name?: string): string => {
    if (!text.includes(MARK) || !holdsReference(name)) return text;
    return holdsPath(name) ? resolvePath(text) : resolveText(text);
  };

  const resolveList = function* (
    list: readonly JsonValue[],
    name?: string,
  ): Chunked<readonly JsonValue[]> {
    const resolved: JsonValue[] = [];
    // In chunks: a list may contain all values of the body.
    for (let at = 0; at < list.length; at += CHUNK_SIZE) {
      for (const value of list.slice(at, at + CHUNK_SIZE))
        resolved.push(isScalar(value) ? resolveScalar(value, name) : yield* resolveNested(value));
      yield;
    }
    return resolved.every((value, at) => value === list[at]) ? list : resolved;
  };

  const resolveObject = function* (object: JsonObject): Chunked<JsonObject> {
    const changed = new Map<string, JsonValue>();
    for (const [name, member] of Object.entries(object)) {
      if (member === undefined) continue;
      const resolved = isScalar(member)
        ? resolveScalar(member, targetOf(name, object))
        : yield* resolveNested(member, targetOf(name, object));
      if (resolved !== member) changed.set(name, resolved);
    }
    if (changed.size === 0) return object;
    return Object.fromEntries(
      Object.entries(object).map(([name, member]) => [name, changed.get(name) ?? member]),
    );
  };

  const resolveScalar = (value: Scalar, name?: string): Scalar =>
    typeof value === 'string' ? resolveString(value, name) : value;

  const resolveNested = (value: Exclude<JsonValue, Scalar>, name?: string): Chunked<JsonValue> =>
    isJsonObject(value) ? resolveObject(value) : resolveList(value, name);

  const resolveValue = function* (value: JsonValue | undefined): Chunked<JsonValue | undefined> {
    if (value === undefined) return value;
    return isScalar(value) ? resolveScalar(value) : yield* resolveNested(value);
  };

  return { value: yield* resolveValue(data), references };
};

interface OperationReferences {
  readonly bulkId?: string;
  /** The bulkIds that the operation refers to. */
  readonly references: readonly string[];
}

/**
 * The order in which operations are decided, as indexes in the request: the request's order, except
 * that an operation comes after those it refers to (RFC 7644, 3.7.1: references may point forward
 * and form cycles). A cycle is cut where it closes, which is safe because all ids are known.
 */
export const bulkOrder = (operations: readonly OperationReferences[]): readonly number[] => {
  const indexes = new Map(
    operations.flatMap(({ bulkId }, at) => (bulkId === undefined ? [] : [[bulkId, at] as const])),
  );
  const order: number[] = [];
  const visited = new Set<number>();
  // An explicit stack: a long chain of references must not overflow the call stack.
  for (const start of operations.keys()) {
    const stack = [{ at: start, isDone: false }];
    for (let top = stack.pop(); top; top = stack.pop()) {
      const { at, isDone } = top;
      if (isDone) order.push(at);
      else if (!visited.has(at)) {
        visited.add(at);
        stack.push({ at, isDone: true });
        const references = operations[at]?.references ?? [];
        for (const bulkId of references.toReversed()) {
          const index = indexes.get(bulkId);
          if (index !== undefined && !visited.has(index)) stack.push({ at: index, isDone: false });
        }
      }
    }
  }
  return order;
};
