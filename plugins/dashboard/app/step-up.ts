import { signal } from '@preact/signals';
import { client } from './api/client.ts';
import { session } from './session.ts';

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

/** Between the tabs of this browser; it carries no secret. */
const signIns = new BroadcastChannel('rollgate-sign-in');

/** After a sign-in: other tabs have to read the session anew, and may wait for it. */
export const announceSignIn = (): void => signIns.postMessage('signed-in');

/**
 * A sign-in in another tab, by OpenID or by a link, replaces the session of all: it answers the
 * question of this tab, whose dialogs have stayed open, if it is the same person.
 */
signIns.addEventListener('message', () => {
  const before = session.value;
  if (!before) return;
  void client.get('/admin/v1/session').then(
    (now) => {
      if (now.operator.id !== before.operator.id || now.operator.role !== before.operator.role) {
        // What is on this page was read by somebody else.
        window.location.assign('/dashboard/');
        return;
      }
      session.value = now;
      const isRecent = now.step_up_until !== null && Date.parse(now.step_up_until) > Date.now();
      if (isRecent) pendingConfirmation.value?.resolve(true);
    },
    () => undefined,
  );
});
