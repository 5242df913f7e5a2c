import type { JsonObject } from '../../domain/kernel/json.js';
import type { ResourceSchema } from '../attributes.js';
import type { Elements } from '../element-list.js';
import { add, subAttributesOf } from './add.js';
import type { PatchStep } from './patch-step.js';
import {
  changeOrCreate,
  keepOnePrimary,
  type Selection,
  valuesOfSelection,
  withElements,
  withoutSelected,
} from './selected-elements.js';

/** Replaces selected elements, but keeps the values they were selected by. */
const replaceSelected = (
  resource: JsonObject,
  selection: Selection,
  step: PatchStep,
): JsonObject => {
  if (step.value === null) return withoutSelected(resource, selection);
  const subAttributes = { ...valuesOfSelection(selection), ...subAttributesOf(step) };
  return changeOrCreate(resource, selection, () => subAttributes);
};

/**
 * RFC 7644, 3.5.2.3: replaces a whole list or the selected elements. Anything else is the same as
 * adding: a single attribute has one value, and sub-attributes that are not named stay.
 */
export const replace = (
  schema: ResourceSchema,
  resource: JsonObject,
  step: PatchStep,
): JsonObject => {
  const { attribute, selector, subAttribute } = step.target;
  if (selector && !subAttribute) return replaceSelected(resource, { attribute, selector }, step);
  if (selector || !attribute.multiValued) return add(schema, resource, step);
  const list = (step.value ?? []) as Elements;
  return withElements(
    resource,
    attribute,
    keepOnePrimary(attribute, list, () => true),
  );
};
