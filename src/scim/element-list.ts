import { fold } from '../domain/fold.js';
import type { JsonObject, JsonValue } from '../domain/json.js';
import type { Attribute } from './attributes.js';
import { sameJson } from './same-json.js';

/** An element of a multi-valued attribute, such as one e-mail. */
export type Element = JsonObject;
export type Elements = readonly Element[];

/** What says how a value is meant, and is nothing without one. */
const ABOUT: ReadonlySet<string> = new Set(['type', 'primary']);

const hasContent = (element: Element): boolean =>
  Object.keys(element).some((name) => !ABOUT.has(name));

const sameMember = (
  { subAttributes }: Attribute,
  name: string,
  [left, right]: readonly [JsonValue | undefined, JsonValue | undefined],
): boolean => {
  const exact = subAttributes.get(name.toLowerCase())?.reference.caseExact ?? true;
  return !exact && typeof left === 'string' && typeof right === 'string'
    ? fold(left) === fold(right)
    : sameJson(left, right);
};

/** Whether an element has all that is asked for, and perhaps more. */
export const includes = (attribute: Attribute, element: Element, wanted: Element): boolean =>
  Object.entries(wanted).every(([name, value]) =>
    sameMember(attribute, name, [element[name], value]),
  );

/**
 * Whether two elements are one and the same: no type and value stand twice in a list (RFC 7643,
 * 2.4). Where there is no `value`, as in addresses, all of it is compared but `primary`.
 */
const areTwins = (attribute: Attribute, left: Element, right: Element): boolean => {
  const names = attribute.subAttributes.has('value')
    ? ['value', 'type']
    : Object.keys({ ...left, ...right }).filter((name) => name !== 'primary');
  return names.every((name) => sameMember(attribute, name, [left[name], right[name]]));
};

export const isPrimary = ({ primary }: Element): boolean => primary === true;

const merge = (first: Element, second: Element): Element => ({
  ...first,
  ...second,
  ...(isPrimary(first) ? { primary: true } : {}),
});

/** The list with one more element; merged into the one that it equals, if any. */
export const withElement = (attribute: Attribute, list: Elements, added: Element): Elements => {
  if (list.some((element) => includes(attribute, element, added))) return list;
  const at = list.findIndex((element) => areTwins(attribute, element, added));
  const twin = list[at];
  return twin ? list.with(at, merge(twin, added)) : [...list, added];
};

/** The list without elements that say nothing, and without the same one twice. */
export const tidy = (attribute: Attribute, list: Elements): Elements =>
  list
    .filter(hasContent)
    .reduce<Elements>((kept, element) => withElement(attribute, kept, element), []);

/** The chosen element stays the primary one; what was it before no longer is (RFC 7644, 3.5.2). */
export const withOnePrimary = (list: Elements, isChosen: (element: Element) => boolean): Elements =>
  list.map((element) =>
    isPrimary(element) && !isChosen(element) ? { ...element, primary: false } : element,
  );
