import { CUSTOM, type CustomAttribute, customUrn } from '../domain/tenant/custom-attributes.js';
import type { JsonObject, JsonValue } from '../domain/kernel/json.js';
import { type RefusalDetail, refuseValues } from '../domain/kernel/refusals.js';
import type { Tenant } from '../domain/tenant/tenant.js';
import { extensionAttribute, type ResourceSchema } from './attributes.js';
import { readValue } from './read-value.js';
import { USER } from './schemas.js';
import type { AttributeDescription, SchemaDescription } from './scimmy.js';

/** What a tenant's schema of users depends on. */
type Declaring = Pick<Tenant, 'slug' | 'name' | 'customAttributes'>;

const describeAttribute = (given: CustomAttribute): AttributeDescription => ({
  name: given.name,
  type: given.type,
  multiValued: given.multiValued,
  description: given.description,
  required: given.required,
  caseExact: given.caseExact,
  ...(given.canonicalValues && { canonicalValues: given.canonicalValues }),
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...(given.type === 'reference' && { referenceTypes: ['external'] }),
});

/** The schema of the tenant's extension, as discovery returns it (RFC 7643, 7); none: undefined. */
export const describeExtension = ({
  slug,
  name,
  customAttributes,
}: Declaring): SchemaDescription | undefined =>
  customAttributes.length === 0
    ? undefined
    : {
        id: customUrn(slug),
        name: `${name} User`,
        description: `Attributes of users that ${name} defines.`,
        attributes: customAttributes.map(describeAttribute),
      };

const buildSchema = ({ id, attributes }: SchemaDescription): ResourceSchema => {
  const extension = { urn: id, key: CUSTOM, ignoresUnknown: true } as const;
  // New users only: the decider requires the values, because only it knows who is new.
  const optional = attributes.map((each) => ({ ...each, required: false }));
  return {
    ...USER,
    extensions: [...USER.extensions, extension],
    attributes: new Map([
      ...USER.attributes,
      [id.toLowerCase(), extensionAttribute(extension, optional)],
    ]),
  };
};

/** Built once for each time that the tenant's settings are loaded. */
const schemas = new WeakMap<readonly CustomAttribute[], ResourceSchema>();

/** The User type of a tenant: with its extension, if it declares one. */
export const userSchemaOf = (tenant: Declaring): ResourceSchema => {
  const { customAttributes } = tenant;
  const known = schemas.get(customAttributes);
  if (known) return known;
  const description = describeExtension(tenant);
  const schema = description ? buildSchema(description) : USER;
  schemas.set(customAttributes, schema);
  return schema;
};

/**
 * Reads values of the tenant's own attributes in a native body, by name in any case; null removes one.
 * Throws RefusalError INVALID_REQUEST: unknown fields are refused natively (decisions.md 2).
 */
export const readCustom = (tenant: Declaring, given: JsonObject): JsonObject => {
  const extension = userSchemaOf(tenant).attributes.get(customUrn(tenant.slug).toLowerCase());
  const details: RefusalDetail[] = [];
  const read: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(given)) {
    const path = `${CUSTOM}.${key}`;
    const attribute =
      tenant.customAttributes.length > 0
        ? extension?.subAttributes.get(key.toLowerCase())
        : undefined;
    if (!attribute) details.push({ path, message: 'is not an attribute of this tenant' });
    else if (Object.hasOwn(read, attribute.name)) details.push({ path, message: 'appears twice' });
    else read[attribute.name] = readValue(attribute, value, { path, details });
  }
  return details.length > 0 ? refuseValues(details) : read;
};
