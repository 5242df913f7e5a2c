import type { Filter } from '../../domain/filter.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.js';
import { matcherOf } from '../../domain/match-filter.js';
import type { Attribute } from '../attributes.js';
import {
  type Element,
  type Elements,
  includes,
  isPrimary,
  withOnePrimary,
} from '../element-list.js';
import { MOST_VALUES, withoutEmptied } from '../read-value.js';
import { refuseTarget, refuseValues } from '../refuse-input.js';
import { valueAt, withValueAt } from '../value-at.js';

export const elementsOf = (resource: JsonObject, { reference }: Attribute): Elements => {
  const value = valueAt(resource, reference.path);
  return Array.isArray(value) ? (value as JsonValue[]).filter(isJsonObject) : [];
};

/**
 * The resource with this list; an empty one is no value (RFC 7643, 2.5). The bound holds after
 * every step, not at the end, for each is compared with all that the one before left.
 */
export const withElements = (
  resource: JsonObject,
  { name, reference }: Attribute,
  list: Elements,
): JsonObject => {
  if (list.length > MOST_VALUES) {
    refuseValues([{ path: name, message: `may have ${MOST_VALUES} values at most` }]);
  }
  return withValueAt(resource, reference.path, list.length > 0 ? list : undefined);
};

/**
 * What an element must have to be selected, where the filter says so outright: equations joined by
 * `and`. By it a missing element can be made.
 */
const demandsOf = (filter: Filter): Element | undefined => {
  if (filter.kind === 'compare') {
    const { operator, attribute, value } = filter;
    const [name = ''] = attribute.path;
    return operator === 'eq' && value !== null ? { [name]: value } : undefined;
  }
  if (filter.kind !== 'and') return undefined;
  const all = filter.of.map(demandsOf);
  return all.every((each) => each !== undefined)
    ? (Object.assign({}, ...all) as Element)
    : undefined;
};

/** Two primary values cannot be (RFC 7643, 2.4): the one that is set now wins over the former. */
export const settlePrimary = (
  attribute: Attribute,
  list: Elements,
  isTouched: (element: Element) => boolean,
): Elements => {
  const chosen = list.filter((element) => isTouched(element) && isPrimary(element));
  if (chosen.length > 1) {
    refuseValues([{ path: attribute.name, message: 'may have one primary value' }]);
  }
  return chosen.length === 0 ? list : withOnePrimary(list, (element) => element === chosen[0]);
};

/** Which elements of which list. */
export interface Selection {
  readonly attribute: Attribute;
  readonly selector: Filter;
}

const makeElement = ({ attribute, selector }: Selection): Element => {
  const element = demandsOf(selector);
  return element && matcherOf(selector)(element)
    ? element
    : refuseTarget(
        `No element of ${attribute.name} meets the selection, and none can be made of it.`,
      );
};

/** Changes the selected elements, where there are any; one that loses its value is gone. */
export const changeSelected = (
  resource: JsonObject,
  { attribute, selector }: Selection,
  change: (element: Element) => Element,
): JsonObject => {
  const touched = new Set<Element>();
  const isSelected = matcherOf(selector);
  const list = elementsOf(resource, attribute).flatMap((element) => {
    if (!isSelected(element)) return [element];
    const changed = withoutEmptied(change(element));
    if (changed === undefined) return [];
    touched.add(changed);
    return [changed];
  });
  const settled = settlePrimary(attribute, list, (element) => touched.has(element));
  return withElements(resource, attribute, settled);
};

/**
 * Changes the selected elements, or makes one where none is selected. Entra adds and replaces
 * `emails[type eq "work"].value` of users who have no e-mail (facts on identity providers, 5): an
 * element that meets the selection is made then, where the RFC would have a replace fail with
 * noTarget. What is there already is not made again, so that an operation that takes an element out
 * of its own selection adds nothing when it is repeated.
 */
export const changeOrMake = (
  resource: JsonObject,
  selection: Selection,
  change: (element: Element) => Element,
): JsonObject => {
  const { attribute, selector } = selection;
  const list = elementsOf(resource, attribute);
  if (list.some(matcherOf(selector))) return changeSelected(resource, selection, change);
  const made = withoutEmptied(change(makeElement(selection)));
  if (!made || list.some((element) => includes(attribute, element, made))) return resource;
  const settled = settlePrimary(attribute, [...list, made], (element) => element === made);
  return withElements(resource, attribute, settled);
};

export const withoutSelected = (
  resource: JsonObject,
  { attribute, selector }: Selection,
): JsonObject => {
  const isSelected = matcherOf(selector);
  const left = elementsOf(resource, attribute).filter((element) => !isSelected(element));
  return withElements(resource, attribute, left);
};

/** What a selection leaves of an element that is replaced whole: what it was selected by. */
export const demanded = ({ selector }: Selection): Element => demandsOf(selector) ?? {};
