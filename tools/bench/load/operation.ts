import type { CheckedRequest } from './connection.js';
import type { KnownGroup, KnownUser } from './target.js';

/** What an operation needs besides users; created once for each server (fixtures.ts). */
export interface Fixture {
  readonly groups: readonly KnownGroup[];
  /** Users outside the groups, who join and leave them. */
  readonly joiners: readonly KnownUser[];
}

export interface OperationInput extends Fixture {
  /** In the order of creation. */
  readonly users: readonly KnownUser[];
  readonly clients: number;
  /** Unique, for new names. */
  readonly run: string;
}

/**
 * The next requests of a client, sent one after the other. A run ends only between operations, so
 * an operation that undoes its change leaves the data as it was.
 */
export type Operation = (client: number) => readonly CheckedRequest[];

export const NO_FIXTURE: Fixture = { groups: [], joiners: [] };

export const pickRandom = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item !== undefined) return item;
  throw new Error('Cannot pick from an empty list.');
};
