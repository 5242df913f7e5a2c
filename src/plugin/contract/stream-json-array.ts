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
  const scanner = new Scanner(key, source);
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

/**
 * Finds the items of the array, character by character. Between two characters, `depth` is the number of
 * open brackets, `isString` whether a string is open, and `kept` what earlier texts had of an item or key
 * that has not ended: an item is parsed only once its closing bracket is there.
 */
class Scanner {
  private place: Place = 'start';
  private depth = 0;
  private isString = false;
  private isEscaped = false;
  private hasArray = false;
  private needsComma = false;
  private name = '';
  private kept = '';

  constructor(
    private readonly key: string,
    private readonly source: string,
  ) {}

  /** The items that end in this text. */
  *scan(text: string): Generator<JsonRecord, void, void> {
    let start = 0;
    for (let index = 0; index < text.length; index += 1) {
      const character = text.charAt(index);
      switch (this.place) {
        case 'item':
          if (!this.follow(character)) break;
          this.needsComma = true;
          this.place = 'array';
          yield this.parse(this.kept + text.slice(start, index + 1)) as JsonRecord;
          this.kept = '';
          break;
        case 'key':
          this.follow(character);
          if (this.isString) break;
          this.name = this.parse(`"${this.kept}${text.slice(start, index)}"`) as string;
          this.kept = '';
          this.place = 'colon';
          break;
        case 'skip':
          this.place = this.skip(character);
          break;
        default:
          if (isSpace(character)) break;
          this.place = this.step(character);
          start = this.place === 'key' ? index + 1 : index;
      }
    }
    if (this.place === 'item' || this.place === 'key') this.kept += text.slice(start);
    if (this.kept.length > MAX_ITEM) throw broken(this.source, 'contains an item that is too long');
  }

  /** Throws unless the document is complete and had the array. */
  end(): void {
    if (this.place !== 'end') throw broken(this.source, 'is cut');
    if (!this.hasArray) throw broken(this.source, `has no list named ${this.key}`);
  }

  /** Follows strings and nesting; true if a value that began with a bracket has ended. */
  private follow(character: string): boolean {
    if (this.isString) {
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '\\') this.isEscaped = true;
      else if (character === '"') this.isString = false;
      return false;
    }
    if (character === '"') this.isString = true;
    else if (character === '{' || character === '[') this.depth += 1;
    else if (character === '}' || character === ']') this.depth -= 1;
    return this.depth === 1 || (this.depth === 0 && character === '}');
  }

  private parse(text: string): unknown {
    try {
      return parseExactJson(text);
    } catch {
      throw broken(this.source, 'is not JSON');
    }
  }

  /** Where a character outside of items, keys and skipped values leads. */
  private step(character: string): Place {
    const { key, source } = this;
    switch (this.place) {
      case 'start':
        if (character !== '{') throw broken(source, 'is not a JSON object');
        this.depth = 1;
        return 'between';
      case 'between':
        if (character === '}') return 'end';
        if (character === ',') return 'between';
        if (character !== '"') throw broken(source, 'is not JSON');
        this.isString = true;
        return 'key';
      case 'colon':
        if (character !== ':') throw broken(source, 'is not JSON');
        return 'value';
      case 'value':
        if (this.name !== key || this.hasArray) {
          this.follow(character);
          return 'skip';
        }
        if (character !== '[') throw broken(source, `has no list named ${key}`);
        this.hasArray = true;
        return 'array';
      case 'array':
        if (character === ']') return 'between';
        if (character === '{' && !this.needsComma) {
          this.depth = 2;
          return 'item';
        }
        if (character !== ',' || !this.needsComma)
          throw broken(source, `contains something else than objects in ${key}`);
        this.needsComma = false;
        return 'array';
      default:
        throw broken(source, 'continues after its end');
    }
  }

  /** Where a character of a skipped value leads. */
  private skip(character: string): Place {
    const wasInside = this.isString || this.depth > 1;
    this.follow(character);
    if (this.isString || this.depth > 1) return 'skip';
    if (this.depth === 0) return 'end';
    return !wasInside && character === ',' ? 'between' : 'skip';
  }
}

const isSpace = (character: string): boolean =>
  character === ' ' || character === '\n' || character === '\r' || character === '\t';
