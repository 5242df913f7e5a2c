import type { TenantId } from '../domain/kernel/ids.js';

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** A page of a list, and how many items the list has. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Reads the entities of a tenant, oldest first. Rejects with a RefusalError UNAVAILABLE. */
export interface EntityReader<Id, Entity, Conditions = object> {
  readonly find: (tenantId: TenantId, id: Id) => Promise<Entity | undefined>;
  readonly page: (tenantId: TenantId, query: Conditions & Page) => Promise<PageOf<Entity>>;
}
