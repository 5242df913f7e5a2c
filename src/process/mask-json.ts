import { isPhoneName, isSecretName } from '../../config/sensitive-names.js';
import { maskNumbersIn, maskNumber } from '../domain/kernel/names.js';
import { type Chunked, runSync } from '../domain/kernel/chunked.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/kernel/json.js';

export const HIDDEN = '•'.repeat(7);

/** An expression without the values it compares with. */
const withoutValues = (text: string): string => text.replaceAll(/"[^"]*"/g, '""');

type Kind = 'secret' | 'phone' | undefined;

/** What the values of an attribute or parameter are, or of those in an expression. */
const kindOfName = (name: string): Kind => {
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
const maskExpression = (text: string): string => {
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

/** Masked JSON. */
interface MaskedJson {
  readonly value: JsonValue;
  /** Path of the first masked value that decides what the request does. */
  readonly essential: string | undefined;
}

/** Where a value is. Its path is built only if it is needed: there may be tens of thousands. */
interface Place {
  readonly parent: Place | undefined;
  /** The name of a member, or the index of an element. */
  readonly key: string | number;
  readonly kind: Kind;
  /** Rollgate ignores it, or stores it without looking at it. */
  readonly isHarmless: boolean;
  /** What follows it was cut off. */
  readonly isOpen: boolean;
}

const pathOf = ({ parent, key }: Place): string => {
  if (!parent) return '';
  const path = pathOf(parent);
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
};

/** Core attributes, also with the URN of their schema. */
const HARMLESS = /^(?:urn:[^ ]*:)?(?:password|phoneNumbers)(?:$|[.[])/i;
const INTERNATIONAL = /^(?:tel:\s*)?[+＋]/i;
const MIN_DIGITS = 5;

const maskNumberText = (text: string): string => {
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < MIN_DIGITS) return maskText(text);
  return maskNumber(INTERNATIONAL.test(text.trimStart()) ? `+${digits}` : digits);
};

type Scalar = string | number | boolean | null;

const isScalar = (value: JsonValue): value is Scalar => typeof value !== 'object' || value === null;

/** Of `passwordChangedAt`, `phoneVerifiedAt`. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.]*(?:Z|[+-]\d\d:?\d\d)?$/;
const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

const isPhoneNumber = (value: string | number): boolean =>
  typeof value === 'number' ? String(value).length >= MIN_DIGITS : !UUID.test(value);

const maskScalar = (value: Scalar, kind: Kind): JsonValue => {
  if (value === null || value === '' || typeof value === 'boolean') return value;
  if (kind !== undefined && INSTANT.test(String(value))) return value;
  if (kind === 'secret') return HIDDEN;
  if (kind === 'phone' && isPhoneNumber(value)) return maskNumberText(String(value));
  return typeof value === 'string' ? maskText(value) : value;
};

type Member = readonly [name: string, value: JsonValue];

const membersOf = (object: JsonObject): readonly Member[] =>
  Object.entries(object).map(([name, value = null]) => [name, value]);

/** Of a PATCH operation (RFC 7644, 3.5.2). */
interface Operation {
  /** Of its value. */
  readonly kind: Kind;
  readonly isHarmless: boolean;
}

const readOperation = (
  members: readonly Member[],
  kindOf: (name: string) => Kind,
  isOpen: boolean,
): Operation => {
  const [, op] = members.find(([name]) => name.toLowerCase() === 'op') ?? [];
  const [, path] = members.find(([name]) => name.toLowerCase() === 'path') ?? [];
  // Its path may have been cut off.
  if (typeof path !== 'string')
    return { kind: isOpen && op !== undefined ? 'secret' : undefined, isHarmless: false };
  const isRemoval = typeof op === 'string' && op.toLowerCase() === 'remove';
  return { kind: kindOf(path), isHarmless: !isRemoval && HARMLESS.test(path) };
};

/** Texts in which numbers have no attribute of their own. */
const EXPRESSIONS: ReadonlySet<string> = new Set(['path', 'filter']);

/** Values between two yields (decision 0011). */
const CHUNK_SIZE = 128;

/**
 * Masks secrets by the names of their attributes, phone numbers by names and form, and whatever
 * looks like a token. `isCut`: the text ended early. The work is linear in the size of the text.
 */
export const maskJson = function* (json: JsonValue, isCut: boolean): Chunked<MaskedJson> {
  let essential: string | undefined;
  let count = 0;
  const isChunkFull = (): boolean => (count += 1) % CHUNK_SIZE === 0;
  // Names repeat in every element of a list.
  const kinds = new Map<string, Kind>();
  const kindOf = (name: string): Kind => {
    if (!kinds.has(name)) kinds.set(name, kindOfName(name));
    return kinds.get(name);
  };
  const note = (before: JsonValue, after: JsonValue, place: Place): JsonValue => {
    if (before !== after && !place.isHarmless) essential ??= maskText(pathOf(place));
    return after;
  };
  const placeOf = (name: string, parent: Place, operation: Operation, isLast: boolean): Place => {
    const ofName = kindOf(name);
    const ofOperation = name.toLowerCase() === 'value' ? operation.kind : undefined;
    const isHarmless = ofName === undefined ? operation.isHarmless : HARMLESS.test(name);
    return {
      parent,
      key: name,
      kind: parent.kind ?? ofName ?? ofOperation,
      isHarmless: parent.isHarmless || (parent.kind === undefined && isHarmless),
      isOpen: parent.isOpen && isLast,
    };
  };
  const maskLeaf = (value: Scalar, place: Place): JsonValue =>
    note(value, maskScalar(value, place.kind), place);
  const maskArray = function* (items: readonly JsonValue[], parent: Place): Chunked<JsonValue> {
    const masked: JsonValue[] = [];
    for (const [key, item] of items.entries()) {
      if (isChunkFull()) yield;
      const isOpen = parent.isOpen && key === items.length - 1;
      const { kind, isHarmless } = parent;
      const place = { parent, key, kind, isHarmless, isOpen };
      masked.push(isScalar(item) ? maskLeaf(item, place) : yield* maskNested(item, place));
    }
    return masked;
  };
  const maskObject = function* (members: readonly Member[], parent: Place): Chunked<JsonValue> {
    const masked: Member[] = [];
    const operation = readOperation(members, kindOf, parent.isOpen);
    for (const [at, [name, inner]] of members.entries()) {
      if (isChunkFull()) yield;
      const place = placeOf(name, parent, operation, at === members.length - 1);
      const isExpression = typeof inner === 'string' && EXPRESSIONS.has(name.toLowerCase());
      if (isExpression && place.kind === undefined) {
        masked.push([name, note(inner, maskExpression(inner), { ...place, isHarmless: false })]);
        continue;
      }
      const shownName = maskText(name);
      if (shownName !== name) essential ??= shownName;
      const value = isScalar(inner) ? maskLeaf(inner, place) : yield* maskNested(inner, place);
      masked.push([shownName, value]);
    }
    return Object.fromEntries(masked);
  };
  const maskNested = (value: Exclude<JsonValue, Scalar>, place: Place): Chunked<JsonValue> =>
    isJsonObject(value) ? maskObject(membersOf(value), place) : maskArray(value, place);
  const root: Place = {
    parent: undefined,
    key: '',
    kind: undefined,
    isHarmless: false,
    isOpen: isCut,
  };
  const value = isScalar(json) ? maskLeaf(json, root) : yield* maskNested(json, root);
  return { value, essential };
};

/** The same for values of up to about a megabyte, at once. */
export const maskValues = (values: JsonObject): JsonObject =>
  runSync(maskJson(values, false)).value as JsonObject;
