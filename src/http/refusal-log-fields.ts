import type { Refusal } from '../domain/kernel/refusals.js';

const MAX_LENGTH = 200;

/** Values from the request are quoted in messages, and may contain quotes. */
const QUOTED = /".*"/s;
const SINGLE_QUOTED = /(^|\s)'.*'(?=[\s.,;:)]|$)/s;
const EMAIL = /[^\s<>(),;]+@[^\s<>(),;]+/g;
/** Names made up by the client: unknown fields and query parameters. */
const UNKNOWN_FIELD = /\S+ (?=is not a known |unknown )/g;
const PARAMETER = /(?<=^The query is not valid: )\S+/;
/** A phone number or a part of one. */
const PHONE_NUMBER = /\+?\d(?:[\s().-]{0,3}\d){5,}/g;

/** The log fields of a refusal: code and reason, without personal data. */
export const refusalLogFields = ({
  code,
  message,
  logMessage,
}: Refusal): { readonly code: string; readonly reason: string } => ({
  code,
  // Here only scopes are quoted.
  reason: (code === 'INSUFFICIENT_SCOPE' ? message : redact(logMessage ?? message)).slice(
    0,
    MAX_LENGTH,
  ),
});

const redact = (text: string): string =>
  text
    .replace(QUOTED, '"…"')
    .replace(SINGLE_QUOTED, "$1'…'")
    .replace(UNKNOWN_FIELD, '… ')
    .replace(PARAMETER, '…')
    .replace(EMAIL, '…')
    .replace(PHONE_NUMBER, '…');
