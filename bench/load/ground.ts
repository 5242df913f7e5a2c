import type { Exchange } from './connection.js';
import type { KnownGroup, KnownUser } from './target.js';

/** What a work needs beside the directory; made once for each contestant (scenes.ts). */
export interface Scene {
  readonly groups: readonly KnownGroup[];
  /** Users in none of the groups, who join them and leave again. */
  readonly joiners: readonly KnownUser[];
}

/** What a run works on. */
export interface Ground extends Scene {
  /** In the order of creation. */
  readonly users: readonly KnownUser[];
  readonly clients: number;
  /** Different in each run, for names that are new. */
  readonly run: string;
}

/**
 * Gives a client its next exchanges, done one after another; a run ends between turns, so that one
 * that undoes what it does leaves the directory as it was.
 */
export type Work = (client: number) => readonly Exchange[];

export const EMPTY_SCENE: Scene = { groups: [], joiners: [] };

/** Any of them, or the words why there is none. */
export const anyOf = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item !== undefined) return item;
  throw new Error('There is nothing to choose from.');
};
