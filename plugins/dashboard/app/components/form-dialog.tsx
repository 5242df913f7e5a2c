import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

/** A form in a dialog. What it does on success, such as closing, is up to `onSubmit`. */
export const FormDialog = ({
  title,
  action,
  wide = false,
  isBlocked = false,
  children,
  onSubmit,
  onClose,
}: {
  readonly title: string;
  /** The button: what happens, and to what. */
  readonly action: string;
  readonly wide?: boolean;
  readonly isBlocked?: boolean;
  readonly children: ComponentChildren;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
}) => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit();
    } catch (fault) {
      setError(asApiError(fault));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} wide={wide} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {children}
        {error && <ErrorNote error={error} />}
        <footer>
          <button type="button" class="secondary" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" aria-busy={isBusy} disabled={isBusy || isBlocked}>
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
};
