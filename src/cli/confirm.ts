import type { CliContext } from './cli-context.js';
import { usageError } from './cli-error.js';

export interface Confirmation {
  /** What will happen, as a sentence. */
  readonly warning: string;
  /** The text to type. */
  readonly word: string;
  /** `--yes`: do not ask. */
  readonly yes: boolean;
}

/** Asks before a change that cannot be undone; throws a CliError unless it is confirmed. */
export const confirm = async (
  { warning, word, yes }: Confirmation,
  { ask, stderr }: Pick<CliContext, 'ask' | 'stderr'>,
): Promise<void> => {
  if (yes) return;
  if (ask === undefined)
    return usageError('Not a terminal; pass --yes to confirm. Nothing was changed.', warning);
  stderr.write(`${warning}\n`);
  const answer = await ask(`Type "${word}" to confirm: `).catch(() => undefined);
  if (answer?.trim() !== word) return usageError('Not confirmed. Nothing was changed.');
};
