import { isJsonObject, type JsonObject } from '../../domain/json.js';
import type { Attribute, ResourceSchema } from '../attributes.js';
import { type Element, type Elements, isPrimary, standsFor, withElement } from '../element-list.js';
import type { PatchStep } from './patch-step.js';
import {
  changeOrMake,
  changeSelected,
  elementsOf,
  type Selection,
  settlePrimary,
  withElements,
} from './selected-elements.js';
import { writeSingle } from './write-value.js';

/** What is there already is not added again (RFC 7644, 3.5.2.1). */
const addElements = (resource: JsonObject, attribute: Attribute, added: Elements): JsonObject => {
  const list = added.reduce<Elements>(
    (kept, element) => withElement(attribute, kept, element),
    elementsOf(resource, attribute),
  );
  const primaries = added.filter(isPrimary);
  const settled = settlePrimary(attribute, list, (element) =>
    primaries.some((primary) => standsFor(attribute, element, primary)),
  );
  return withElements(resource, attribute, settled);
};

/** The parts that a step on selected elements is about. */
export const partsOf = ({ target: { part }, value }: PatchStep): Element => {
  if (part) return { [part.name]: value };
  return isJsonObject(value) ? value : {};
};

const addToSelected = (resource: JsonObject, selection: Selection, step: PatchStep): JsonObject => {
  const parts = partsOf(step);
  const change = step.value === null ? changeSelected : changeOrMake;
  return change(resource, selection, (element) => ({ ...element, ...parts }));
};

/** RFC 7644, 3.5.2.1: adds to a list, gives a single attribute its value, fills in parts. */
export const add = (schema: ResourceSchema, resource: JsonObject, step: PatchStep): JsonObject => {
  const { target, value } = step;
  const { attribute, selector } = target;
  if (selector) return addToSelected(resource, { attribute, selector }, step);
  if (!attribute.multiValued) return writeSingle(schema, resource, [attribute, value]);
  return Array.isArray(value) ? addElements(resource, attribute, value as Elements) : resource;
};
