import { useEffect, useState } from 'preact/hooks';
import { Link, Redirect, useSearchParams } from 'wouter-preact';
import { type ApiError, asApiError } from '../api/api-error.ts';
import type { Schema } from '../api/schema.ts';
import { ErrorNote } from '../components/error-note.tsx';
import { Icon } from '../components/icon.tsx';
import { Note } from '../components/note.tsx';
import { hasExpired, session } from '../session.ts';
import { readSignInOptions, signIn } from '../sign-in.ts';
import { SignInFrame } from '../components/sign-in-frame.tsx';

/** Why the identity provider's response was not accepted. */
const REASONS: Readonly<Record<string, string>> = {
  SIGN_IN_EXPIRED: 'The sign-in took too long, or was started in another browser. Try again.',
  PROVIDER_REFUSED: 'The identity provider did not sign you in.',
  PROVIDER_FAILED: 'The identity provider returned an unexpected response. See the gateway log.',
  NO_RECENT_SIGN_IN:
    'The identity provider did not confirm a recent sign-in. Configure it to support max_age and to ' +
    'send auth_time in the ID token. Until then, owners can confirm with the admin token.',
  NO_ROLE: 'Your account has no role. Ask an owner to map one of your groups to a role.',
  SETUP_LINK_ENDED: 'This setup link has expired. Ask for a new one.',
  SETUP_LINK_FAILED: 'This setup link could not be opened. Try again in a minute.',
  OPERATOR_DISABLED: 'Your account is disabled. Ask an owner to enable it.',
};

/** Only pages of the dashboard. */
const safePath = (text: string | null): string =>
  text !== null && /^\/(?![/\\])/.test(text) && !text.startsWith('/sign-in') ? text : '/';

const SignIn = () => {
  const [params] = useSearchParams();
  const [options, setOptions] = useState<Schema<'WaysToSignIn'>>();
  const [token, setToken] = useState('');
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [hasSubmitted, setSubmitted] = useState(false);
  const [link] = useState(() => window.location.hash.slice(1));
  const target = safePath(params.get('return_to'));
  const refused = params.get('error');
  useEffect(() => {
    document.title = 'Sign in · Rollgate';
    if (link !== '') window.history.replaceState(null, '', window.location.pathname);
    void readSignInOptions().then(setOptions, () => undefined);
  }, []);
  const refusal = refused !== null && (
    <Note tone="bad">
      <p>{REASONS[refused] ?? 'You could not be signed in.'}</p>
      <p class="note-meta">
        <code>{refused}</code>
      </p>
    </Note>
  );
  if (session.value && (!refusal || hasSubmitted)) return <Redirect to={target} replace />;
  // The session is as it was before a confirmation of the identity that failed.
  if (session.value)
    return (
      <SignInFrame title="Sign in">
        {refusal}
        <Link role="button" class="block" href={target}>
          Back to the dashboard
        </Link>
      </SignInFrame>
    );
  const submit = async () => {
    setBusy(true);
    setSubmitted(true);
    setError(undefined);
    try {
      await signIn(link === '' ? { admin_token: token.trim() } : { link });
    } catch (fault) {
      setError(asApiError(fault));
    }
    setBusy(false);
  };
  if (link !== '')
    return (
      <SignInFrame title="Sign in">
        <p>This link signs you in once, in this browser.</p>
        {error && <ErrorNote error={error} />}
        <button
          type="button"
          class="block"
          aria-busy={isBusy}
          disabled={isBusy}
          onClick={() => void submit()}
        >
          Continue
        </button>
      </SignInFrame>
    );
  return (
    <SignInFrame title="Sign in">
      {refusal}
      {hasExpired.value && (
        <Note>
          <p>Your session has expired. Sign in again to continue where you left off.</p>
        </Note>
      )}
      {options?.setup_pending === true && (
        <Note>
          <p>
            This gateway has no operators yet. Open the setup link that it printed at its first
            start to become the owner.
          </p>
        </Note>
      )}
      {options?.oidc && (
        <>
          <a
            role="button"
            class="block"
            href={`${options.oidc.start_url}?return_to=${encodeURIComponent(`/dashboard${target}`)}`}
          >
            Continue with {options.oidc.name}
          </a>
          <p class="divider">or</p>
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <label>
          Admin token
          <input
            type="password"
            autoComplete="off"
            spellcheck={false}
            required
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <small>
            In the file <code>admin-token</code> in the data folder. The gateway prints the path at
            startup.
          </small>
        </label>
        {error && <ErrorNote error={error} />}
        <button type="submit" class="block" aria-busy={isBusy} disabled={isBusy}>
          Sign in
          <Icon name="chevron" />
        </button>
      </form>
    </SignInFrame>
  );
};

export default SignIn;
