import type { Filter } from '../../domain/kernel/filter.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/kernel/json.js';
import { matcherOf } from '../../domain/kernel/match-filter.js';
import type { Attribute } from '../attributes.js';
import {
  type Element,
  type Elements,
  includes,
  isPrimary,
  withOnePrimary,
} from '../element-list.js';
import { MAX_VALUES, withoutClearedValue } from '../read-value.js';
import { refuseTarget, refuseValues } from '../refuse-input.js';
import { valueAt, withValueAt } from '../value-at.js';

export const elementsOf = (resource: JsonObject, { reference }: Attribute): Elements => {
  const value = valueAt(resource, reference.path);
  return Array.isArray(value) ? (value as JsonValue[]).filter(isJsonObject) : [];
};

/**
 * The resource with this list; an empty one is removed (RFC 7643, 2.5). The maximum applies after
 * every step, because each step compares with all elements that the previous one left.
 */
export const withElements = (
  resource: JsonObject,
  { name, reference }: Attribute,
  list: Elements,
): JsonObject => {
  if (list.length > MAX_VALUES) {
    refuseValues([{ path: name, message: `must have at most ${MAX_VALUES} values` }]);
  }
  return withValueAt(resource, reference.path, list.length > 0 ? list : undefined);
};

/**
 * The values that a selected element must have, if the filter consists of `eq` conditions joined by
 * `and`. A missing element can be created from them.
 */
const impliedValues = (filter: Filter): Element | undefined => {
  if (filter.kind === 'compare') {
    const { operator, attribute, value } = filter;
    const [name = ''] = attribute.path;
    return operator === 'eq' && value !== null ? { [name]: value } : undefined;
  }
  if (filter.kind !== 'and') return undefined;
  const all = filter.of.map(impliedValues);
  return all.every((each) => each !== undefined)
    ? (Object.assign({}, ...all) as Element)
    : undefined;
};

/** At most one element is primary (RFC 7643, 2.4): a newly set one replaces the previous one. */
export const keepOnePrimary = (
  attribute: Attribute,
  list: Elements,
  isTouched: (element: Element) => boolean,
): Elements => {
  const chosen = list.filter((element) => isTouched(element) && isPrimary(element));
  if (chosen.length > 1) {
    refuseValues([{ path: attribute.name, message: 'must have at most one primary value' }]);
  }
  return chosen.length === 0 ? list : withOnePrimary(list, (element) => element === chosen[0]);
};

/** Selected elements of a list. */
export interface Selection {
  readonly attribute: Attribute;
  readonly selector: Filter;
}

const createElement = ({ attribute, selector }: Selection): Element => {
  const element = impliedValues(selector);
  return element && matcherOf(selector)(element)
    ? element
    : refuseTarget(
        `No element of ${attribute.name} matches the filter, and the filter does not define a new one.`,
      );
};

/** Changes the selected elements, if any; one that loses its value is removed. */
export const changeSelected = (
  resource: JsonObject,
  { attribute, selector }: Selection,
  change: (element: Element) => Element,
): JsonObject => {
  const touched = new Set<Element>();
  const isSelected = matcherOf(selector);
  const list = elementsOf(resource, attribute).flatMap((element) => {
    if (!isSelected(element)) return [element];
    const changed = withoutClearedValue(change(element));
    if (changed === undefined) return [];
    touched.add(changed);
    return [changed];
  });
  const updated = keepOnePrimary(attribute, list, (element) => touched.has(element));
  return withElements(resource, attribute, updated);
};

/**
 * Changes the selected elements, or creates one if none is selected. Entra adds and replaces
 * `emails[type eq "work"].value` of users without an e-mail (facts on identity providers, 5), where
 * the RFC would refuse a replace with noTarget. An element that already exists is not created
 * again, so that repeating an operation that moves an element out of its own selection adds
 * nothing.
 */
export const changeOrCreate = (
  resource: JsonObject,
  selection: Selection,
  change: (element: Element) => Element,
): JsonObject => {
  const { attribute, selector } = selection;
  const list = elementsOf(resource, attribute);
  if (list.some(matcherOf(selector))) return changeSelected(resource, selection, change);
  const created = withoutClearedValue(change(createElement(selection)));
  if (!created || list.some((element) => includes(attribute, element, created))) return resource;
  const updated = keepOnePrimary(attribute, [...list, created], (element) => element === created);
  return withElements(resource, attribute, updated);
};

export const withoutSelected = (
  resource: JsonObject,
  { attribute, selector }: Selection,
): JsonObject => {
  const isSelected = matcherOf(selector);
  const remaining = elementsOf(resource, attribute).filter((element) => !isSelected(element));
  return withElements(resource, attribute, remaining);
};

/** The values that a replaced element keeps: those it was selected by. */
export const valuesOfSelection = ({ selector }: Selection): Element =>
  impliedValues(selector) ?? {};
