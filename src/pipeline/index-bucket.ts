interface Identified {
  readonly id: string;
}

/**
 * The entities under one key of an index, in order. They are indexed by id on the first change: a
 * roster of 100,000 must not be copied for each member that is added or removed.
 */
export class IndexBucket<Entity extends Identified> {
  #list: readonly Entity[] | undefined;
  #byId: Map<string, Entity> | undefined;

  constructor(entities: readonly Entity[]) {
    this.#list = entities;
  }

  get list(): readonly Entity[] {
    return (this.#list ??= [...(this.#byId?.values() ?? [])]);
  }

  /** Replaces the entity with the same id, else appends it. */
  put(entity: Entity): void {
    this.#index().set(entity.id, entity);
  }

  remove(id: string): void {
    this.#index().delete(id);
  }

  #index(): Map<string, Entity> {
    this.#byId ??= new Map(this.#list?.map((entity) => [entity.id, entity]));
    this.#list = undefined;
    return this.#byId;
  }
}
