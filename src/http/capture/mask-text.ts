import { isPhoneName, isSecretName } from '../../../config/sensitive-names.js';
import { maskNumbersIn } from '../../domain/kernel/names.js';

export const HIDDEN = '•'.repeat(7);

/** An expression without the values it compares with. */
const withoutValues = (text: string): string => text.replaceAll(/"[^"]*"/g, '""');

export type Kind = 'secret' | 'phone' | undefined;

/** What the values of an attribute or parameter are, or of those in an expression. */
export const kindOfName = (name: string): Kind => {
  const names = withoutValues(name);
  if (isSecretName(names)) return 'secret';
  return isPhoneName(names) ? 'phone' : undefined;
};

/** API keys keep their public prefix; webhook secrets, bearer tokens and JSON web tokens do not. */
const API_KEY = /\brg_([0-9A-Za-z]{8})_[0-9A-Za-z]+/g;
/** After the name of its scheme, which is looked at from one position only: long white space costs once. */
const BEARER = /(?<=\b(?:Bearer|Basic))(\s+)[\w.~+/=-]{8,}/gi;
/** Also matches the start of what has no further part: it need not be searched again. */
const JSON_WEB_TOKEN = /\beyJ[\w-]{5,}(\.[\w-]+(?:\.[\w-]*)?)?/gi;
const SIGNING_SECRET = /\bwhsec_[\w+/=-]+/gi;

/** What the expressions above begin with: most texts need no further search. */
const SUSPECT = /[+＋]|\d[\s).\-/]{1,3}\d|rg_|whsec_|eyJ|bearer|basic/i;

/** Masks phone numbers and whatever looks like a token in a text. */
export const maskText = (text: string): string =>
  SUSPECT.test(text)
    ? maskNumbersIn(text)
        .replaceAll(API_KEY, `rg_$1_${HIDDEN}`)
        .replaceAll(BEARER, `$1${HIDDEN}`)
        .replaceAll(JSON_WEB_TOKEN, (all, rest?: string) => (rest === undefined ? all : HIDDEN))
        .replaceAll(SIGNING_SECRET, HIDDEN)
    : text;

const DIGITS = /\d(?:[\s().\-/]{0,3}\d){4,}/g;

/** Masks all longer numbers in a text, also dates and parts of ids. */
const maskDigits = (text: string): string => text.replaceAll(DIGITS, HIDDEN);

/** Text of an unknown form; null if it may contain a secret. */
export const maskUnknown = (text: string): string | null =>
  isSecretName(text) ? null : maskDigits(maskText(text));

/** An expression, such as a filter or the path of a change. */
export const maskExpression = (text: string): string => {
  const kind = kindOfName(text);
  if (kind === 'secret') return maskText(text).replaceAll(/"[^"]*"/g, `"${HIDDEN}"`);
  return kind === 'phone' ? maskDigits(maskText(text)) : maskText(text);
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

const maskParameter = (part: string): string => {
  const at = part.indexOf('=');
  if (at < 0) return maskDecoded(part, part);
  const name = part.slice(0, at);
  const value = part.slice(at + 1);
  if (isSecretName(decoded(name))) return `${name}=${HIDDEN}`;
  return `${name}=${maskDecoded(value, decoded(value))}`;
};

/** The text as it was sent, unless something in it has to be masked. */
const maskDecoded = (sent: string, text: string): string => {
  const masked = maskExpression(text);
  // An international number whose plus was not encoded: it decodes to a space.
  if (masked === text) return maskText(sent);
  return encodeURIComponent(masked).replaceAll(encodeURIComponent('•'), '•');
};

/** A path with its query. */
export const maskUrl = (url: string): string => {
  const at = url.indexOf('?');
  const path = (at < 0 ? url : url.slice(0, at)).split('/');
  const query = at < 0 ? [] : url.slice(at + 1).split('&');
  const masked = path.map((part) => maskDecoded(part, decoded(part))).join('/');
  return at < 0 ? masked : `${masked}?${query.map(maskParameter).join('&')}`;
};
