import { isJsonObject, type JsonValue } from '../../domain/kernel/json.js';
import { maskNumber } from '../../domain/kernel/mask-number.js';
import { HIDDEN, isPhoneName, isSecretName, maskExpression, maskText } from './mask-text.js';

type Kind = 'secret' | 'phone' | undefined;

/** Masked JSON. */
export interface MaskedJson {
  readonly value: JsonValue;
  /** Paths of masked values that decide what the request does. */
  readonly essential: readonly string[];
}

interface Place {
  readonly path: string;
  readonly kind: Kind;
  /** Rollgate ignores it, or stores it without looking at it. */
  readonly isHarmless: boolean;
  /** What follows it was cut off. */
  readonly isOpen: boolean;
}

/** Core attributes, also with the URN of their schema. */
const HARMLESS = /^(?:urn:[^ ]*:)?(?:password|phoneNumbers)(?:$|[.[])/i;
const MIN_DIGITS = 5;

const kindOfName = (name: string): Kind => {
  if (isSecretName(name)) return 'secret';
  return isPhoneName(name) ? 'phone' : undefined;
};

const member = (object: object, wanted: string): unknown =>
  Object.entries(object).find(([name]) => name.toLowerCase() === wanted)?.[1];

const maskNumberText = (text: string): string => {
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < MIN_DIGITS) return maskText(text);
  return maskNumber(/^\s*(?:tel:)?\s*[+＋]/i.test(text) ? `+${digits}` : digits);
};

const maskScalar = (value: JsonValue, kind: Kind): JsonValue => {
  if (kind === 'secret') return value === null || value === '' ? value : HIDDEN;
  if (kind === 'phone')
    return typeof value === 'string' || typeof value === 'number'
      ? maskNumberText(String(value))
      : value;
  return typeof value === 'string' ? maskText(value) : value;
};

/** The attribute of a PATCH operation's value (RFC 7644, 3.5.2); its path may have been cut off. */
const kindOfOperation = (object: object, isOpen: boolean): Kind => {
  const path = member(object, 'path');
  if (typeof path === 'string') return kindOfName(path);
  return isOpen && member(object, 'op') !== undefined ? 'secret' : undefined;
};

const isHarmlessOperation = (object: object): boolean => {
  const [op, path] = [member(object, 'op'), member(object, 'path')];
  return (
    typeof path === 'string' &&
    HARMLESS.test(path) &&
    !(typeof op === 'string' && op.toLowerCase() === 'remove')
  );
};

/** Texts in which numbers have no attribute of their own. */
const EXPRESSIONS: ReadonlySet<string> = new Set(['path', 'filter']);

/**
 * Masks secrets by the names of their attributes, phone numbers by names and form, and whatever
 * looks like a token. `isCut`: the text ended early.
 */
export const maskJson = (json: JsonValue, isCut: boolean): MaskedJson => {
  const essential: string[] = [];
  // Names repeat in every element of a list.
  const kinds = new Map<string, Kind>();
  const kindOf = (name: string): Kind => {
    if (!kinds.has(name)) kinds.set(name, kindOfName(name));
    return kinds.get(name);
  };
  const note = (before: JsonValue, after: JsonValue, { path, isHarmless }: Place): JsonValue => {
    if (before !== after && !isHarmless) essential.push(maskText(path));
    return after;
  };
  const placeOf = (object: object, name: string, { kind, ...place }: Place): Place => {
    const ofName = kindOf(name);
    const ofOperation =
      name.toLowerCase() === 'value' ? kindOfOperation(object, place.isOpen) : undefined;
    return {
      path: place.path === '' ? name : `${place.path}.${name}`,
      kind: kind ?? ofName ?? ofOperation,
      isHarmless:
        place.isHarmless ||
        (kind === undefined &&
          (ofName === undefined ? isHarmlessOperation(object) : HARMLESS.test(name))),
      isOpen: place.isOpen && Object.keys(object).at(-1) === name,
    };
  };
  const mask = (value: JsonValue, place: Place): JsonValue => {
    if (Array.isArray(value))
      return (value as readonly JsonValue[]).map((item, at, { length }) =>
        mask(item, {
          ...place,
          path: `${place.path}[${at}]`,
          isOpen: place.isOpen && at === length - 1,
        }),
      );
    if (!isJsonObject(value)) return note(value, maskScalar(value, place.kind), place);
    return Object.fromEntries(
      Object.entries(value).map(([name, inner = null]) => {
        const at = placeOf(value, name, place);
        const isExpression = typeof inner === 'string' && EXPRESSIONS.has(name.toLowerCase());
        if (isExpression && at.kind === undefined)
          return [name, note(inner, maskExpression(inner), { ...at, isHarmless: false })];
        const shownName = maskText(name);
        if (shownName !== name) essential.push(shownName);
        return [shownName, mask(inner, at)];
      }),
    );
  };
  const root = { path: '', kind: undefined, isHarmless: false, isOpen: isCut };
  return { value: mask(json, root), essential };
};
