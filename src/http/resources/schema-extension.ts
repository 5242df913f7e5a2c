import { z } from 'zod';
import { lineField, textLike } from '../../routes/fields.js';
import { NOT_MODIFIED } from '../../routes/responses.js';
import { type Route, type RouteResponse, runCommand, tenantRoute } from '../../routes/route.js';
import { toWire } from '../../routes/wire.js';
import {
  CUSTOM_TYPES,
  type CustomAttribute,
  customUrn,
  MAX_CUSTOM_ATTRIBUTES,
} from '../../domain/tenant/custom-attributes.js';
import { refuseValues } from '../../domain/kernel/refusals.js';
import type { Tenant } from '../../domain/tenant/tenant.js';
import { NEVER_STORED } from '../../scim/attributes.js';
import { ENTERPRISE } from '../../scim/schemas.js';
import { precondition } from '../conditional.js';
import type { RouteParts } from './route-parts.js';

/**
 * Names that every object has; `value`, which SCIM reads as the value of its parent; and those whose
 * values SCIM drops.
 */
const RESERVED: ReadonlySet<string> = new Set(
  [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'value', ...NEVER_STORED].map(
    (name) => name.toLowerCase(),
  ),
);

/** RFC 7643, 2.1, without `$`. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

const name = z
  .string()
  .refine(
    (text) => NAME.test(text),
    'must be a letter followed by at most 63 letters, digits, _ or -',
  )
  .refine((text) => !RESERVED.has(text.toLowerCase()), 'is a reserved name')
  .meta({
    pattern: NAME.source,
    description: 'Name of the attribute. Clients may send it in any case.',
    examples: ['costCenter'],
  });

const type = z
  .enum(CUSTOM_TYPES)
  .describe('Data type (RFC 7643, section 2.3). `dateTime` is returned in UTC with milliseconds.');
const multiValued = z.boolean().describe('Whether the value is a list of up to 100 values.');
const required = z
  .boolean()
  .describe('Whether new users must have a value. Users who exist without one stay valid.');
const caseExact = z
  .boolean()
  .nullable()
  .describe('Whether the case of texts matters in filters. Null: of references only.');
const description = z
  .string()
  .max(256)
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
  .meta({
    description: 'Shown in `/Schemas` and the dashboard.',
    examples: ['Where the seat is charged.'],
  });
const canonicalValues = z
  .array(lineField(256))
  .min(1)
  .max(100)
  .nullable()
  .describe('The only values that are accepted, for attributes of type string; null: any.');

const AttributeView = z
  .strictObject({
    name,
    type,
    multi_valued: multiValued,
    required,
    case_exact: z.boolean().describe('Whether the case of texts matters in filters.'),
    canonical_values: canonicalValues,
    description,
  })
  .meta({ id: 'CustomAttribute' });

const AttributeInput = z
  .strictObject({
    name,
    type: type.default('string'),
    multi_valued: multiValued.default(false),
    required: required.default(false),
    case_exact: caseExact.default(null),
    canonical_values: canonicalValues.default(null),
    description: description.default(''),
  })
  .superRefine(({ type: given, canonical_values }, context) => {
    if (canonical_values !== null && given !== 'string')
      context.addIssue({
        code: 'custom',
        path: ['canonical_values'],
        message: 'only attributes of type string have canonical values',
      });
  })
  .meta({ id: 'CustomAttributeInput' });

const ExtensionView = z
  .strictObject({
    urn: textLike('urn:ietf:params:scim:schemas:extension:acme:2.0:User').describe(
      'URN of the schema, which names the attributes in SCIM.',
    ),
    attributes: z.array(AttributeView),
  })
  .meta({ id: 'SchemaExtension' });

/** Every commit of the tenant reads the declaration. */
const MAX_LENGTH = 32_768;

const ExtensionInput = z
  .strictObject({
    attributes: z
      .array(AttributeInput)
      .max(MAX_CUSTOM_ATTRIBUTES)
      .refine(
        (attributes) => JSON.stringify(attributes).length <= MAX_LENGTH,
        `must have at most ${MAX_LENGTH} characters as JSON: shorten descriptions or canonical values`,
      )
      .superRefine((attributes, context) => {
        const seen = new Set<string>();
        for (const [at, { name: each }] of attributes.entries()) {
          const key = each.toLowerCase();
          if (seen.has(key))
            context.addIssue({
              code: 'custom',
              path: [at, 'name'],
              message: 'is declared twice; names are the same in any case',
            });
          seen.add(key);
        }
      })
      .describe(
        'All attributes, in the order in which they are shown; an empty list removes them.',
      ),
  })
  .meta({ id: 'SchemaExtensionInput' });

const readAttribute = (given: z.output<typeof AttributeInput>): CustomAttribute => ({
  name: given.name,
  type: given.type,
  multiValued: given.multi_valued,
  required: given.required,
  caseExact: given.case_exact ?? given.type === 'reference',
  description: given.description,
  canonicalValues: given.canonical_values,
});

const presentAttribute = (given: CustomAttribute) => toWire(AttributeView, given);

const respond = ({ slug, customAttributes, version }: Tenant): RouteResponse => ({
  status: 200,
  body: { urn: customUrn(slug), attributes: customAttributes.map(presentAttribute) },
  version,
});

/** Its URN would be that of the Enterprise User extension (RFC 7643, 4.3). */
const requireOwnUrn = ({ slug }: Tenant): void => {
  if (customUrn(slug) === ENTERPRISE.urn)
    refuseValues([
      {
        path: 'slug',
        message: `${slug} cannot have attributes: their URN would be that of the Enterprise extension`,
      },
    ]);
};

const tag = 'Schema extension';

/** The attributes of users that a tenant adds to SCIM's (RFC 7643, 3.3). */
export const schemaExtensionRoutes = ({ keys }: RouteParts): readonly Route[] => [
  tenantRoute({
    method: 'GET',
    path: '/schema-extension',
    operationId: 'getSchemaExtension',
    tag,
    summary: "Get a tenant's own user attributes",
    responses: {
      200: { description: 'The attributes; none: an empty list.', body: ExtensionView },
      304: NOT_MODIFIED,
    },
    refusals: ['PRECONDITION_FAILED'],
    handler: ({ caller: { tenant } }) => Promise.resolve(respond(tenant)),
  }),
  tenantRoute({
    method: 'PUT',
    path: '/schema-extension',
    operationId: 'setSchemaExtension',
    audit: "changed the tenant's schema extension",
    tag,
    summary: "Set a tenant's own user attributes",
    command: 'tenant.update',
    description:
      'Replaces the whole declaration. The attributes appear in SCIM under the URN, in `/Schemas` and ' +
      '`/ResourceTypes`, and natively as `custom`. Values of an attribute that is no longer declared, or ' +
      "has another type, are hidden, and deleted with the user's next change. " +
      'All gateways follow within a second.',
    body: ExtensionInput,
    responses: { 200: { description: 'The attributes.', body: ExtensionView } },
    refusals: ['PRECONDITION_FAILED'],
    handler: async (request) => {
      const { tenant: current } = request.caller;
      requireOwnUrn(current);
      const tenant = await runCommand(request, current.id, {
        type: 'tenant.update',
        customAttributes: request.body.attributes.map(readAttribute),
        ...precondition(request.ifMatch),
      });
      keys.invalidateTenant(current.id);
      return respond(tenant);
    },
  }),
];
