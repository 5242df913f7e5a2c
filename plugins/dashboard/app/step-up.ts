import { signal } from '@preact/signals';

/** A request that waits until the operator has proved who they are. */
export interface PendingConfirmation {
  readonly resolve: (isConfirmed: boolean) => void;
}

/** Shown as a dialog by `components/step-up-dialog.tsx`. */
export const pendingConfirmation = signal<PendingConfirmation | null>(null);

/** Asks for a fresh sign-in; resolves with whether it succeeded. */
export const confirmIdentity = (): Promise<boolean> =>
  new Promise((resolve) => {
    pendingConfirmation.value?.resolve(false);
    pendingConfirmation.value = {
      resolve: (isConfirmed) => {
        pendingConfirmation.value = null;
        resolve(isConfirmed);
      },
    };
  });
