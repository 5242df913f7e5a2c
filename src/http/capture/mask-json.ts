import type { Chunked } from '../../domain/kernel/chunked.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/kernel/json.js';
import { maskNumber } from '../../domain/kernel/names.js';
import { HIDDEN, type Kind, kindOfName, maskExpression, maskText } from './mask-text.js';

/** Masked JSON. */
export interface MaskedJson {
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
