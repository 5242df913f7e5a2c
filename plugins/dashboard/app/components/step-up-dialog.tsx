import { useEffect, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import type { Schema } from '../api/schema.ts';
import { hasRole } from '../session.ts';
import { readSignInOptions, signIn } from '../sign-in.ts';
import { pendingConfirmation } from '../step-up.ts';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './error-note.tsx';

const StepUp = ({ resolve }: { readonly resolve: (isConfirmed: boolean) => void }) => {
  const [options, setOptions] = useState<Schema<'WaysToSignIn'>>();
  const [token, setToken] = useState('');
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    void readSignInOptions().then(setOptions, () => undefined);
  }, []);
  const confirm = async () => {
    try {
      await signIn({ admin_token: token.trim(), step_up: true });
      resolve(true);
    } catch (fault) {
      setError(asApiError(fault));
    }
  };
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
          <label>
            Admin token
            <input
              type="password"
              autoComplete="off"
              required
              value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          </label>
          {error && <ErrorNote error={error} />}
          <footer>
            <button type="button" class="secondary" onClick={() => resolve(false)}>
              Cancel
            </button>
            <button type="submit">Confirm</button>
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
