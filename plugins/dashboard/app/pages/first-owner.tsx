import { useEffect, useState } from 'preact/hooks';
import { Redirect } from 'wouter-preact';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { ErrorNote } from '../components/error-note.tsx';
import { Note } from '../components/note.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';
import { session } from '../session.ts';
import { signIn } from '../sign-in.ts';

/** Redeems a one-time link, whose secret is behind the `#`, so that no server log has it. */
const FirstOwner = () => {
  const [link] = useState(() => window.location.hash.slice(1));
  const [name, setName] = useState('');
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Set up your account · Rollgate';
    window.history.replaceState(null, '', window.location.pathname);
  }, []);
  if (session.value) return <Redirect to="/" replace />;
  const submit = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await signIn({ link, name: name.trim() });
    } catch (fault) {
      setError(asApiError(fault));
    }
    setBusy(false);
  };
  return (
    <SignInFrame title="Set up your account">
      {link === '' ? (
        <Note tone="warning">
          <p>
            This link is incomplete. Open the full link, or create a new one with{' '}
            <code>npx rollgate operator link</code>.
          </p>
        </Note>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <label>
            Your name
            <input
              type="text"
              autoComplete="name"
              required
              maxLength={256}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <small>Shown with your changes in the provisioning log.</small>
          </label>
          {error && <ErrorNote error={error} />}
          <button type="submit" class="block" aria-busy={isBusy} disabled={isBusy}>
            Continue
          </button>
        </form>
      )}
    </SignInFrame>
  );
};

export default FirstOwner;
