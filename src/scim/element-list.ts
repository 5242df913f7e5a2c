import { fold } from '../domain/fold.js';
import type { JsonObject } from '../domain/json.js';
import type { Attribute } from './attributes.js';
import { sameJson } from './same-json.js';

/** An element of a multi-valued attribute, such as one e-mail. */
export type Element = JsonObject;
export type Elements = readonly Element[];

/** A type alone says something, as of an address that is to come; which one is primary does not. */
const hasContent = (element: Element): boolean =>
  Object.keys(element).some((name) => name !== 'primary');

/** Elements are never changed, so a text in one is folded once, however often it is compared. */
const folded = new WeakMap<Element, Map<string, string>>();

const foldedMember = (element: Element, name: string, text: string): string => {
  const known = folded.get(element) ?? new Map<string, string>();
  folded.set(element, known);
  const form = known.get(name) ?? fold(text);
  known.set(name, form);
  return form;
};

/** Whether two elements have the same in a member, by letter case where that counts. */
const sameMember = (
  { subAttributes }: Attribute,
  name: string,
  [left, right]: readonly [Element, Element],
): boolean => {
  const [one, other] = [left[name], right[name]];
  if (one === other) return true;
  const exact = subAttributes.get(name.toLowerCase())?.reference.caseExact ?? true;
  return !exact && typeof one === 'string' && typeof other === 'string'
    ? foldedMember(left, name, one) === foldedMember(right, name, other)
    : sameJson(one, other);
};

/** Whether an element has all that is asked for, and perhaps more. */
export const includes = (attribute: Attribute, element: Element, wanted: Element): boolean =>
  Object.keys(wanted).every((name) => sameMember(attribute, name, [element, wanted]));

const hasValue = (element: Element): boolean => element['value'] !== undefined;

/**
 * Whether two elements are one and the same: no type and value stand twice in a list (RFC 7643,
 * 2.4). Where one has no `value`, as in addresses, all of it is compared but `primary`: two that
 * agree in their type alone may be meant for two. It is an equivalence, so that a list that was
 * tidied once stays as it is.
 */
const areTwins = (attribute: Attribute, left: Element, right: Element): boolean => {
  const names =
    hasValue(left) && hasValue(right)
      ? ['value', 'type']
      : Object.keys({ ...left, ...right }).filter((name) => name !== 'primary');
  return names.every((name) => sameMember(attribute, name, [left, right]));
};

/** Whether an element is what a given one became in the list: it has all of it, or was merged with it. */
export const standsFor = (attribute: Attribute, element: Element, given: Element): boolean =>
  includes(attribute, element, given) || areTwins(attribute, element, given);

export const isPrimary = ({ primary }: Element): boolean => primary === true;

const merge = (first: Element, second: Element): Element => ({
  ...first,
  ...second,
  ...(isPrimary(first) ? { primary: true } : {}),
});

/** The list with one more element; merged into the one that it equals, if any. */
const withTwin = (attribute: Attribute, list: Elements, added: Element): Elements => {
  const at = list.findIndex((element) => areTwins(attribute, element, added));
  const twin = list[at];
  return twin ? list.with(at, merge(twin, added)) : [...list, added];
};

/** What is added as not primary takes nothing away: whatever is primary there stays so. */
const withoutNotPrimary = (element: Element): Element => {
  if (element['primary'] !== false) return element;
  const { primary: _no, ...rest } = element;
  return rest;
};

/**
 * The list with one more element, unless its value is there already with all that is said of it
 * (RFC 7644, 3.5.2.1).
 */
export const withElement = (attribute: Attribute, list: Elements, added: Element): Elements => {
  const said = withoutNotPrimary(added);
  const isThere = list.some(
    (element) =>
      includes(attribute, element, said) &&
      (hasValue(added) || areTwins(attribute, element, added)),
  );
  return isThere ? list : withTwin(attribute, list, added);
};

/** The list without elements that say nothing, and without the same one twice. */
export const tidy = (attribute: Attribute, list: Elements): Elements =>
  list
    .filter(hasContent)
    .reduce<Elements>((kept, element) => withTwin(attribute, kept, element), []);

/** The chosen element stays the primary one; what was it before no longer is (RFC 7644, 3.5.2). */
export const withOnePrimary = (list: Elements, isChosen: (element: Element) => boolean): Elements =>
  list.map((element) =>
    isPrimary(element) && !isChosen(element) ? { ...element, primary: false } : element,
  );
