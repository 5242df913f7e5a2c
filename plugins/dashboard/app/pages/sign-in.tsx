import { useEffect, useState } from 'preact/hooks';
import { Link, Redirect, useSearchParams } from 'wouter-preact';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/fields.tsx';
import { Icon } from '../components/icon.tsx';
import { ErrorNote, Note, OutageNote } from '../components/note.tsx';
import { SignInFrame } from '../components/sign-in-frame.tsx';
import { hasExpired, session } from '../session.ts';
import { askForPasskey, canUsePasskeys } from '../passkeys.ts';
import { loadSignInOptions, signIn, signInOptions } from '../sign-in.ts';
import { useAction } from '../use-action.ts';

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

/** Asks before it uses the link, which works once. */
const LinkSignIn = (props: {
  readonly link: string;
  /** A page of the dashboard. */
  readonly target: string;
  readonly onSignedIn: () => void;
}) => {
  const { isBusy, error, run } = useAction();
  const submit = () =>
    run(async () => {
      await signIn({ link: props.link });
      props.onSignedIn();
    });
  return (
    <SignInFrame title="Sign in">
      <p>This link signs you in once, in this browser.</p>
      {session.value && (
        <p>
          You are signed in as {session.value.operator.name}. If the link is for another operator,
          it signs you in as them and ends this session.
        </p>
      )}
      <OutageNote />
      {error && <ErrorNote error={error} />}
      <p>
        <Button label="Continue" class="block" isBusy={isBusy} onClick={() => void submit()} />
      </p>
      {session.value && (
        <Link role="button" class="secondary block" href={props.target}>
          Keep this session
        </Link>
      )}
    </SignInFrame>
  );
};

const SignIn = () => {
  const [params] = useSearchParams();
  const options = signInOptions.value;
  const [token, setToken] = useState('');
  const { isBusy, error, run } = useAction();
  const [hasSubmitted, setSubmitted] = useState(false);
  const [link, setLink] = useState(() => window.location.hash.slice(1));
  const target = safePath(params.get('return_to'));
  const refused = params.get('error');
  /** The secret leaves the address at once. */
  const takeLink = () => {
    const { hash, pathname } = window.location;
    if (hash.length <= 1) return;
    setLink(hash.slice(1));
    window.history.replaceState(null, '', pathname);
  };
  useEffect(() => {
    document.title = 'Sign in · Rollgate';
    takeLink();
    // Entered while this page is open, a link loads nothing.
    window.addEventListener('hashchange', takeLink);
    const abort = new AbortController();
    void loadSignInOptions(abort.signal).catch(() => undefined);
    return () => {
      window.removeEventListener('hashchange', takeLink);
      abort.abort();
    };
  }, []);
  const refusal = refused !== null && (
    <Note tone="bad">
      <p>{REASONS[refused] ?? 'You could not be signed in.'}</p>
      <p class="cluster note-meta">
        <code>{refused}</code>
      </p>
    </Note>
  );
  const isSignedIn = session.value && link === '';
  if (isSignedIn && (!refusal || hasSubmitted)) return <Redirect to={target} replace />;
  // The session is as it was before a confirmation of the identity that failed.
  if (isSignedIn)
    return (
      <SignInFrame title="Sign in">
        {refusal}
        <Link role="button" class="block" href={target}>
          Back to the dashboard
        </Link>
      </SignInFrame>
    );
  const begin = (work: () => Promise<void>) => {
    setSubmitted(true);
    return run(work);
  };
  const hasPasskeys = canUsePasskeys(options?.passkey_host ?? null);
  if (link !== '')
    return (
      <LinkSignIn
        key={link}
        link={link}
        target={target}
        onSignedIn={() => {
          setSubmitted(true);
          setLink('');
        }}
      />
    );
  return (
    <SignInFrame title="Sign in">
      {refusal}
      <OutageNote />
      {hasExpired.value && (
        <Note>
          <p>
            Your session has ended: it has expired, or an owner ended it or disabled your account.
            Sign in again to return to the page that was open. What was not saved there is lost.
          </p>
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
      {hasPasskeys && (
        <Button
          icon="key"
          label="Sign in with a passkey"
          class="block"
          isBusy={isBusy}
          onClick={() => void begin(async () => signIn(await askForPasskey()))}
        />
      )}
      {options?.oidc && (
        <a
          role="button"
          class="block"
          href={`${options.oidc.start_url}?return_to=${encodeURIComponent(`/dashboard${target}`)}`}
        >
          Continue with {options.oidc.name}
        </a>
      )}
      {(hasPasskeys || options?.oidc) && <p class="divider">or</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void begin(() => signIn({ admin_token: token.trim() }));
        }}
      >
        <TextField
          label="Admin token"
          hint={
            <>
              In the file <code>admin-token</code> in the data folder. The gateway prints the path
              at startup.
            </>
          }
          type="password"
          required
          value={token}
          onChange={setToken}
        />
        {error && <ErrorNote error={error} />}
        <Button label="Sign in" type="submit" class="block" isBusy={isBusy}>
          <Icon name="chevron" />
        </Button>
      </form>
    </SignInFrame>
  );
};

export default SignIn;
