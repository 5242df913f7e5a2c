import { CliError, EXIT } from './cli-error.js';
import { printable } from './display-width.js';
import type { Located } from './locate.js';
import { describeNamed, findNearNames } from './near-names.js';
import type { Locatable } from './resource.js';
import type { Session } from './session.js';

/** Finds the item of the collection at `path` that the operator named, or throws a CliError. */
export const locateItem = async (
  session: Session,
  resource: Locatable,
  path: string,
  wanted: string,
): Promise<Located> =>
  (await resource.locate?.(session, path, wanted)) ??
  raiseNotFound(session, resource, path, wanted);

/** Throws a CliError with the items that may be meant. */
export const raiseNotFound = async (
  session: Session,
  resource: Locatable,
  path: string,
  wanted: string,
): Promise<never> => {
  const { name, noun, hintFor } = resource;
  const hint = hintFor?.(wanted);
  // A credential that may not list the items must not hide the reason.
  const near = await findNearNames(session, resource, path, wanted).catch(() => []);
  const what = capitalise(withoutArticle(noun));
  throw new CliError(EXIT.refused, `${what} "${printable(wanted)}" not found.`, [
    ...(hint === undefined ? [] : [hint]),
    ...(near.length > 0 ? ['Did you mean:', ...near.map(describeNamed)] : []),
    `List all: rollgate ${[name, 'list', session.tenant].filter(Boolean).join(' ')}`,
  ]);
};

export const withoutArticle = (noun: string): string => noun.replace(/^an? /, '');

export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
