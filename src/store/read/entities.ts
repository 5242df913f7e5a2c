import type * as mongo from 'mongodb';
import type { TenantId } from '../../domain/kernel/ids.js';
import { readDocuments } from '../read-documents.js';
import type { Collections } from '../tables/collections.js';
import { groupTable, roleMappingTable } from '../tables/groups.js';
import { membershipTable, roomTable } from '../tables/rooms.js';
import { fromUserDocument, USER_PROJECTION } from '../tables/users.js';

type FindOptions = Pick<mongo.FindOptions, 'hint' | 'sort' | 'skip' | 'limit' | 'maxTimeMS'>;

/** The entities of one collection that match conditions, within one tenant. */
export const entitiesIn = <Document extends { readonly tenant: string }, Entity>(
  collection: mongo.Collection<Document>,
  fromDocument: (document: mongo.WithId<Document>) => Entity,
  common: Pick<mongo.FindOptions, 'projection' | 'maxTimeMS'> = {},
) => {
  const all = async (
    tenant: TenantId,
    conditions: mongo.Filter<Document>,
    options: FindOptions = {},
  ): Promise<readonly Entity[]> => {
    // In one response: by default the database would return 101 and wait for the next request.
    const batchSize = options.limit ? options.limit + 1 : 1_000;
    const within = { ...conditions, tenant } as mongo.Filter<Document>;
    const found = collection.find(within, { ...common, ...options, batchSize });
    return (await readDocuments(found, tenant)).map(fromDocument);
  };
  return {
    all,
    one: async (
      tenant: TenantId,
      conditions: mongo.Filter<Document>,
      options: FindOptions = {},
    ): Promise<Entity | undefined> => (await all(tenant, conditions, { ...options, limit: 1 }))[0],
  };
};

/** Reads of a few entities. */
export const entitiesOf = ({ users, rooms, groups, memberships, roleMappings }: Collections) => ({
  users: entitiesIn(users, fromUserDocument, { projection: USER_PROJECTION }),
  rooms: entitiesIn(rooms, roomTable.fromDocument),
  groups: entitiesIn(groups, groupTable.fromDocument),
  memberships: entitiesIn(memberships, membershipTable.fromDocument),
  roleMappings: entitiesIn(roleMappings, roleMappingTable.fromDocument),
});

export type Entities = ReturnType<typeof entitiesOf>;
