import { type JsonObject, type JsonValue, lineField, z } from '../../../src/plugin/api.js';
import { TARGETS } from '../mapping/attributes.js';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
/** Of one upload, as the configuration may allow. */
const MAX_OPERATIONS = 1_000;

const Operation = z.looseObject({
  method: z
    .string()
    .refine((method) => method.toUpperCase() === 'POST', { error: 'must be POST, for each person' })
    .describe('`POST`: creates the person, or updates them.'),
  path: z
    .string()
    .refine((path) => /^\/?users\/?$/i.test(path), { error: 'must be /Users' })
    .describe('`/Users`.'),
  bulkId: z.string().max(200).optional().describe('Your name for the operation.'),
  data: z
    .looseObject({ externalId: lineField(200).describe('The id of the person in your system.') })
    .describe(
      'A SCIM user, with the enterprise extension and any other schemas. Attributes that are left ' +
        'out stay as they are. `manager.value` is the `externalId` of the manager.',
    ),
});

/** A SCIM bulk request (RFC 7644, 3.7) in the form of Microsoft's API-driven inbound provisioning. */
export const UploadBody = z
  .looseObject({
    schemas: z.array(z.string()).max(20).optional(),
    failOnErrors: z.int().nullish().describe('Ignored: every person is processed.'),
    Operations: z.array(Operation).max(MAX_OPERATIONS).describe('One for each person.'),
  })
  .meta({ id: 'ConnectorUpload' });

/** Whether it is an object with fields. */
export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of the primary entry of a SCIM list, else of the first one that is chosen. */
const valueIn = (
  list: JsonValue | undefined,
  isChosen: (entry: JsonObject) => boolean = () => true,
): JsonValue | undefined => {
  const entries = (Array.isArray(list) ? (list as readonly JsonValue[]) : []).filter(isObject);
  const chosen = entries.filter(isChosen);
  return (chosen.find(({ primary }) => primary === true) ?? chosen[0])?.value;
};

const typed =
  (type: string) =>
  (entry: JsonObject): boolean =>
    typeof entry.type === 'string' && entry.type.toLowerCase() === type;

const defined = (values: Readonly<Record<string, JsonValue | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Attributes and their parts by lower-case name: in SCIM, names ignore case (RFC 7643, 2.1). */
const NAMES: ReadonlyMap<string, string> = new Map(
  [...TARGETS, 'active.emails.value.type.primary.schemas']
    .flatMap((target) => target.split('.'))
    .map((name) => [name.toLowerCase(), name]),
);

const usualName = (name: string): string => NAMES.get(name.toLowerCase()) ?? name;

/** As deep as `manager.value` of the enterprise extension: each level may double what follows it. */
const DEPTH = 2;

/** Beside the names as they were sent, which a configured mapping may read. */
const withUsualNames = (value: JsonValue, depth = DEPTH): JsonValue => {
  if (Array.isArray(value)) return value.map((item: JsonValue) => withUsualNames(item, depth));
  if (!isObject(value) || depth === 0) return value;
  const fields = new Map<string, JsonValue>();
  for (const [name, inner] of Object.entries(value))
    for (const one of [name, usualName(name)])
      if (inner !== undefined) fields.set(one, withUsualNames(inner, depth - 1));
  return Object.fromEntries(fields);
};

/**
 * A SCIM user as the record that mappings read: the attributes, `enterprise` for its extension,
 * `email` and `phones.work`, `.mobile` for entries of lists, and attributes of other schemas by their
 * full name, such as `urn:contoso:employee:HireDate`.
 */
export const recordOfUser = (data: JsonObject): JsonObject => {
  const fields = new Map<string, JsonValue>();
  const keep = (name: string, value: JsonValue | undefined): void => {
    if (value === undefined || usualName(name) === 'schemas') return;
    for (const one of [name, usualName(name)]) fields.set(one, withUsualNames(value));
  };
  for (const [name, value] of Object.entries(data)) {
    const schema = name.toLowerCase();
    if (!schema.startsWith('urn:')) keep(name, value);
    else if (schema === ENTERPRISE.toLowerCase()) keep('enterprise', value);
    else if (isObject(value))
      for (const [attribute, inner] of Object.entries(value))
        if (schema === CORE.toLowerCase()) keep(attribute, inner);
        else if (inner !== undefined) fields.set(`${name}:${attribute}`, inner);
  }
  const email = valueIn(fields.get('emails'));
  const phoneNumbers = fields.get('phoneNumbers');
  const phones = defined({
    work: valueIn(phoneNumbers, typed('work')),
    mobile: valueIn(phoneNumbers, typed('mobile')),
  });
  if (email !== undefined) fields.set('email', email);
  if (Object.keys(phones).length > 0) fields.set('phones', phones);
  return Object.fromEntries(fields);
};
