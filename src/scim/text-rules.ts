import { faultOfName } from '../domain/name-rule.js';
import type { Attribute } from './attributes.js';

/** Longest text of an attribute, in UTF-16 units; what is not named may have 1,024. */
const LONGEST: ReadonlyMap<string, number> = new Map([
  ['userName', 256],
  ['addresses.formatted', 4096],
  ['addresses.streetAddress', 4096],
  ['profileUrl', 4096],
  ['photos.value', 4096],
  ['x509Certificates.value', 16_384],
]);
const USUALLY_LONGEST = 1024;

/** Free text that goes over several lines (RFC 7643, 4.1.2; decisions.md 2). */
const MANY_LINES: ReadonlySet<string> = new Set(['addresses.formatted', 'addresses.streetAddress']);

/** Identifies a user, so no two may look alike. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['userName', 'externalId', 'emails.value']);

const CONTROL = /\p{Cc}/u;
const CONTROL_BUT_LINES = /[^\P{Cc}\t\n\r]/u;

/** Why a text cannot be kept in an attribute; undefined where it can (decisions.md 2). */
export const faultOfText = ({ reference }: Attribute, text: string): string | undefined => {
  const path = reference.path.join('.');
  const longest = LONGEST.get(path) ?? USUALLY_LONGEST;
  if (text.length > longest) return `may have ${longest} characters at most`;
  if (!text.isWellFormed()) return 'holds half of a surrogate pair';
  const control = MANY_LINES.has(path) ? CONTROL_BUT_LINES : CONTROL;
  if (control.test(text)) return 'must not hold control characters';
  return IDENTIFIERS.has(path) ? faultOfName(text) : undefined;
};

const LONGEST_NAME = 256;

/**
 * Why a text cannot be the name of a group; undefined where it can. A room may be named after it, and
 * by it a role is given: it must not look like another one.
 */
export const faultOfGroupName = (name: string): string | undefined => {
  if (name.trim() === '') return 'is required';
  if (name.length > LONGEST_NAME) return `may have ${LONGEST_NAME} characters at most`;
  return faultOfName(name);
};
