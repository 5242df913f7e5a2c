import type { JsonObject } from '../../domain/json.js';
import type { Attribute, ResourceSchema } from '../attributes.js';
import { type Elements, includes } from '../element-list.js';
import type { PatchStep } from './patch-step.js';
import { changeSelected, elementsOf, withElements, withoutSelected } from './selected-elements.js';
import { clear } from './write-value.js';

/**
 * Entra names what to remove in `value` (facts on identity providers, 3): only that goes. A value
 * of which nothing is known chooses nothing, never everything.
 */
const removeElements = (
  resource: JsonObject,
  attribute: Attribute,
  given: Elements,
): JsonObject => {
  const wanted = given.filter((each) => Object.keys(each).length > 0);
  const isWanted = (element: JsonObject): boolean =>
    wanted.some((each) => includes(attribute, element, each));
  const left = elementsOf(resource, attribute).filter((element) => !isWanted(element));
  return withElements(resource, attribute, left);
};

/** RFC 7644, 3.5.2.2: takes away an attribute, selected elements, or a part of them. */
export const remove = (
  schema: ResourceSchema,
  resource: JsonObject,
  { target, value }: PatchStep,
): JsonObject => {
  const { attribute, selector, part } = target;
  if (selector && part) {
    const empty = { [part.name]: null };
    return changeSelected(resource, { attribute, selector }, (each) => ({ ...each, ...empty }));
  }
  if (selector) return withoutSelected(resource, { attribute, selector });
  return attribute.multiValued && Array.isArray(value)
    ? removeElements(resource, attribute, value as Elements)
    : clear(resource, attribute);
};
