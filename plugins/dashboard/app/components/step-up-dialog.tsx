import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../api/schema.ts';
import { hasRole } from '../session.ts';
import { readSignInOptions, signIn } from '../sign-in.ts';
import { pendingConfirmation } from '../step-up.ts';
import { useAction } from '../use-action.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { ErrorNote } from './note.tsx';

const StepUp = ({ resolve }: { readonly resolve: (isConfirmed: boolean) => void }) => {
  const [options, setOptions] = useState<Schema<'WaysToSignIn'>>();
  const [token, setToken] = useState('');
  const { error, run } = useAction();
  useEffect(() => {
    void readSignInOptions().then(setOptions, () => undefined);
  }, []);
  const confirm = () =>
    run(async () => {
      await signIn({ admin_token: token.trim(), step_up: true });
      resolve(true);
    });
  const here = window.location.pathname + window.location.search;
  return (
    <Dialog title="Confirm your identity" onClose={() => resolve(false)}>
      <p>Sign in again to change keys, secrets or approvals.</p>
      {options?.oidc && (
        <a
          role="button"
          class="block"
          href={`${options.oidc.start_url}?step_up=1&return_to=${encodeURIComponent(here)}`}
        >
          Continue with {options.oidc.name}
        </a>
      )}
      {hasRole('owner') ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void confirm();
          }}
        >
          <TextField
            label="Admin token"
            type="password"
            required
            value={token}
            onChange={setToken}
          />
          {error && <ErrorNote error={error} />}
          <footer>
            <Button label="Cancel" class="secondary" onClick={() => resolve(false)} />
            <Button label="Confirm" type="submit" />
          </footer>
        </form>
      ) : (
        <p>You can also ask an owner for a sign-in link and open it in this browser.</p>
      )}
    </Dialog>
  );
};

/** Open while a request waits for a fresh sign-in. */
export const StepUpDialog = () =>
  pendingConfirmation.value && <StepUp resolve={pendingConfirmation.value.resolve} />;
