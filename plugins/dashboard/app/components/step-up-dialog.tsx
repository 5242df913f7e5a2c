import { useState } from 'preact/hooks';
import type { Schema } from '../api/schema.ts';
import { canUsePasskeys } from '../passkeys.ts';
import { hasRole, session } from '../session.ts';
import { signIn } from '../sign-in.ts';
import { pendingConfirmation } from '../step-up.ts';
import { useAction } from '../use-action.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote, Note } from './note.tsx';
import { AdminTokenForm, PasskeyButton, useSignInOptions } from './sign-in-ways.tsx';

const WINDOW = 'popup,width=520,height=720';

const StepUp = ({ resolve }: { readonly resolve: (isConfirmed: boolean) => void }) => {
  const options = useSignInOptions();
  const [isElsewhere, setElsewhere] = useState(false);
  const { isBusy, error, run } = useAction();
  const confirm = (prove: () => Promise<Schema<'SignIn'>>) =>
    void run(async () => {
      await signIn({ ...(await prove()), step_up: true });
      resolve(true);
    });
  const isByProvider = session.value?.by === 'oidc';
  const hasPasskey = session.value?.has_passkey === true && canUsePasskeys();
  return (
    <Dialog title="Confirm your identity" onClose={() => resolve(false)}>
      <p>Sign in again to change keys, secrets or approvals. What you entered stays here.</p>
      {hasPasskey && (
        <PasskeyButton label="Confirm with a passkey" isBusy={isBusy} onProof={confirm} />
      )}
      {options?.oidc && (isByProvider || !hasPasskey) && (
        // In a window of its own, so that this page keeps what was begun.
        <Button
          icon="external"
          label={`Continue with ${options.oidc.name}`}
          class="block"
          onClick={() => {
            setElsewhere(true);
            window.open(
              `${options.oidc?.start_url ?? ''}?step_up=1&return_to=/dashboard/signed-in`,
              'rollgate-sign-in',
              WINDOW,
            );
          }}
        />
      )}
      {isElsewhere && (
        <Note>
          <p role="status">Sign in in the other window. This page continues by itself.</p>
        </Note>
      )}
      {session.value?.operator.id != null && (
        <p>
          {hasPasskey || options?.oidc ? 'You can also ' : 'To confirm, '}
          {hasRole('owner') && 'enter the admin token, or '}
          open a new sign-in link in this browser: an owner creates it. This page continues by
          itself.
        </p>
      )}
      {hasRole('owner') ? (
        <AdminTokenForm onProof={confirm}>
          {error && <ErrorNote error={error} takesFocus />}
          <footer>
            <Button label="Cancel" class="secondary" onClick={() => resolve(false)} />
            <Button label="Confirm" type="submit" />
          </footer>
        </AdminTokenForm>
      ) : (
        error && <ErrorNote error={error} takesFocus />
      )}
    </Dialog>
  );
};

/** Open while a request waits for a fresh sign-in. */
export const StepUpDialog = () =>
  pendingConfirmation.value && <StepUp resolve={pendingConfirmation.value.resolve} />;
