import {
  customValues,
  type JsonValue,
  RefusalError,
  type Tenant,
} from '../../../src/plugin/api.js';
import type { CompiledConnector } from '../compile-connector.js';
import { hashOf } from '../link.js';
import { type Attributes, CUSTOM_PREFIX } from './attributes.js';
import type { MappedRecord } from './compile-mapping.js';

type Declaring = Pick<Tenant, 'customAttributes'>;

const isCustom = (attribute: string): boolean => attribute.startsWith(CUSTOM_PREFIX);
const nameOf = (attribute: string): string => attribute.slice(CUSTOM_PREFIX.length);

/** The attributes with the tenant's own as it stores them; those that it does not declare are left out. */
const typedAttributes = (attributes: Attributes, { customAttributes }: Declaring): Attributes => {
  const all = Object.entries(attributes);
  const given = all.filter(([attribute]) => isCustom(attribute));
  const values = customValues(
    customAttributes,
    Object.fromEntries(given.map(([attribute, value]) => [nameOf(attribute), value])),
  );
  return Object.fromEntries<JsonValue>([
    ...all.filter(([attribute]) => !isCustom(attribute)),
    ...Object.entries(values).map(
      ([name, value]) => [`${CUSTOM_PREFIX}${name}`, value ?? null] as const,
    ),
  ]);
};

const typed = (record: MappedRecord, tenant: Declaring): MappedRecord => {
  if (!record.ok) return record;
  try {
    return { ok: true, attributes: typedAttributes(record.attributes, tenant) };
  } catch (error) {
    if (error instanceof RefusalError) return { ok: false, message: error.message };
    throw error;
  }
};

/** The attributes that rules set and the tenant does not declare. */
export const undeclared = (
  { mapping }: Pick<CompiledConnector, 'mapping'>,
  { customAttributes }: Declaring,
): readonly string[] => {
  const names = new Set(customAttributes.map(({ name }) => name.toLowerCase()));
  return [...mapping.targets].filter(
    (target) => isCustom(target) && !names.has(nameOf(target).toLowerCase()),
  );
};

/**
 * The connector with values of the types that its tenant declares. Its digest depends on the
 * declaration, so that a change of it plans every record anew.
 */
export const forTenant = (compiled: CompiledConnector, tenant: Declaring): CompiledConnector => {
  const { mapping, rules, digest } = compiled;
  if (![...mapping.targets].some(isCustom)) return compiled;
  const names = new Map(tenant.customAttributes.map(({ name }) => [name.toLowerCase(), name]));
  const owned = [...rules.owned].flatMap((attribute) => {
    if (!isCustom(attribute)) return [attribute];
    const name = names.get(nameOf(attribute).toLowerCase());
    return name === undefined ? [] : [`${CUSTOM_PREFIX}${name}`];
  });
  return {
    ...compiled,
    rules: { ...rules, owned: new Set(owned) },
    mapping: {
      ...mapping,
      map: (data) => {
        const record = mapping.map(data);
        return record instanceof Promise
          ? record.then((each) => typed(each, tenant))
          : typed(record, tenant);
      },
    },
    digest: hashOf(digest, JSON.parse(JSON.stringify(tenant.customAttributes)) as JsonValue),
  };
};
