import { isJsonObject, type JsonValue } from '../../domain/json.js';

/** `bulkId:qwerty`: whatever the operation with this bulkId makes (RFC 7644, 3.7.2). */
const WHOLE = /^bulkId:(.+)$/s;
/** In a path or a filter it is a part of the text. */
const WITHIN = /bulkId:([^"'/\]\s)]+)/g;

/** The id that an operation's resource will have, or undefined where no operation makes one. */
export type Resolve = (bulkId: string) => string | undefined;

export interface Resolved<Value> {
  readonly value: Value;
  /** The bulkIds that were named, known or not. */
  readonly named: readonly string[];
}

/** A text in which bulkIds may stand anywhere: an operation's path, or a path in a PATCH. */
export const resolveInPath = (text: string, resolve: Resolve): Resolved<string> => {
  const named: string[] = [];
  const value = text.replace(WITHIN, (whole, bulkId: string) => {
    named.push(bulkId);
    return resolve(bulkId) ?? whole;
  });
  return { value, named };
};

/** Members whose text a reference is a part of: a PATCH's `path`, an address in `$ref`. */
const holdsPath = (name = ''): boolean => ['path', '$ref'].includes(name.toLowerCase());

/** Every text of the data that is a reference becomes the id it stands for. */
export const resolveInData = (
  data: JsonValue | undefined,
  resolve: Resolve,
): Resolved<JsonValue | undefined> => {
  const named: string[] = [];

  const resolveText = (text: string): string => {
    const [, bulkId] = WHOLE.exec(text) ?? [];
    if (bulkId === undefined) return text;
    named.push(bulkId);
    return resolve(bulkId) ?? text;
  };

  const resolvePath = (text: string): string => {
    const resolved = resolveInPath(text, resolve);
    named.push(...resolved.named);
    return resolved.value;
  };

  const walk = (value: JsonValue | undefined, name?: string): JsonValue | undefined => {
    if (typeof value === 'string') return holdsPath(name) ? resolvePath(value) : resolveText(value);
    if (Array.isArray(value))
      return (value as readonly JsonValue[]).map((each) => walk(each) ?? null);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, walk(each, key)] as const),
    );
  };

  return { value: walk(data), named };
};
