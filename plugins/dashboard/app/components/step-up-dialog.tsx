import { useState } from 'preact/hooks';
import { type Schema, hasExpired, hasRole, session, Button, ErrorNote, Note } from '../ui.ts';
import { canUsePasskeys } from '../passkeys.ts';
import { signIn } from '../sign-in.ts';
import { pendingConfirmation } from '../step-up.ts';
import { useAction } from '../use-action.ts';
import { Dialog } from './dialog.tsx';
import { AdminTokenForm, PasskeyButton, useSignInOptions } from './sign-in-ways.tsx';

const WINDOW = 'popup,width=520,height=720';

const StepUp = ({ resolve }: { readonly resolve: (isConfirmed: boolean) => void }) => {
  const options = useSignInOptions();
  const [isElsewhere, setElsewhere] = useState(false);
  const { isBusy, error, run } = useAction();
  const isOver = hasExpired.value;
  const operator = session.value?.operator;
  // The token of a session that has ended would begin that of another person.
  const hasToken = isOver ? operator?.id === null : hasRole('owner');
  const confirm = (prove: () => Promise<Schema<'SignIn'>>) =>
    void run(async () => {
      const proof = await prove();
      if (await signIn(isOver ? proof : { ...proof, step_up: true })) resolve(true);
    });
  const isByProvider = session.value?.by === 'oidc';
  const hasPasskey = session.value?.has_passkey === true && canUsePasskeys();
  const cancel = (
    <Button
      label={isOver ? 'Sign out' : 'Cancel'}
      class="secondary"
      onClick={() => resolve(false)}
    />
  );
  return (
    <Dialog
      title={isOver ? 'Sign in again' : 'Confirm your identity'}
      mustAnswer={isOver}
      onClose={() => resolve(false)}
    >
      <p>
        {isOver
          ? `Your session has ended. Sign in again as ${operator?.name ?? 'before'}. `
          : 'Sign in again to change keys, secrets or approvals. '}
        What you entered stays here.
      </p>
      {hasPasskey && (
        <PasskeyButton
          label={isOver ? 'Sign in with a passkey' : 'Confirm with a passkey'}
          isBusy={isBusy}
          onProof={confirm}
        />
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
              `${options.oidc?.start_url ?? ''}?${isOver ? '' : 'step_up=1&'}return_to=/dashboard/signed-in`,
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
      {operator?.id != null && (
        <p>
          {hasPasskey || options?.oidc ? 'You can also ' : 'To continue, '}
          {hasToken && 'enter the admin token, or '}
          open a new sign-in link in this browser: an owner creates it. This page continues by
          itself.
        </p>
      )}
      {hasToken ? (
        <AdminTokenForm onProof={confirm}>
          {error && <ErrorNote error={error} takesFocus />}
          <footer>
            {cancel}
            <Button label={isOver ? 'Sign in' : 'Confirm'} type="submit" />
          </footer>
        </AdminTokenForm>
      ) : (
        <>
          {error && <ErrorNote error={error} takesFocus />}
          {isOver && <footer>{cancel}</footer>}
        </>
      )}
    </Dialog>
  );
};

/** Open while requests wait for a fresh sign-in. */
export const StepUpDialog = () =>
  pendingConfirmation.value && <StepUp resolve={pendingConfirmation.value.resolve} />;
