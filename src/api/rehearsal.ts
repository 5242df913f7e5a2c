import type { Preview, PreviewCommand } from '../pipeline/preview.js';
import type { Submit } from '../pipeline/submit.js';

/** Stands in for the pipeline while one request is tried out. */
export interface Rehearsal {
  /** Previews, and answers with the outcome as if it had been done. Never writes. */
  readonly submit: Submit;
  /** What the command would come to; undefined where none was submitted. */
  readonly seen: () => Preview | undefined;
}

/**
 * A rehearsal of one request. It knows one command only: what a second one would come to depends on
 * the first, which is never done.
 */
export const rehearse = (preview: PreviewCommand): Rehearsal => {
  let seen: Preview | undefined;
  return {
    submit: async (submission) => {
      if (seen) throw new Error('A dry run met a second command: a request may submit one.');
      const previewed = await preview(submission);
      seen = previewed;
      return previewed.outcome;
    },
    seen: () => seen,
  };
};
