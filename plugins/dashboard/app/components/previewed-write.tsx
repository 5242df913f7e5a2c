import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { useState } from 'preact/hooks';
import { type CallArguments, type PathsWith, RollgateError } from 'rollgate/client';
import { gateway, type Schema, Button, ErrorNote } from '../ui.ts';
import { useAction } from '../use-action.ts';
import { Impact, impactText } from './impact.tsx';
import { showToast } from './toasts.tsx';

/** A change that can be previewed. */
export interface Write {
  readonly preview: () => Promise<Schema<'DryRun'>>;
  readonly save: () => Promise<unknown>;
}

export const writeOf = <V extends 'post' | 'patch' | 'delete', P extends PathsWith<V>>(
  verb: V,
  path: P,
  ...options: CallArguments<P, V>
): Write => ({
  preview: () => gateway.preview(verb, path, ...options),
  save: () => gateway.request(verb, path, ...options),
});

/** The preview of a change; throws if it would be refused. */
export const accepted = async (preview: Promise<Schema<'DryRun'>>): Promise<Schema<'DryRun'>> => {
  const result = await preview;
  const { status, body } = result;
  if (status < 400) return result;
  const { error: code, message } = body as Schema<'Error'>;
  throw new RollgateError({ status, code, message });
};

/** First, the browser names a field of the form that cannot be read: its value would be "empty". */
const ifValid =
  (work: () => Promise<void>) =>
  (event: TargetedMouseEvent<HTMLButtonElement>): void => {
    event.preventDefault();
    if (event.currentTarget.form?.reportValidity() !== false) void work();
  };

/** Shows what a write would do, and then does it; the fields, if any, are in a form with it. */
export const PreviewedWrite = ({
  slug,
  write,
  action,
  isDestructive = false,
  isBlocked = false,
  children,
  done,
  onChanged,
  onClose,
}: {
  readonly slug: string;
  readonly write: Write;
  /** "Delete the mapping of Dispatch" */
  readonly action: string;
  readonly isDestructive?: boolean;
  readonly isBlocked?: boolean;
  /** What changes, besides roles; shown with the preview. */
  readonly children?: ComponentChildren;
  /** "Deleted the mapping of Dispatch" */
  readonly done: string;
  readonly onChanged?: () => void;
  /** After the change, or without it. */
  readonly onClose: () => void;
}) => {
  const [preview, setPreview] = useState<Schema<'DryRun'>>();
  const { isBusy, error, run } = useAction();
  const look = () =>
    run(async () => {
      setPreview(await accepted(write.preview()));
    });
  const save = () =>
    run(async () => {
      await write.save();
      showToast(done);
      onChanged?.();
      onClose();
    });
  const impact = preview && impactText(preview);
  return (
    <>
      {preview && children}
      {preview && <Impact slug={slug} of={preview} />}
      {error && <ErrorNote error={error} takesFocus />}
      <footer>
        <Button label="Cancel" class="secondary" onClick={onClose} />
        {preview ? (
          <Button
            label={impact === undefined ? action : `${action}: ${impact}`}
            class={isDestructive ? 'danger' : ''}
            type="submit"
            isBusy={isBusy}
            onClick={ifValid(save)}
          />
        ) : (
          <Button
            label="Preview"
            type="submit"
            isBusy={isBusy}
            disabled={isBlocked}
            onClick={ifValid(look)}
          />
        )}
      </footer>
    </>
  );
};
