import type { Preview, PreviewCommand } from '../pipeline/preview.js';
import type { Submit } from '../pipeline/submit.js';

/** Replaces the pipeline during a dry run. */
export interface DryRun {
  /** Previews the command and resolves with its outcome. Never writes. */
  readonly submit: Submit;
  /** The preview of the command; undefined if none was submitted. */
  readonly preview: () => Preview | undefined;
}

/**
 * The dry run of one request. It accepts one command only: a second one would depend on the first,
 * which is not carried out.
 */
export const createDryRun = (previewCommand: PreviewCommand): DryRun => {
  let preview: Preview | undefined;
  return {
    submit: async (submission) => {
      if (preview) throw new Error('A dry run accepts only one command.');
      const previewed = await previewCommand(submission);
      preview = previewed;
      return previewed.outcome;
    },
    preview: () => preview,
  };
};
