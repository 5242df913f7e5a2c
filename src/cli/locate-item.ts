import { CliError, EXIT } from './cli-error.js';
import { printable } from './display-width.js';
import type { Located } from './locate.js';
import type { Locatable } from './resource.js';
import type { Session } from './session.js';

/** Finds the item of the collection at `path` that the operator named, or throws a CliError. */
export const locateItem = async (
  session: Session,
  { locate, name, noun }: Locatable,
  path: string,
  wanted: string,
): Promise<Located> => {
  const found = await locate?.(session, path, wanted);
  if (found) return found;
  const what = capitalise(withoutArticle(noun));
  throw new CliError(EXIT.refused, `${what} "${printable(wanted)}" not found.`, [
    `List all: rollgate ${[name, 'list', session.tenant].filter(Boolean).join(' ')}`,
  ]);
};

export const withoutArticle = (noun: string): string => noun.replace(/^an? /, '');

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
