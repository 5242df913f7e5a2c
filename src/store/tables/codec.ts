/** The names of what every entity of a tenant has. */
export const OF_TENANT = { id: '_id', tenantId: 'tenant' } as const;

/** The same of an entity with a version. */
export const VERSIONED = { ...OF_TENANT, version: 'v' } as const;

type Derive<Entity, Context extends readonly unknown[], Value> = (
  entity: Entity,
  ...context: Context
) => Value | undefined;

/** How the fields of a document differ from those of its entity. */
interface Differences<Entity, Document, Context extends readonly unknown[]> {
  /** The document's names of fields that have another name there. They come first, in this order. */
  readonly names: { readonly [Name in Exclude<keyof Entity, keyof Document>]: keyof Document };
  /** Fields that are absent from the document if they are null, as indexes of unique values need it. */
  readonly absent?: readonly (keyof Document & keyof Entity)[];
  /** Fields that only the document has, for queries and expiry. Undefined: it does not have it either. */
  readonly derived?: {
    readonly [Name in keyof Document]?: Derive<Entity, Context, Document[Name]>;
  };
}

/** Turns entities into documents, and documents into entities. */
export interface Codec<Entity, Document, Context extends readonly unknown[]> {
  readonly toDocument: (entity: Entity, ...context: Context) => Document;
  readonly fromDocument: (document: Document) => Entity;
}

type Fields = Record<string, unknown>;

const copy = (from: Fields, to: Fields, except: ReadonlySet<string>): void => {
  for (const name of Object.keys(from)) if (!except.has(name)) to[name] = from[name];
};

/**
 * The codec of entities that are stored with their own fields, apart from the given differences.
 * `Context`: what the derived fields need besides the entity.
 */
export const createCodec = <
  Entity extends { readonly [Name in keyof Document & keyof Entity]?: Document[Name] },
  Document extends object,
  Context extends readonly unknown[] = [],
>(
  differences: Differences<Entity, Document, Context>,
): Codec<Entity, Document, Context> => {
  const names = Object.entries(differences.names as Readonly<Record<string, string>>);
  const absent = (differences.absent ?? []) as readonly string[];
  const derived = Object.entries(
    (differences.derived ?? {}) as Readonly<Record<string, Derive<Entity, Context, unknown>>>,
  );
  const notCopied = new Set([...names.map(([name]) => name), ...absent]);
  const notRead = new Set([
    ...names.map(([, stored]) => stored),
    ...absent,
    ...derived.map(([name]) => name),
  ]);
  return {
    toDocument: (entity, ...context) => {
      const given = entity as Fields;
      const document: Fields = {};
      for (const [name, stored] of names) document[stored] = given[name];
      copy(given, document, notCopied);
      for (const name of absent) if (given[name] !== null) document[name] = given[name];
      for (const [name, derive] of derived) {
        const value = derive(entity, ...context);
        if (value !== undefined) document[name] = value;
      }
      return document as Document;
    },
    fromDocument: (document) => {
      const given = document as Fields;
      const entity: Fields = {};
      for (const [name, stored] of names) entity[name] = given[stored];
      copy(given, entity, notRead);
      for (const name of absent) entity[name] = given[name] ?? null;
      return entity as Entity;
    },
  };
};
