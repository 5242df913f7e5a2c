import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

/**
 * Asks before a change. `action` names the object and the count: "Deactivate 37 users", "Delete key
 * Okta". It closes when `onConfirm` resolves, and shows the error if it rejects.
 */
export const ConfirmDialog = ({
  title,
  action,
  children,
  isDestructive = true,
  isBlocked = false,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly action: string;
  readonly children: ComponentChildren;
  readonly isDestructive?: boolean;
  readonly isBlocked?: boolean;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}) => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (fault) {
      setError(asApiError(fault));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error && <ErrorNote error={error} />}
      <footer>
        <button type="button" class="secondary" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class={isDestructive ? 'danger' : ''}
          aria-busy={isBusy}
          disabled={isBusy || isBlocked}
          onClick={() => void confirm()}
        >
          {action}
        </button>
      </footer>
    </Dialog>
  );
};
