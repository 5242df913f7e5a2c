import type { Command } from 'commander';
import { z } from 'zod';
import { parseWholeNumber } from './parse-argument.js';

const Options = z.object({ limit: z.number(), offset: z.number() });

/** The page of a list that is wanted (decisions.md 3). */
export const addPaging = (command: Command): Command =>
  command
    .option('--limit <number>', 'how many at most', parseWholeNumber(1, 500), 100)
    .option('--offset <number>', 'how many to pass over', parseWholeNumber(0, 999_999_999), 0);

export const pageQueryOf = (command: Command): z.output<typeof Options> =>
  Options.parse(command.opts());

export interface PageView {
  readonly total: number;
  readonly offset: number;
}

/** Where the page stands, when it is not all there is. */
export const describePage = (
  { total, offset }: PageView,
  shown: number,
  what: string,
): string | undefined => {
  if (shown === 0 && total > 0)
    return `--offset ${offset} is past the end of ${what}: ${total} in all.`;
  if (shown === total) return undefined;
  const next = offset + shown;
  const more = next < total ? ` The next ones: --offset ${next}` : '';
  return `${what[0]?.toUpperCase()}${what.slice(1)} ${offset + 1} to ${next} of ${total}.${more}`;
};
