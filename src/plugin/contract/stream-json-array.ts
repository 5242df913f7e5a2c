import { createByteDecoder } from './byte-decoder.js';
import { SourceError } from './connector-contract.js';
import { parseExactJson } from './exact-json.js';

/** The array to read from a stream of JSON. */
export interface JsonArrayRequest {
  /** Its name in the object that is the whole document. */
  readonly key: string;
  /** The name of the source, for error messages. */
  readonly source: string;
  /** Rejects with its reason if it aborts. */
  readonly signal?: AbortSignal;
}

/** The longest item, in characters. */
const MAX_ITEM = 4 * 1_024 * 1_024;

/**
 * The objects in one array of a JSON document, one by one, in memory for one. Throws a SourceError if
 * the document is cut, has no such array or contains anything but objects in it: an array that is
 * absent is not an empty one.
 */
export async function* streamJsonArray(
  body: AsyncIterable<Uint8Array>,
  { key, source, signal }: JsonArrayRequest,
): AsyncGenerator<JsonRecord, void, void> {
  const scanner = createScanner(key, source);
  const decoder = createByteDecoder({ broken: (why) => broken(source, why) });
  for await (const bytes of connected(body, source, signal)) {
    for (const item of scanner.scan(decoder.decode(bytes))) {
      yield item;
      signal?.throwIfAborted();
    }
  }
  yield* scanner.scan(decoder.end());
  scanner.end();
}

/** The bytes; a broken connection is a SourceError. */
async function* connected(
  body: AsyncIterable<Uint8Array>,
  source: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SourceError) throw cause;
    throw new SourceError('network', `The connection to ${source} broke.`, { cause });
  }
}

const broken = (source: string, why: string): SourceError =>
  new SourceError('schema', `The response of ${source} ${why}.`);

/**
 * Where the scanner is: before the document, between its members, in a key, behind a key, before a
 * value, in the array between two items, in an item, in another value, after the document.
 */
type Place = 'start' | 'between' | 'key' | 'colon' | 'value' | 'array' | 'item' | 'skip' | 'end';

type JsonRecord = Readonly<Record<string, unknown>>;

interface Scanner {
  /** The items that end in this text. */
  readonly scan: (text: string) => Generator<JsonRecord, void, void>;
  /** Throws unless the document is complete and had the array. */
  readonly end: () => void;
}

const createScanner = (key: string, source: string): Scanner => {
  let place: Place = 'start';
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  let hasArray = false;
  let needsComma = false;
  let name = '';
  /** What was read of the current item or key in earlier texts. */
  let kept = '';

  /** Whether the character ends the string that it is in. */
  const closes = (character: string): boolean => {
    follow(character);
    return !isString;
  };

  /** Follows strings and nesting; true if a value that began with a bracket has ended. */
  const follow = (character: string): boolean => {
    if (isString) {
      if (isEscaped) isEscaped = false;
      else if (character === '\\') isEscaped = true;
      else if (character === '"') isString = false;
      return false;
    }
    if (character === '"') isString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    return depth === 1 || (depth === 0 && character === '}');
  };

  const parse = (text: string): unknown => {
    try {
      return parseExactJson(text);
    } catch {
      throw broken(source, 'is not JSON');
    }
  };

  /** Where a character outside of items, keys and skipped values leads. */
  const step = (character: string): Place => {
    switch (place) {
      case 'start':
        if (character !== '{') throw broken(source, 'is not a JSON object');
        depth = 1;
        return 'between';
      case 'between':
        if (character === '}') return 'end';
        if (character === ',') return 'between';
        if (character !== '"') throw broken(source, 'is not JSON');
        isString = true;
        return 'key';
      case 'colon':
        if (character !== ':') throw broken(source, 'is not JSON');
        return 'value';
      case 'value':
        if (name !== key || hasArray) {
          follow(character);
          return 'skip';
        }
        if (character !== '[') throw broken(source, `has no list named ${key}`);
        hasArray = true;
        return 'array';
      case 'array':
        if (character === ']') return 'between';
        if (character === '{' && !needsComma) {
          depth = 2;
          return 'item';
        }
        if (character !== ',' || !needsComma)
          throw broken(source, `contains something else than objects in ${key}`);
        needsComma = false;
        return 'array';
      default:
        throw broken(source, 'continues after its end');
    }
  };

  /** Where a character of a skipped value leads. */
  const skip = (character: string): Place => {
    const wasInside = isString || depth > 1;
    follow(character);
    if (isString || depth > 1) return 'skip';
    if (depth === 0) return 'end';
    return !wasInside && character === ',' ? 'between' : 'skip';
  };

  function* scan(text: string): Generator<JsonRecord, void, void> {
    let start = 0;
    for (let index = 0; index < text.length; index += 1) {
      const character = text.charAt(index);
      switch (place) {
        case 'item':
          if (!follow(character)) break;
          needsComma = true;
          place = 'array';
          yield parse(kept + text.slice(start, index + 1)) as JsonRecord;
          kept = '';
          break;
        case 'key':
          if (!closes(character)) break;
          name = parse(`"${kept}${text.slice(start, index)}"`) as string;
          kept = '';
          place = 'colon';
          break;
        case 'skip':
          place = skip(character);
          break;
        default:
          if (isSpace(character)) break;
          place = step(character);
          start = place === 'key' ? index + 1 : index;
      }
    }
    if (place === 'item' || place === 'key') kept += text.slice(start);
    if (kept.length > MAX_ITEM) throw broken(source, 'contains an item that is too long');
  }

  return {
    scan,
    end: () => {
      if (place !== 'end') throw broken(source, 'is cut');
      if (!hasArray) throw broken(source, `has no list named ${key}`);
    },
  };
};

const isSpace = (character: string): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t';
