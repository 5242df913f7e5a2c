import { signal } from '@preact/signals';
import { client } from './api/client.ts';
import type { Schema } from './api/schema.ts';
import { hasExpired, session } from './session.ts';

/** Requests that wait until the operator has proved who they are. */
export interface PendingConfirmation {
  readonly answer: Promise<boolean>;
  readonly resolve: (isConfirmed: boolean) => void;
}

/** Shown as a dialog by `components/step-up-dialog.tsx`. */
export const pendingConfirmation = signal<PendingConfirmation | null>(null);

/** Asks for a fresh sign-in, once for all requests; resolves with whether it succeeded. */
export const confirmIdentity = (): Promise<boolean> => {
  if (pendingConfirmation.value) return pendingConfirmation.value.answer;
  let resolve: PendingConfirmation['resolve'] = () => undefined;
  const answer = new Promise<boolean>((settle) => {
    resolve = (isConfirmed) => {
      pendingConfirmation.value = null;
      settle(isConfirmed);
    };
  });
  pendingConfirmation.value = { answer, resolve };
  return answer;
};

/** Goes on in another session; false if it is another person's, who gets another page. */
export const takeSession = (now: Schema<'OperatorSession'>): boolean => {
  const before = session.value?.operator;
  if (before && (now.operator.id !== before.id || now.operator.role !== before.role)) {
    // Another user's session read what this page shows.
    window.location.assign('/dashboard/');
    return false;
  }
  session.value = now;
  const isRecent = now.step_up_until !== null && Date.parse(now.step_up_until) > Date.now();
  if (isRecent || hasExpired.value) pendingConfirmation.value?.resolve(true);
  hasExpired.value = false;
  return true;
};

/** Between the tabs of this browser; it carries no secret. */
const signIns = new BroadcastChannel('rollgate-sign-in');

/** After a sign-in: other tabs have to read the session anew, and may wait for it. */
export const announceSignIn = (): void => signIns.postMessage('signed-in');

/**
 * A sign-in in another tab, by OpenID or by a link, replaces the session of all: it answers the
 * question of this tab, whose dialogs have stayed open, if it is the same person.
 */
signIns.addEventListener('message', () => {
  if (session.value) void client.get('/admin/v1/session').then(takeSession, () => undefined);
});
