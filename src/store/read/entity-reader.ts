import type * as mongo from 'mongodb';
import type { EntityReader, Page, PageOf } from '../../ports/entity-reader.js';
import type { TenantId } from '../../domain/kernel/ids.js';
import { readDocuments } from '../read-documents.js';

interface SortedOptions {
  /** Of all documents that match, if a counter has it. */
  readonly countAll?: (() => Promise<number>) | undefined;
  /** Default: oldest first. */
  readonly sort?: Readonly<Record<string, 1 | -1>> | undefined;
  /** Time limit of each query. */
  readonly maxTimeMS?: number;
  readonly projection?: mongo.Document;
}

/** A page of the documents that match, and their total. */
export const readSorted = async <Document extends { readonly createdAt: Date }>(
  collection: mongo.Collection<Document>,
  conditions: mongo.Filter<Document>,
  { offset, limit }: Page,
  { countAll, sort = { createdAt: 1, _id: 1 }, projection, ...bounds }: SortedOptions = {},
): Promise<PageOf<mongo.WithId<Document>>> => {
  const options = { ...bounds, ...(projection && { projection }), batchSize: 1_000 };
  const [total, items] = await Promise.all([
    countAll ? countAll() : collection.countDocuments(conditions, bounds),
    readDocuments(collection.find(conditions, options).sort(sort).skip(offset).limit(limit)),
  ]);
  return { items, total };
};

/** How the documents of a collection are found and become entities. */
interface EntitySource<Document, Entity, Conditions> extends Pick<
  SortedOptions,
  'maxTimeMS' | 'projection'
> {
  readonly collection: mongo.Collection<Document & { readonly createdAt: Date }>;
  /** The entities of documents, in their order. */
  readonly present: (
    documents: readonly Document[],
    tenantId: TenantId,
  ) => readonly Entity[] | Promise<readonly Entity[]>;
  readonly conditionsOf?: (conditions: Conditions) => mongo.Filter<Document>;
  readonly sortOf?: (conditions: Conditions) => SortedOptions['sort'];
  /** The number of a tenant's entities, if a counter has it. */
  readonly count?: (tenantId: TenantId) => Promise<number>;
}

/** Reads the entities of a collection, each query within one tenant. */
export const mongoEntityReader = <
  Id extends string,
  Entity,
  Document extends { readonly _id: string; readonly tenant: string },
  Conditions extends object = object,
>({
  collection,
  present,
  conditionsOf = () => ({}),
  sortOf,
  count,
  ...options
}: EntitySource<Document, Entity, Conditions>): EntityReader<Id, Entity, Conditions> => {
  const within = (tenant: TenantId, conditions: object) =>
    ({ ...conditions, tenant }) as mongo.Filter<Document & { readonly createdAt: Date }>;
  return {
    find: async (tenantId, _id) => {
      const found = await collection.findOne(within(tenantId, { _id }), options);
      return found ? (await present([found as Document], tenantId))[0] : undefined;
    },
    page: async (tenantId, query) => {
      const conditions = conditionsOf(query);
      const isWhole = Object.keys(conditions).length === 0;
      const { items, total } = await readSorted(collection, within(tenantId, conditions), query, {
        ...options,
        countAll: count && isWhole ? () => count(tenantId) : undefined,
        sort: sortOf?.(query),
      });
      return { items: await present(items as readonly Document[], tenantId), total };
    },
  };
};
