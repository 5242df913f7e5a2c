import { misuse } from './command-failure.js';
import type { World } from './world.js';

export interface Confirmation {
  /** What happens, to whom: a sentence. */
  readonly warning: string;
  /** What has to be typed. */
  readonly word: string;
  readonly yes: boolean;
}

/** Before what cannot be undone. Returns when it may be done; throws otherwise. */
export const confirm = async (
  { warning, word, yes }: Confirmation,
  { ask, notes }: World,
): Promise<void> => {
  if (yes) return;
  if (ask === undefined) {
    return misuse(
      `${warning} This cannot be undone.`,
      'There is nobody here to ask: --yes confirms it. Nothing was done.',
    );
  }
  notes.write(`${warning} This cannot be undone.\n`);
  const answer = await ask(`Type ${word} to go on: `).catch(() => undefined);
  if (answer?.trim() !== word) return misuse(`That is not ${word}. Nothing was done.`);
};
