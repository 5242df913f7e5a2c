import type { Preview, PreviewCommand } from '../pipeline/preview.js';
import type { Submit } from '../pipeline/submit.js';

/** Replaces the pipeline during a dry run. */
export interface Rehearsal {
  /** Previews the command and resolves with its outcome. Never writes. */
  readonly submit: Submit;
  /** The preview of the command; undefined if none was submitted. */
  readonly seen: () => Preview | undefined;
}

/**
 * The dry run of one request. It accepts one command only: a second one would depend on the first,
 * which is not carried out.
 */
export const rehearse = (preview: PreviewCommand): Rehearsal => {
  let seen: Preview | undefined;
  return {
    submit: async (submission) => {
      if (seen) throw new Error('A dry run accepts only one command.');
      const previewed = await preview(submission);
      seen = previewed;
      return previewed.outcome;
    },
    seen: () => seen,
  };
};
