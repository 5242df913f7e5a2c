import { fold } from '../domain/kernel/fold.js';
import type { JsonObject } from '../domain/kernel/json.js';
import type { Attribute } from './attributes.js';
import { sameJson } from './same-json.js';

/** An element of a multi-valued attribute, such as one e-mail. */
export type Element = JsonObject;
export type Elements = readonly Element[];

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

/**
 * Whether a member is equal in both elements, ignoring case unless the attribute is `caseExact`.
 */
const sameMember = (
  { subAttributes }: Attribute,
  name: string,
  [left, right]: readonly [Element, Element],
): boolean => {
  const [one, other] = [left[name], right[name]];
  if (one === other) return true;
  const exact = subAttributes.get(name.toLowerCase())?.reference.caseExact ?? true;
  return !exact && typeof one === 'string' && typeof other === 'string'
    ? foldOnce(left, name, one) === foldOnce(right, name, other)
    : sameJson(one, other);
};

/** Whether an element has all members of another. */
export const includes = (attribute: Attribute, element: Element, wanted: Element): boolean =>
  Object.keys(wanted).every((name) => sameMember(attribute, name, [element, wanted]));

const hasValue = (element: Element): boolean => element['value'] !== undefined;

/**
 * Whether two elements are duplicates: a list holds each pair of type and value once (RFC 7643,
 * 2.4). Elements without a `value`, such as addresses, are compared in full except `primary`, since
 * two with the same type may be different. This is an equivalence relation, so removing duplicates
 * is idempotent.
 */
const areSameElement = (attribute: Attribute, left: Element, right: Element): boolean => {
  const names =
    hasValue(left) && hasValue(right)
      ? ['value', 'type']
      : Object.keys({ ...left, ...right }).filter((name) => name !== 'primary');
  return names.every((name) => sameMember(attribute, name, [left, right]));
};

/** Whether an element in the list is the added one, or the one that it was merged into. */
export const isResultOf = (attribute: Attribute, element: Element, given: Element): boolean =>
  includes(attribute, element, given) || areSameElement(attribute, element, given);

export const isPrimary = ({ primary }: Element): boolean => primary === true;

const merge = (first: Element, second: Element): Element => ({
  ...first,
  ...second,
  ...(isPrimary(first) ? { primary: true } : {}),
});

/** Appends an element, or merges it into its duplicate. */
const appendOrMerge = (attribute: Attribute, list: Elements, added: Element): Elements => {
  const at = list.findIndex((element) => areSameElement(attribute, element, added));
  const existing = list[at];
  return existing ? list.with(at, merge(existing, added)) : [...list, added];
};

/** Adding an element with `primary: false` must not clear the flag of an existing one. */
const withoutFalsePrimary = (element: Element): Element => {
  if (element['primary'] !== false) return element;
  const { primary: _no, ...rest } = element;
  return rest;
};

/** Adds an element, unless the list already has one with all its members (RFC 7644, 3.5.2.1). */
export const withElement = (attribute: Attribute, list: Elements, added: Element): Elements => {
  const stated = withoutFalsePrimary(added);
  const exists = list.some(
    (element) =>
      includes(attribute, element, stated) &&
      (hasValue(added) || areSameElement(attribute, element, added)),
  );
  return exists ? list : appendOrMerge(attribute, list, added);
};

/** The list without empty elements and duplicates. */
export const withoutDuplicates = (attribute: Attribute, list: Elements): Elements =>
  list
    .filter(hasContent)
    .reduce<Elements>((kept, element) => appendOrMerge(attribute, kept, element), []);

/** Only the chosen element stays primary (RFC 7644, 3.5.2). */
export const withOnePrimary = (list: Elements, isChosen: (element: Element) => boolean): Elements =>
  list.map((element) =>
    isPrimary(element) && !isChosen(element) ? { ...element, primary: false } : element,
  );
