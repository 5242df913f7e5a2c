import type { JsonObject } from '../../domain/json.js';
import type { ResourceSchema } from '../attributes.js';
import type { Elements } from '../element-list.js';
import { add, partsOf } from './add.js';
import type { PatchStep } from './patch-step.js';
import {
  changeOrMake,
  demanded,
  type Selection,
  settlePrimary,
  withElements,
  withoutSelected,
} from './selected-elements.js';

/** The elements as given, but still what they were selected by, or nobody would find them again. */
const replaceSelected = (
  resource: JsonObject,
  selection: Selection,
  step: PatchStep,
): JsonObject => {
  if (step.value === null) return withoutSelected(resource, selection);
  const parts = { ...demanded(selection), ...partsOf(step) };
  return changeOrMake(resource, selection, () => parts);
};

/**
 * RFC 7644, 3.5.2.3: a list gets these values instead of all it had; selected elements become
 * others; everything else is the same as adding, for a single attribute has one value anyway and
 * the parts of a complex one that are not named stay.
 */
export const replace = (
  schema: ResourceSchema,
  resource: JsonObject,
  step: PatchStep,
): JsonObject => {
  const { attribute, selector, part } = step.target;
  if (selector && !part) return replaceSelected(resource, { attribute, selector }, step);
  if (selector || !attribute.multiValued) return add(schema, resource, step);
  const list = (step.value ?? []) as Elements;
  return withElements(
    resource,
    attribute,
    settlePrimary(attribute, list, () => true),
  );
};
