interface Identified {
  readonly id: string;
}

/**
 * What stands under one key of an index, in order. It is kept by id once it changes: a roster of a
 * hundred thousand must not be copied for each member who comes or goes.
 */
export class Shelf<Entity extends Identified> {
  #list: readonly Entity[] | undefined;
  #byId: Map<string, Entity> | undefined;

  constructor(entities: readonly Entity[]) {
    this.#list = entities;
  }

  get list(): readonly Entity[] {
    return (this.#list ??= [...(this.#byId?.values() ?? [])]);
  }

  /** In the place of the one with its id, else at the end. */
  put(entity: Entity): void {
    this.#open().set(entity.id, entity);
  }

  remove(id: string): void {
    this.#open().delete(id);
  }

  #open(): Map<string, Entity> {
    this.#byId ??= new Map(this.#list?.map((entity) => [entity.id, entity]));
    this.#list = undefined;
    return this.#byId;
  }
}
