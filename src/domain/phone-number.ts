/**
 * A phone number as everything behind the edge knows it. No command, event, job or document holds a
 * number that can be read: what is never there cannot leak (decisions.md 6).
 */
export interface SealedNumber {
  /** A keyed hash of list and number: the same number of a list has the same key. */
  readonly key: string;
  /** The number in E.164, encrypted. */
  readonly sealed: string;
}

const FIRST = 5;
const LAST = 2;
/** Characters that stay hidden however short the number is. */
const HIDDEN = 4;

/** For eyes that may not see it whole: `+4915…23`. Of a number in E.164. */
export const maskNumber = (number: string): string => {
  const first = Math.min(FIRST, Math.max(0, number.length - LAST - HIDDEN));
  return `${number.slice(0, first)}…${number.slice(-LAST)}`;
};
