import { fold } from '../domain/kernel/names.js';
import { CliError, EXIT } from './cli-error.js';
import { printable } from './display-width.js';
import { describeNamed, type Named } from './near-names.js';

const MAX_SHOWN = 10;

/**
 * The one thing that the text names, among those that the gateway found for it: by a whole name,
 * ignoring case, or else the only one found. Undefined if nothing was found; throws a CliError that
 * lists the candidates if there are several.
 */
export const findByName = <Thing extends Named>(
  found: readonly Thing[],
  { noun, wanted }: { readonly noun: string; readonly wanted: string },
): Thing | undefined => {
  const text = fold(wanted);
  const exact = found.filter(({ names }) => names.some((name) => fold(name) === text));
  const matching = exact.length > 0 ? exact : found;
  const [first, second] = matching;
  if (!second) return first;
  const lines = matching.slice(0, MAX_SHOWN).map(describeNamed);
  if (matching.length > MAX_SHOWN) lines.push(`and ${matching.length - MAX_SHOWN} more`);
  throw new CliError(EXIT.refused, `"${printable(wanted)}" matches ${matching.length} ${noun}s.`, [
    'Pass the id of one of them:',
    ...lines,
  ]);
};
