import { nameError } from '../domain/kernel/name-rule.js';
import type { Attribute } from './attributes.js';

/** Maximum length of a value in UTF-16 code units; 1,024 if not listed. */
const MAX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['userName', 256],
  ['addresses.formatted', 4096],
  ['addresses.streetAddress', 4096],
  ['profileUrl', 4096],
  ['photos.value', 4096],
  ['x509Certificates.value', 16_384],
]);
const DEFAULT_MAX_LENGTH = 1024;

/** Free text that may contain line breaks (RFC 7643, 4.1.2; decisions.md 2). */
const MULTI_LINE: ReadonlySet<string> = new Set(['addresses.formatted', 'addresses.streetAddress']);

/** These identify a user, so no two may look alike. */
const IDENTIFIERS: ReadonlySet<string> = new Set(['userName', 'externalId', 'emails.value']);

const CONTROL = /\p{Cc}/u;
const CONTROL_EXCEPT_LINES = /[^\P{Cc}\t\n\r]/u;

/** Why a text is not valid for an attribute; undefined if it is (decisions.md 2). */
export const textError = ({ reference }: Attribute, text: string): string | undefined => {
  const path = reference.path.join('.');
  const maxLength = MAX_LENGTHS.get(path) ?? DEFAULT_MAX_LENGTH;
  if (text.length > maxLength) return `must have at most ${maxLength} characters`;
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  const control = MULTI_LINE.has(path) ? CONTROL_EXCEPT_LINES : CONTROL;
  if (control.test(text)) return 'must not contain control characters';
  return IDENTIFIERS.has(path) ? nameError(text) : undefined;
};

const MAX_NAME_LENGTH = 256;

/**
 * Why a text is not valid as a group name; undefined if it is. Names select rooms and role
 * mappings, so no two may look alike.
 */
export const groupNameError = (name: string): string | undefined => {
  if (name.trim() === '') return 'is required';
  if (name.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  return nameError(name);
};
