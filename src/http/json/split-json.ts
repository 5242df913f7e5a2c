import { raise } from '../../domain/kernel/refusals.js';

/** Without V8's message, which quotes the body and with it personal data. */
export const refuseMalformed = (): never =>
  raise('INVALID_JSON', 'The body is not well-formed JSON: check quotes, commas and brackets.');

/**
 * `JSON.parse` cannot be interrupted, and a body within its limits can take it seconds: V8 creates
 * a hidden class for each new name (8 MiB: 1.7 s). So a long text is split at commas into segments
 * that are parsed one by one.
 */

/** A part of the text, from a position up to but excluding another. */
interface Range {
  readonly from: number;
  readonly to: number;
}

export type Segment =
  /** One or more complete members or elements. */
  | (Range & { readonly kind: 'members' })
  /** Members before a value that is split itself, and the name of that value. */
  | (Range & { readonly kind: 'lead' })
  /** The text between such a value and the next comma or bracket: only white space. */
  | (Range & { readonly kind: 'blank' })
  | { readonly kind: 'value'; readonly key: string | number; readonly value: SplitValue };

/** An array or object that is too long to be parsed at once. */
export interface SplitValue {
  readonly isObject: boolean;
  /** Position of its closing bracket. */
  readonly end: number;
  readonly segments: readonly Segment[];
}

/** Characters per segment: a few milliseconds of `JSON.parse` in the worst case. */
const SEGMENT_LENGTH = 16_384;

/** Finds where one open array or object can be split. */
export class Splitter {
  #parts: Segment[] | undefined;
  #from: number;
  #isAfterValue = false;

  constructor(
    private readonly isObject: boolean,
    /** Position of its first member. */
    private readonly start: number,
  ) {
    this.#from = start;
  }

  /** Called for a comma between two of its members. */
  comma(at: number): void {
    if (this.#isAfterValue || at - this.#from >= SEGMENT_LENGTH) this.#cut(at);
  }

  /** Called for a member that is split itself. */
  child(
    key: string | number,
    {
      start,
      end,
      value,
    }: { readonly start: number; readonly end: number; readonly value: SplitValue },
  ): void {
    // Two values without a comma between them.
    if (this.#isAfterValue) refuseMalformed();
    this.#parts ??= [];
    this.#parts.push({ kind: 'lead', from: this.#from, to: start }, { kind: 'value', key, value });
    this.#from = end;
    this.#isAfterValue = true;
  }

  /** Called for its closing bracket. Undefined if it is short enough to be parsed at once. */
  close(at: number): SplitValue | undefined {
    if (!this.#parts && at - this.start < SEGMENT_LENGTH) return undefined;
    return { isObject: this.isObject, end: at, segments: this.#cut(at) };
  }

  #cut(at: number): readonly Segment[] {
    const kind = this.#isAfterValue ? 'blank' : 'members';
    this.#parts ??= [];
    this.#parts.push({ kind, from: this.#from, to: at });
    this.#from = at + 1;
    this.#isAfterValue = false;
    return this.#parts;
  }
}
