import { refuseMalformed } from './refuse-malformed.js';

/**
 * `JSON.parse` cannot be interrupted, and within the bounds of a body it may take seconds: objects
 * with ever other names cost V8 a hidden class for each name (8 MiB: 1.7 s). So a long text is cut,
 * by the places of its commas, into pieces that are parsed one by one.
 */

/** A stretch of the text: from a place up to, not including, another. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

export type CutPart =
  /** Complete members or elements, at least one. */
  | (Stretch & { readonly kind: 'members' })
  /** What stands before a value that is cut itself: members, and the name of that value. */
  | (Stretch & { readonly kind: 'lead' })
  /** What stands between such a value and the next comma or bracket: nothing but blanks. */
  | (Stretch & { readonly kind: 'blank' })
  | { readonly kind: 'value'; readonly key: string | number; readonly value: CutValue };

/** An array or object that is too long to be parsed at once. */
export interface CutValue {
  readonly isObject: boolean;
  /** Where its closing bracket is. */
  readonly end: number;
  readonly parts: readonly CutPart[];
}

/** Characters of a piece: a few milliseconds of `JSON.parse` at the very worst. */
const PIECE = 16_384;

/** Follows one open array or object, and notes where it is to be cut. */
export class Cutter {
  #parts: CutPart[] | undefined;
  #from: number;
  #isAfterValue = false;

  constructor(
    private readonly isObject: boolean,
    /** Where the first of its members may begin. */
    private readonly start: number,
  ) {
    this.#from = start;
  }

  /** A comma between two of its members is at this place. */
  comma(at: number): void {
    if (this.#isAfterValue || at - this.#from >= PIECE) this.#cut(at);
  }

  /** One of its members is cut itself. */
  child(
    key: string | number,
    {
      start,
      end,
      value,
    }: { readonly start: number; readonly end: number; readonly value: CutValue },
  ): void {
    // Two values without a comma between them.
    if (this.#isAfterValue) refuseMalformed();
    this.#parts ??= [];
    this.#parts.push({ kind: 'lead', from: this.#from, to: start }, { kind: 'value', key, value });
    this.#from = end;
    this.#isAfterValue = true;
  }

  /** Its closing bracket is at this place. Undefined: it is short enough to be parsed as it is. */
  close(at: number): CutValue | undefined {
    if (!this.#parts && at - this.start < PIECE) return undefined;
    return { isObject: this.isObject, end: at, parts: this.#cut(at) };
  }

  #cut(at: number): readonly CutPart[] {
    const kind = this.#isAfterValue ? 'blank' : 'members';
    this.#parts ??= [];
    this.#parts.push({ kind, from: this.#from, to: at });
    this.#from = at + 1;
    this.#isAfterValue = false;
    return this.#parts;
  }
}
