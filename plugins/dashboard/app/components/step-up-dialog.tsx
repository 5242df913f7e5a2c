import { useEffect, useState } from 'preact/hooks';
import { askForPasskey, canUsePasskeys } from '../passkeys.ts';
import { hasRole, session } from '../session.ts';
import { loadSignInOptions, signIn, signInOptions } from '../sign-in.ts';
import { pendingConfirmation } from '../step-up.ts';
import { useAction } from '../use-action.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { ErrorNote, Note } from './note.tsx';

const WINDOW = 'popup,width=520,height=720';

const StepUp = ({ resolve }: { readonly resolve: (isConfirmed: boolean) => void }) => {
  const options = signInOptions.value;
  const [token, setToken] = useState('');
  const [isElsewhere, setElsewhere] = useState(false);
  const { isBusy, error, run } = useAction();
  useEffect(() => {
    const abort = new AbortController();
    void loadSignInOptions(abort.signal).catch(() => undefined);
    return () => abort.abort();
  }, []);
  const confirm = (
    proof: () => Parameters<typeof signIn>[0] | Promise<Parameters<typeof signIn>[0]>,
  ) =>
    run(async () => {
      await signIn({ ...(await proof()), step_up: true });
      resolve(true);
    });
  const isByProvider = session.value?.by === 'oidc';
  const hasPasskey =
    session.value?.has_passkey === true && canUsePasskeys(options?.passkey_host ?? null);
  return (
    <Dialog title="Confirm your identity" onClose={() => resolve(false)}>
      <p>Sign in again to change keys, secrets or approvals. What you entered stays here.</p>
      {hasPasskey && (
        <Button
          icon="key"
          label="Confirm with a passkey"
          class="block"
          isBusy={isBusy}
          onClick={() => void confirm(askForPasskey)}
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
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void confirm(() => ({ admin_token: token.trim() }));
          }}
        >
          <TextField
            label="Admin token"
            type="password"
            required
            value={token}
            onChange={setToken}
          />
          {error && <ErrorNote error={error} takesFocus />}
          <footer>
            <Button label="Cancel" class="secondary" onClick={() => resolve(false)} />
            <Button label="Confirm" type="submit" />
          </footer>
        </form>
      ) : (
        error && <ErrorNote error={error} takesFocus />
      )}
    </Dialog>
  );
};

/** Open while a request waits for a fresh sign-in. */
export const StepUpDialog = () =>
  pendingConfirmation.value && <StepUp resolve={pendingConfirmation.value.resolve} />;
