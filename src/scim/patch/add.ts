import { isJsonObject, type JsonObject } from '../../domain/kernel/json.js';
import type { Attribute, ResourceSchema } from '../attributes.js';
import {
  type Element,
  type Elements,
  isPrimary,
  isResultOf,
  withElement,
} from '../element-list.js';
import type { PatchStep } from './patch-step.js';
import {
  changeOrCreate,
  changeSelected,
  elementsOf,
  keepOnePrimary,
  type Selection,
  withElements,
} from './selected-elements.js';
import { writeSingle } from './write-value.js';

/** Existing elements are not added again (RFC 7644, 3.5.2.1). */
const addElements = (resource: JsonObject, attribute: Attribute, added: Elements): JsonObject => {
  const list = added.reduce<Elements>(
    (kept, element) => withElement(attribute, kept, element),
    elementsOf(resource, attribute),
  );
  const primaries = added.filter(isPrimary);
  const updated = keepOnePrimary(attribute, list, (element) =>
    primaries.some((primary) => isResultOf(attribute, element, primary)),
  );
  return withElements(resource, attribute, updated);
};

/** The sub-attributes that a step on selected elements writes. */
export const subAttributesOf = ({ target: { subAttribute }, value }: PatchStep): Element => {
  if (subAttribute) return { [subAttribute.name]: value };
  return isJsonObject(value) ? value : {};
};

const addToSelected = (resource: JsonObject, selection: Selection, step: PatchStep): JsonObject => {
  const subAttributes = subAttributesOf(step);
  const change = step.value === null ? changeSelected : changeOrCreate;
  return change(resource, selection, (element) => ({ ...element, ...subAttributes }));
};

/** RFC 7644, 3.5.2.1: appends to a list, or sets a single attribute or sub-attributes. */
export const add = (schema: ResourceSchema, resource: JsonObject, step: PatchStep): JsonObject => {
  const { target, value } = step;
  const { attribute, selector } = target;
  if (selector) return addToSelected(resource, { attribute, selector }, step);
  if (!attribute.multiValued) return writeSingle(schema, resource, [attribute, value]);
  return Array.isArray(value) ? addElements(resource, attribute, value as Elements) : resource;
};
