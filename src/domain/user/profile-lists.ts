import { fold } from '../kernel/names.js';
import { isSame, type JsonObject } from '../kernel/json.js';
import { refuseValues } from '../kernel/refusals.js';

/** An element of a list in a profile, such as one e-mail. */
export type Element = JsonObject;
export type Elements = readonly Element[];

/** The lists of a profile, each with the member whose case matters, if any (RFC 7643, 2.2). */
const LISTS: ReadonlyMap<string, string | undefined> = new Map([
  ['emails', undefined],
  ['phoneNumbers', undefined],
  ['ims', undefined],
  ['photos', undefined],
  ['addresses', undefined],
  ['entitlements', undefined],
  ['x509Certificates', 'value'],
]);

export const isList = (attribute: string): boolean => LISTS.has(attribute);

/** Maximum length of a list: every change compares all elements. */
export const MAX_VALUES = 100;

/** An element with only `primary` is empty; one with only a `type` is not. */
const hasContent = (element: Element): boolean =>
  Object.keys(element).some((name) => name !== 'primary');

/** Elements are immutable, so each string in them is folded only once. */
const folded = new WeakMap<Element, Map<string, string>>();

const foldOnce = (element: Element, name: string, text: string): string => {
  const cached = folded.get(element) ?? new Map<string, string>();
  folded.set(element, cached);
  const form = cached.get(name) ?? fold(text);
  cached.set(name, form);
  return form;
};

/** Whether a member is equal in both elements, ignoring case unless it matters. */
const sameMember = (
  list: string,
  name: string,
  [left, right]: readonly [Element, Element],
): boolean => {
  const [one, other] = [left[name], right[name]];
  if (one === other) return true;
  // A missing one is false (RFC 7643, 2.4).
  if (name === 'primary') return isPrimary(left) === isPrimary(right);
  return LISTS.get(list) !== name && typeof one === 'string' && typeof other === 'string'
    ? foldOnce(left, name, one) === foldOnce(right, name, other)
    : isSame(one, other);
};

/** Whether an element has all members of another. */
export const includes = (list: string, element: Element, wanted: Element): boolean =>
  Object.keys(wanted).every((name) => sameMember(list, name, [element, wanted]));

const hasValue = (element: Element): boolean => element['value'] !== undefined;

/**
 * Whether two elements are duplicates: a list holds each pair of type and value once (RFC 7643,
 * 2.4). Elements without a `value`, such as addresses, are compared in full except `primary`, since
 * two with the same type may be different. This is an equivalence relation, so removing duplicates
 * is idempotent.
 */
const areSameElement = (list: string, left: Element, right: Element): boolean => {
  const names =
    hasValue(left) && hasValue(right)
      ? ['value', 'type']
      : Object.keys({ ...left, ...right }).filter((name) => name !== 'primary');
  return names.every((name) => sameMember(list, name, [left, right]));
};

/** Whether an element in the list is the added one, or the one that it was merged into. */
export const isResultOf = (list: string, element: Element, given: Element): boolean =>
  includes(list, element, given) || areSameElement(list, element, given);

export const isPrimary = ({ primary }: Element): boolean => primary === true;

const merge = (first: Element, second: Element): Element => ({
  ...first,
  ...second,
  ...(isPrimary(first) ? { primary: true } : {}),
});

/** Appends an element, or merges it into its duplicate. */
const appendOrMerge = (list: string, elements: Elements, added: Element): Elements => {
  const at = elements.findIndex((element) => areSameElement(list, element, added));
  const existing = elements[at];
  return existing ? elements.with(at, merge(existing, added)) : [...elements, added];
};

/** Adding an element with `primary: false` must not clear the flag of an existing one. */
const withoutFalsePrimary = (element: Element): Element => {
  if (element['primary'] !== false) return element;
  const { primary: _no, ...rest } = element;
  return rest;
};

/** Adds an element, unless the list already has one with all its members (RFC 7644, 3.5.2.1). */
export const withElement = (list: string, elements: Elements, added: Element): Elements => {
  const stated = withoutFalsePrimary(added);
  const exists = elements.some(
    (element) =>
      includes(list, element, stated) && (hasValue(added) || areSameElement(list, element, added)),
  );
  return exists ? elements : appendOrMerge(list, elements, added);
};

/** The elements of a list without empty ones and duplicates. */
export const withoutDuplicates = (list: string, elements: Elements): Elements =>
  elements
    .filter(hasContent)
    .reduce<Elements>((kept, element) => appendOrMerge(list, kept, element), []);

/** At most one element is primary (RFC 7643, 2.4): a newly set one replaces the previous one. */
export const keepOnePrimary = (
  list: string,
  elements: Elements,
  isTouched: (element: Element) => boolean,
): Elements => {
  const [chosen, ...more] = elements.filter((element) => isTouched(element) && isPrimary(element));
  if (more.length > 0)
    refuseValues([{ path: list, message: 'must have at most one primary value' }]);
  if (!chosen) return elements;
  return elements.map((element) =>
    isPrimary(element) && element !== chosen ? { ...element, primary: false } : element,
  );
};

/** An object without its null and undefined members. */
export const withoutNulls = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );

/** Members that mean nothing without a `value`. */
const VALUE_METADATA: ReadonlySet<string> = new Set(['type', 'primary']);

/**
 * An element without its null members; undefined if its `value` is null and only metadata is left.
 * Entra clears an e-mail this way, and OneLogin sends fields that were never filled in. An element
 * that has no `value` member and only a type is kept.
 */
export const withoutClearedValue = (element: Element): Element | undefined => {
  const left = withoutNulls(element);
  const isCleared = element['value'] === null;
  return isCleared && Object.keys(left).every((name) => VALUE_METADATA.has(name))
    ? undefined
    : left;
};
