import type { Refusal } from '../domain/refusals.js';

/** Longer says no more. */
const MAX_LENGTH = 200;

/** What a request gave is quoted in messages; it may hold quotes itself. */
const QUOTED = /".*"/s;
const SINGLE_QUOTED = /(^|\s)'.*'(?=[\s.,;:)]|$)/s;
const E_MAIL = /[^\s<>(),;]+@[^\s<>(),;]+/g;
/** A name that the client made up: a field that there is none of, a parameter of the query. */
const UNKNOWN_FIELD = /\S+ (?=is not a known |unknown )/g;
const PARAMETER = /(?<=^The query is not valid: )\S+/;
/** A phone number, or part of one. */
const MANY_DIGITS = /\+?\d(?:[\s().-]{0,3}\d){5,}/g;

/** A refusal in the log: code and reason, without what is known of a person. */
export const refusalInLog = ({
  code,
  message,
  logMessage,
}: Refusal): { readonly code: string; readonly reason: string } => ({
  code,
  // Scopes are quoted there, and nothing else.
  reason: (code === 'INSUFFICIENT_SCOPE' ? message : withoutPersons(logMessage ?? message)).slice(
    0,
    MAX_LENGTH,
  ),
});

const withoutPersons = (text: string): string =>
  text
    .replace(QUOTED, '"…"')
    .replace(SINGLE_QUOTED, "$1'…'")
    .replace(UNKNOWN_FIELD, '… ')
    .replace(PARAMETER, '…')
    .replace(E_MAIL, '…')
    .replace(MANY_DIGITS, '…');
