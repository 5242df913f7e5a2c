import type { JsonObject } from '../../domain/kernel/json.js';
import type { Attribute, ResourceSchema } from '../attributes.js';
import { type Elements, includes } from '../element-list.js';
import type { PatchStep } from './patch-step.js';
import { changeSelected, elementsOf, withElements, withoutSelected } from './selected-elements.js';
import { clear } from './write-value.js';

/**
 * Entra lists the elements to remove in `value` (facts on identity providers, 3). A value without
 * known members selects nothing, rather than everything.
 */
const removeElements = (
  resource: JsonObject,
  attribute: Attribute,
  given: Elements,
): JsonObject => {
  const wanted = given.filter((each) => Object.keys(each).length > 0);
  const isWanted = (element: JsonObject): boolean =>
    wanted.some((each) => includes(attribute, element, each));
  const remaining = elementsOf(resource, attribute).filter((element) => !isWanted(element));
  return withElements(resource, attribute, remaining);
};

/** RFC 7644, 3.5.2.2: removes an attribute, selected elements, or their sub-attributes. */
export const remove = (
  schema: ResourceSchema,
  resource: JsonObject,
  { target, value }: PatchStep,
): JsonObject => {
  const { attribute, selector, subAttribute } = target;
  if (selector && subAttribute) {
    const empty = { [subAttribute.name]: null };
    return changeSelected(resource, { attribute, selector }, (each) => ({ ...each, ...empty }));
  }
  if (selector) return withoutSelected(resource, { attribute, selector });
  return attribute.multiValued && Array.isArray(value)
    ? removeElements(resource, attribute, value as Elements)
    : clear(resource, attribute);
};
