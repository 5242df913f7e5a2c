import type { JsonObject } from '../../domain/kernel/json.js';

type Kind = 'schemas' | 'headers' | 'parameters' | 'examples' | 'responses';

/** A reference to a component of the document. */
export const componentRef = (kind: Kind, name: string): JsonObject => ({
  $ref: `#/components/${kind}/${name}`,
});

export const headerRefs = (...names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, componentRef('headers', name)]));
