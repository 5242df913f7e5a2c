import { each, type Chunked } from '../domain/kernel/chunked.js';
import { isJsonObject, type JsonObject } from '../domain/kernel/json.js';
import { refuseSyntax } from '../domain/kernel/refusals.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import {
  type Attribute,
  type AttributeTable,
  findAttribute,
  type ResourceSchema,
} from './attributes.js';
import { MESSAGE_URNS } from './scimmy.js';

/**
 * What draft-zollner-scim-interop-profile requires a service provider to refuse. Okta and Entra ID send
 * it, so it is checked in tenants with `scim.profile: interop` only, before the usual readers.
 */

const shown = (name: string): string => JSON.stringify(name.slice(0, 100));

const refuseUnknown = (name: string): never =>
  refuseSyntax(
    `${shown(name)} is not in the schema. Leave it out: the tenant's SCIM profile is interop.`,
  );

const checkSchemas = (given: unknown, known: readonly string[]): void => {
  const names = new Set(known.map((urn) => urn.toLowerCase()));
  for (const urn of Array.isArray(given) ? (given as readonly unknown[]) : [])
    if (typeof urn === 'string' && !names.has(urn.toLowerCase())) refuseUnknown(urn);
};

/** A group may have 100,000 members. */
const checkValue = function* (attribute: Attribute, value: unknown): Chunked<void> {
  if (attribute.type !== 'complex') return;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isSimple = [...attribute.subAttributes.values()].every(({ type }) => type !== 'complex');
  if (isSimple) {
    yield* each(values, (one) => {
      if (!isJsonObject(one)) return;
      for (const name of Object.keys(one)) find(attribute.subAttributes, name);
    });
    return;
  }
  for (const one of values)
    if (isJsonObject(one)) yield* checkMembers(attribute.subAttributes, one);
};

const find = (table: AttributeTable, name: string): Attribute =>
  table.get(name.toLowerCase()) ?? refuseUnknown(name);

const checkMembers = function* (table: AttributeTable, given: JsonObject): Chunked<void> {
  for (const [name, value] of Object.entries(given)) yield* checkValue(find(table, name), value);
};

/** Checks the names in the body of a POST or PUT. What is no object, the readers refuse. */
const checkResource = function* (schema: ResourceSchema, body: unknown): Chunked<void> {
  if (!isJsonObject(body)) return;
  yield* checkMembers(schema.attributes, body);
  checkSchemas(memberOf(body, 'schemas'), [schema.urn, ...schema.extensions.map(({ urn }) => urn)]);
};

const memberOf = (object: JsonObject, name: string): unknown =>
  Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];

/** The attribute that a path names: `emails`, `emails[type eq "work"]` or `emails[…].value`. */
const attributeAt = (schema: ResourceSchema, path: string): Attribute => {
  const [name = ''] = path.split('[', 1);
  const attribute = findAttribute(schema, name.trim()) ?? refuseUnknown(name);
  const [, below] = /\]\.([^\]"]+)$/.exec(path) ?? [];
  return below === undefined ? attribute : find(attribute.subAttributes, below);
};

const checkOperation = function* (schema: ResourceSchema, operation: unknown): Chunked<void> {
  if (!isJsonObject(operation)) return;
  const path = memberOf(operation, 'path');
  if (typeof path !== 'string' || path === '')
    return refuseSyntax("Every operation needs a path: the tenant's SCIM profile is interop.");
  yield* checkValue(attributeAt(schema, path), memberOf(operation, 'value'));
};

/** Checks the paths and names in the body of a PATCH. */
const checkPatch = function* (schema: ResourceSchema, body: unknown): Chunked<void> {
  if (!isJsonObject(body)) return;
  for (const name of Object.keys(body))
    if (!['schemas', 'operations'].includes(name.toLowerCase())) refuseUnknown(name);
  checkSchemas(memberOf(body, 'schemas'), [MESSAGE_URNS.patch]);
  const operations = memberOf(body, 'operations');
  for (const operation of Array.isArray(operations) ? (operations as readonly unknown[]) : [])
    yield* checkOperation(schema, operation);
};

/** Refuses a body that the tenant's profile forbids: 400 `invalidSyntax`. */
export const checkProfile = function* (
  { scim }: Pick<Tenant, 'scim'>,
  schema: ResourceSchema,
  { body, isPatch }: { readonly body: unknown; readonly isPatch: boolean },
): Chunked<void> {
  if (scim.profile === 'interop') yield* (isPatch ? checkPatch : checkResource)(schema, body);
};
