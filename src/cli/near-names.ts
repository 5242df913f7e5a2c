import { z } from 'zod';
import { nameDistance } from '../../config/did-you-mean.js';
import { fold } from '../domain/kernel/names.js';
import { printable } from './display-width.js';
import type { Locatable } from './resource.js';
import type { Session } from './session.js';

/** What can be named: an id, and texts by which people call it. */
export interface Named {
  readonly id: string;
  /** The first one is shown; the others distinguish things of one name. */
  readonly names: readonly string[];
}

const MAX_SHOWN = 5;
/** Requests for beginnings of the text, shorter and shorter. */
const MAX_REQUESTS = 6;
const MIN_BEGINNING = 2;
const MAX_ITEMS = 500;
const MAX_FOUND = 50;

/** `  6f1c2c1e-…  Ada Lovelace (ada@example.com)` */
export const describeNamed = ({ id, names: [name = '', ...others] }: Named): string => {
  const rest = [...new Set(others.filter((other) => other !== name))].join(', ');
  return `  ${id}  ${printable(name)}${rest === '' ? '' : ` (${printable(rest)})`}`;
};

/** Items whose name is nearly this text, nearest first. Found with few requests, however many exist. */
export const findNearNames = async (
  session: Session,
  resource: Locatable,
  path: string,
  wanted: string,
): Promise<readonly Named[]> => {
  const { searchQuery } = resource;
  if (!searchQuery) return nearest(await readNames(session, resource, path, {}), wanted);
  for (const beginning of beginningsOf(wanted)) {
    const query = { ...searchQuery(beginning), limit: MAX_FOUND };
    const near = nearest(await readNames(session, resource, path, query), wanted);
    if (near.length > 0) return near;
  }
  return [];
};

/** "lovelce", "lovelc", "lovel" …; of a long text in larger steps. */
const beginningsOf = (wanted: string): readonly string[] => {
  // Code points: half a character finds nothing.
  const characters = Array.from(wanted.trim());
  const { length } = characters;
  const step = Math.max(1, (length - MIN_BEGINNING) / (MAX_REQUESTS - 1));
  return Array.from({ length: MAX_REQUESTS }, (_, at) => Math.round(length - at * step))
    .filter((shorter) => shorter >= MIN_BEGINNING)
    .map((shorter) => characters.slice(0, shorter).join(''));
};

const readNames = async (
  session: Session,
  { items, view, id, label, names = (one) => [label(one)] }: Locatable,
  path: string,
  query: Readonly<Record<string, unknown>>,
): Promise<readonly Named[]> => {
  const response = await session.client.request('GET', path, {
    query: { limit: MAX_ITEMS, ...query },
  });
  const page = session.read(z.looseObject({ [items]: z.array(view) }), response);
  return (page[items] as readonly unknown[]).map((one) => ({ id: id(one), names: names(one) }));
};

const nearest = (candidates: readonly Named[], wanted: string): readonly Named[] =>
  candidates
    .map((named) => ({ named, distance: Math.min(...named.names.map(distanceTo(wanted))) }))
    .filter(({ distance }) => distance < Infinity)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MAX_SHOWN)
    .map(({ named }) => named);

const WORD_START = /(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/u;

/** To the name or to the nearest of its words; a beginning is as good as the whole. */
const distanceTo =
  (wanted: string) =>
  (name: string): number => {
    const text = fold(wanted);
    const words = [fold(name), ...fold(name).split(WORD_START)];
    return Math.min(
      ...words.map((word) => (word.startsWith(text) ? 0 : nameDistance(text, word.trim()))),
    );
  };
