import { fold } from '../domain/kernel/fold.js';
import { CliError, EXIT } from './cli-error.js';
import { printable } from './display-width.js';

/** What can be named: an id, and texts by which people call it. */
export interface Named {
  readonly id: string;
  /** The first one is shown; the others distinguish things of one name. */
  readonly names: readonly string[];
}

interface Search {
  /** `user`, for messages. */
  readonly noun: string;
  readonly wanted: string;
  /** A command that lists them all. */
  readonly listCommand: string;
  /** Whether the beginning of a name is enough; not where something is changed. */
  readonly acceptsBeginning: boolean;
}

const MAX_SHOWN = 10;

/**
 * The one thing that the text names: by a whole name, ignoring case, or by the beginning of one.
 * Throws a CliError that lists the candidates unless there is exactly one.
 */
export const findByName = <Thing extends Named>(
  candidates: readonly Thing[],
  { noun, wanted, listCommand, acceptsBeginning }: Search,
): Thing => {
  const text = fold(wanted);
  const exact = candidates.filter(({ names }) => names.some((name) => fold(name) === text));
  const similar = candidates.filter(({ names }) =>
    names.some((name) => fold(name).startsWith(text)),
  );
  const matching = exact.length > 0 || !acceptsBeginning ? exact : similar;
  const [first, second] = matching;
  if (first && !second) return first;
  const shown = first ? matching : similar;
  const lines = shown.slice(0, MAX_SHOWN).map(describe);
  if (shown.length > MAX_SHOWN) lines.push(`and ${shown.length - MAX_SHOWN} more`);
  const [title, hint] = first
    ? [`"${printable(wanted)}" matches ${matching.length} ${noun}s.`, 'Pass the id of one of them:']
    : [
        `${noun.charAt(0).toUpperCase()}${noun.slice(1)} "${printable(wanted)}" not found.`,
        'Similar:',
      ];
  throw new CliError(
    EXIT.refused,
    title,
    lines.length > 0 ? [hint, ...lines] : [`List all: ${listCommand}`],
  );
};

const describe = ({ id, names: [name = '', ...others] }: Named): string => {
  const rest = [...new Set(others.filter((other) => other !== name))].join(', ');
  return `  ${id}  ${printable(name)}${rest === '' ? '' : ` (${printable(rest)})`}`;
};
